/** How a command can end, with the exit code for each ending. Documented in docs/exit-codes.md. */
export const exitCodes = {
  /** Success. */
  done: 0,
  /** Any other error: the service is unreachable, an unexpected answer, a limit. */
  failed: 1,
  /** `plan` only: there are changes (`--detailed-exitcode`), or a condition of `--fail-on` holds. */
  changes: 2,
  /** Invalid usage, configuration or manifest; nothing was sent except look-ups and the request for the release. */
  invalid: 3,
  /** The service denied access. */
  denied: 4,
  /** A saved plan no longer matches the service, or must not be applied for another reason. */
  stale: 5,
  /**
   * Apply ended with resources rejected, in conflict, unknown, not attempted or unfinished, and none denied; or with an unexpected
   * error after it had begun. With `--keep-going`, plan and apply: some resources could not be planned. Export: the output may be
   * incomplete.
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

/** If output was lost, success becomes failure; a more specific ending stays. */
export function endingIfOutputLost(ending: Ending, isOutputLost: boolean): Ending {
  return isOutputLost && (ending === 'done' || ending === 'changes') ? 'failed' : ending;
}
