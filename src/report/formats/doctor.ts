import { destinationName, type Destination } from '../../base/destination.ts';
import { isHealthy, type DoctorCheck } from '../words/doctor-check.ts';
import { jsonText } from './json.ts';
import { fitted, type Style } from './lines.ts';
import { inline } from '../printable.ts';

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
  const indent = width + 10;
  const lines = checks.flatMap(({ name, status, summary, advice }) => [
    fitted(`  ${marks[status]}  ${name.padEnd(width)}  ${inline(summary)}`, style, indent),
    ...(advice === '' ? [] : [fitted(`${' '.repeat(indent)}${inline(advice)}`, style, indent)]),
  ]);
  const beyond = [
    'Asked beyond the three operations of the contract, as --contract-only would not:',
    ...beyondContract.map((request) => `  ${inline(request)}`),
  ];
  const parts = [
    fitted(`Checking ${inline(destinationName(diagnosis))}`, style),
    lines.join('\n'),
    ...(beyondContract.length === 0 ? [] : [fitted(beyond.join('\n'), style, 2)]),
    style.bold(fitted(verdict(checks, next), style)),
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
  const unchecked = `${words} Not checked: ${unknown.join(', ')}.`;
  return next === undefined ? unchecked : `${unchecked}\nNext: ${inline(next)}`;
}
