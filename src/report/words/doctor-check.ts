import type { Capability } from '../../kinds/capability.ts';

/** Something that must be right so that rollcall can work with a service. */
export interface DoctorCheck {
  readonly name:
    | 'connection'
    | 'base-url'
    | 'token'
    | 'release'
    | 'licence'
    | `view-${string}`
    | `create-${string}`
    | `capability-${Capability}`
    | 'capabilities'
    | 'clock';
  readonly status: 'pass' | 'warn' | 'fail' | 'unknown';
  readonly summary: string;
  /** What to do about it. Empty when there is nothing to do. */
  readonly advice: string;
}

/** One of them, with nothing to do if that is left out. */
export function check(
  name: DoctorCheck['name'],
  status: DoctorCheck['status'],
  summary: string,
  advice = '',
): DoctorCheck {
  return { name, status, summary, advice };
}

/** Whether rollcall can work with the service. */
export function isHealthy(checks: readonly DoctorCheck[]): boolean {
  return checks.every(({ status }) => status !== 'fail');
}
