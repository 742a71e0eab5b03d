/** Why a command ended, and the exit code that says so. Documented in docs/exit-codes.md. */
export const exitCodes = {
  /** All is done. */
  done: 0,
  /** An error that no other row names: the service unreachable, an unexpected answer, a limit. */
  failed: 1,
  /** `plan` only: there are changes, by `--detailed-exitcode`, or there is what `--fail-on` names. */
  changes: 2,
  /** Invalid usage, configuration or manifest; nothing was sent, or nothing but look-ups and the question for the release. */
  invalid: 3,
  /** The service denied access. */
  denied: 4,
  /** A saved plan no longer matches what the service holds, or must not be applied for another reason. */
  stale: 5,
  /**
   * Apply ended with resources rejected, in conflict, unknown, not attempted, or left in part, and none denied; or by an unexpected
   * error once it had begun. With `--keep-going`, plan and apply: some resources could not be planned. Export: what it writes may not be all.
   */
  incomplete: 6,
  hung_up: 129,
  interrupted: 130,
  terminated: 143,
} as const;

export type Ending = keyof typeof exitCodes;

/** The signals that interrupt a run; each is the reason with which the run's AbortSignal aborts. */
export type InterruptSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

const interruptions = { SIGINT: 'interrupted', SIGTERM: 'terminated', SIGHUP: 'hung_up' } as const;

/** The signal that aborted a run; none where a program did. */
export function interruptSignal({ reason }: { readonly reason: unknown }): InterruptSignal | undefined {
  return reason === 'SIGINT' || reason === 'SIGTERM' || reason === 'SIGHUP' ? reason : undefined;
}

/** How a run ends that is interrupted, by a program as by Ctrl-C. */
export function interruptedBy(signal: { readonly reason: unknown }): Ending {
  return interruptions[interruptSignal(signal) ?? 'SIGINT'];
}

/** How a command ends if some of its output may be lost: as failed, unless its own ending says more. */
export function unlessLost(ending: Ending, lost: boolean): Ending {
  return lost && (ending === 'done' || ending === 'changes') ? 'failed' : ending;
}
