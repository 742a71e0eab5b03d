import type { Diagnostic } from '../base/diagnostic.ts';
import { kinds } from '../kinds/all.ts';
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
  const declared = kinds
    .map((kind) => counted(resources.filter((resource) => resource.kind === kind).length, kind.type))
    .join(', ');
  return `${warnings > 0 ? '\n' : ''}${style.green('Valid:')} ${declared}${warnings > 0 ? `; ${counted(warnings, 'warning')}` : ''}.\n`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
