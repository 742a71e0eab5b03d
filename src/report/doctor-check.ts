/** One thing that must be right for rollcall to work with a service. */
export interface DoctorCheck {
  readonly name: 'connection' | 'base-url' | 'token' | `view-${string}` | `create-${string}` | 'clock';
  readonly status: 'pass' | 'warn' | 'fail' | 'unknown';
  readonly summary: string;
  /** What to do about it. Empty when there is nothing to do. */
  readonly advice: string;
}

export function check(
  name: DoctorCheck['name'],
  status: DoctorCheck['status'],
  summary: string,
  advice = '',
): DoctorCheck {
  return { name, status, summary, advice };
}

/** What something that failed before keeps from being told. */
export function untold(...names: DoctorCheck['name'][]): DoctorCheck[] {
  return names.map((name) => check(name, 'unknown', 'cannot be told yet'));
}
