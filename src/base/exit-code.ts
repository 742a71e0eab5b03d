/** The ways in which a command can end, with their exit codes, as documented in docs/exit-codes.md. */
export const exitCodes = {
  done: 0,
  /** Any other error, such as an unreachable service, an unexpected answer or an exceeded limit. */
  failed: 1,
  /** `plan` found changes (with `--detailed-exitcode`), or a condition of `--fail-on` holds. */
  changes: 2,
  /** Invalid usage, configuration or manifest; nothing was sent except look-ups and the request for the release. */
  invalid: 3,
  /** The service denied access. */
  denied: 4,
  /** A saved plan no longer matches the service, or must not be applied for another reason. */
  stale: 5,
  /**
   * Apply ended with resources that are rejected, in conflict, unknown, not attempted or unfinished, but without denied
   * resources; or apply ended with an unexpected error after its start. Plan or apply could not plan some resources, or plan
   * found an unfinished resource or a change that is not possible. The output of export may be incomplete.
   */
  incomplete: 6,
  hung_up: 129,
  interrupted: 130,
  terminated: 143,
} as const;

export type Ending = keyof typeof exitCodes;

/** The signals that interrupt a run; each is the abort reason of the run's AbortSignal. */
export type InterruptSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

const interruptions = { SIGINT: 'interrupted', SIGTERM: 'terminated', SIGHUP: 'hung_up' } as const;

export function interruptSignal({ reason }: { readonly reason: unknown }): InterruptSignal | undefined {
  return reason === 'SIGINT' || reason === 'SIGTERM' || reason === 'SIGHUP' ? reason : undefined;
}

export function endingOfInterrupt(signal: { readonly reason: unknown }): Ending {
  return interruptions[interruptSignal(signal) ?? 'SIGINT'];
}

/** If output was lost, a success becomes a failure. A more specific exit code stays the same. */
export function endingIfOutputLost(ending: Ending, isOutputLost: boolean): Ending {
  return isOutputLost && (ending === 'done' || ending === 'changes') ? 'failed' : ending;
}
