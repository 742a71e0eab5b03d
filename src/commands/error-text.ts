import { unexpectedDiagnostic, usageDiagnostic } from '../base/diagnostic.ts';
import { asError, UsageError } from '../base/errors.ts';
import { inline, wrapped } from '../report/printable.ts';
import { nonEmpty, type Environment } from '../settings/environment.ts';

/** An error as a person is told it: what is wrong, and what to do. Where a bug is, is for those who look for it. */
export function errorText(error: unknown, columns: number, showsStack: boolean): string {
  const isUsage = error instanceof UsageError;
  const { summary, detail } = isUsage ? usageDiagnostic(error) : unexpectedDiagnostic(asError(error));
  const stack = isUsage || !showsStack ? [] : (asError(error).stack ?? '').split('\n').slice(1);
  const lines = [`error: ${inline(summary)}`, `    ${inline(detail)}`];
  return [...lines.flatMap((line) => wrapped(line, columns, 4)), ...stack.map((line) => inline(line))]
    .map((line) => `${line}\n`)
    .join('');
}

/** Whether it is asked for where a bug is. */
export function isDebugged(verbose: boolean, env: Environment): boolean {
  return verbose || nonEmpty(env['ROLLCALL_LOG']) !== undefined;
}
