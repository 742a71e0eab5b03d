import type { Context } from '../terminal/context.ts';

/** A command to run next, called as this one was. */
export function commandLine(
  command: string,
  environment: string | undefined,
  { env }: Pick<Context, 'env'>,
): string {
  const rollcall = env['npm_command'] === 'exec' ? 'npx rollcall' : 'rollcall';
  return `${rollcall} ${command}${environment === undefined ? '' : ` --env ${shellWord(environment)}`}`;
}

/** A text as a shell takes it for one word. */
export function shellWord(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
