import { destinationName, type Destination } from '../../base/destination.ts';
import { isHealthy, type DoctorCheck } from '../words/doctor.ts';
import { jsonText } from './json.ts';
import type { Style } from './lines.ts';
import { inline, wrapped } from '../printable.ts';

export interface Diagnosis extends Destination {
  readonly checks: readonly DoctorCheck[];
  /** What was asked beyond the three operations, each as METHOD PATH. */
  readonly beyondContract: readonly string[];
}

const formatVersion = '1.0';

/** What `doctor -o json` prints: schemas/doctor.schema.json */
export function doctorJson({ service, environment, checks, beyondContract }: Diagnosis): string {
  return jsonText({
    format_version: formatVersion,
    service,
    environment,
    healthy: isHealthy(checks),
    checks,
    beyond_contract: beyondContract,
  });
}

/** The checks for a person, each in a line, with what to do below those that did not pass. */
export function doctorText(diagnosis: Diagnosis, style: Style, next?: string): string {
  const { checks, beyondContract } = diagnosis;
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
  const beyond = [
    'Asked beyond the three operations of the contract, as --contract-only would not:',
    ...beyondContract.map((request) => `  ${inline(request)}`),
  ].join('\n');
  const list = lines.map((line) => line.trimEnd()).join('\n');
  const parts = [
    `Checking ${inline(destinationName(diagnosis))}`,
    list,
    ...(beyondContract.length === 0 ? [] : [beyond]),
    style.bold(verdict(checks, next)),
  ];
  return `${parts.join('\n\n')}\n`;
}

function verdict(checks: readonly DoctorCheck[], next: string | undefined): string {
  if (!isHealthy(checks)) return 'The service cannot be used like this.';
  const unknown = checks.filter(({ status }) => status === 'unknown').map(({ name }) => name);
  const well = unknown.length === 0 ? 'All is well.' : 'What was checked is well.';
  const words = checks.some(({ status }) => status === 'warn')
    ? 'The service can be used, but see the warnings.'
    : well;
  if (unknown.length === 0) return next === undefined ? words : `${words} Next: ${inline(next)}`;
  const lines = wrapped(`${words} Not checked: ${unknown.join(', ')}.`, 80).map((line) => line.trimEnd());
  return [...lines, ...(next === undefined ? [] : [`Next: ${inline(next)}`])].join('\n');
}
