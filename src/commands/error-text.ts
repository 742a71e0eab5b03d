import { unexpectedDiagnostic, usageDiagnostic } from '../base/diagnostic.ts';
import { asError, UsageError } from '../base/errors.ts';
import { printableLine, wrapText } from '../report/printable.ts';
import { nonEmpty, type EnvironmentVariables } from '../settings/environment.ts';

/** The text of an error for people: what is wrong, and what to do. Stack traces are only for debugging. */
export function errorText(error: unknown, columns: number, showsStack: boolean): string {
  const isUsage = error instanceof UsageError;
  const { summary, detail } = isUsage ? usageDiagnostic(error) : unexpectedDiagnostic(asError(error));
  const stack = isUsage || !showsStack ? [] : (asError(error).stack ?? '').split('\n').slice(1);
  const lines = [`error: ${printableLine(summary)}`, `    ${printableLine(detail)}`];
  return [...lines.flatMap((line) => wrapText(line, columns, 4)), ...stack.map((line) => printableLine(line))]
    .map((line) => `${line}\n`)
    .join('');
}

export function isDebugging(verbose: boolean, env: EnvironmentVariables): boolean {
  return verbose || nonEmpty(env['ROLLCALL_LOG']) !== undefined;
}
