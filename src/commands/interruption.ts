import type { InterruptSignal } from '../exit-code.ts';

/** How a user stops a run. */
export interface Interruption {
  /** Aborts at the first Ctrl-C or SIGTERM: nothing more is begun. */
  readonly signal: AbortSignal;
  /** Aborts at the second, of either kind: what is under way is given up. */
  readonly urgent: AbortSignal;
}

const signals: readonly InterruptSignal[] = ['SIGINT', 'SIGTERM'];

/** From now on the first two signals do not end the process. The third does. */
export function listenForInterruption(): Interruption {
  const [first, second] = [new AbortController(), new AbortController()];
  const listeners = signals.map((signal) => ({ signal, listen: () => onSignal(signal) }));
  function onSignal(signal: InterruptSignal): void {
    if (!first.signal.aborted) {
      first.abort(signal);
      return;
    }
    for (const { signal: listened, listen } of listeners) process.off(listened, listen);
    second.abort(signal);
  }
  for (const { signal, listen } of listeners) process.on(signal, listen);
  return { signal: first.signal, urgent: second.signal };
}
