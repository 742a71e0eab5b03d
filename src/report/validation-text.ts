import type { Diagnostic } from '../base/diagnostic.ts';
import type { Resource } from '../kinds/resource.ts';
import type { Style } from './style.ts';

/** The last line of `validate`. */
export function validationText(
  diagnostics: readonly Diagnostic[],
  resources: readonly Resource[],
  style: Style,
): string {
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length;
  const warnings = diagnostics.length - errors;
  const found = counted(errors, 'error') + (warnings > 0 ? `, ${counted(warnings, 'warning')}` : '');
  if (errors > 0) return `\n${style.red('Invalid:')} ${found}. Nothing was sent.\n`;
  const users = resources.filter(({ type }) => type === 'user').length;
  const declared = `${counted(resources.length - users, 'application')}, ${counted(users, 'user')}`;
  return `${warnings > 0 ? '\n' : ''}${style.green('Valid:')} ${declared}${warnings > 0 ? `; ${counted(warnings, 'warning')}` : ''}.\n`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
