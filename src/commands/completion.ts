import type { Ending } from '../base/exit-code.ts';
import { packageFileText } from '../base/package-file.ts';
import { choiceNamed } from '../base/suggestion.ts';
import type { Context } from '../terminal/context.ts';

export const shells = ['bash', 'zsh', 'fish'] as const;

/** `rollcall completion`: prints the completion script of a shell. The script calls rollcall, so it stays up to date. */
export function completion(shell: string, _: object, { stdout }: Pick<Context, 'stdout'>): Ending {
  const known = choiceNamed(shell, shells, `there is no completion for ${JSON.stringify(shell)}`);
  stdout.write(packageFileText(`src/commands/completion/rollcall.${known}`));
  return 'done';
}
