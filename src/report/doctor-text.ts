import type { DoctorCheck } from './doctor-checks.ts';
import { inline, wrapped } from './escape.ts';
import type { Style } from './style.ts';

/** The checks for a person, each in a line, with what to do below those that did not pass. */
export function doctorText(
  service: string,
  checks: readonly DoctorCheck[],
  style: Style,
  next?: string,
): string {
  const marks = {
    pass: style.green('ok  '),
    warn: style.yellow('warn'),
    fail: style.red('FAIL'),
    unknown: style.dim('?   '),
  };
  const width = Math.max(...checks.map(({ name }) => name.length));
  const indent = ' '.repeat(width + 10);
  const room = 80 - indent.length;
  const lines = checks.flatMap(({ name, status, summary, advice }) => [
    ...wrapped(inline(summary), room).map((line, index) =>
      index === 0 ? `  ${marks[status]}  ${name.padEnd(width)}  ${line}` : `${indent}${line}`,
    ),
    ...(advice === '' ? [] : wrapped(inline(advice), room).map((line) => `${indent}${line}`)),
  ]);
  const failed = checks.some(({ status }) => status === 'fail');
  const end = failed
    ? style.bold('The service cannot be used like this.')
    : style.bold(next === undefined ? 'All is well.' : `All is well. Next: ${inline(next)}`);
  return `Checking ${inline(service)}\n\n${lines.map((line) => line.trimEnd()).join('\n')}\n\n${end}\n`;
}
