import type { InterruptSignal } from '../base/exit-code.ts';
import type { Interruption } from '../run/world.ts';

const signals: readonly InterruptSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * From now on the first two signals do not end the process; the third does. SIGHUP counts only as the first signal, because the
 * kernel and the shell both send it when a terminal is closed.
 */
export function listenForInterruption(): Interruption {
  const [first, second] = [new AbortController(), new AbortController()];
  const listeners = signals.map((signal) => ({ signal, listen: () => onSignal(signal) }));
  function onSignal(signal: InterruptSignal): void {
    if (!first.signal.aborted) {
      first.abort(signal);
      return;
    }
    if (signal === 'SIGHUP') return;
    for (const { signal: listened, listen } of listeners) process.off(listened, listen);
    second.abort(signal);
  }
  for (const { signal, listen } of listeners) process.on(signal, listen);
  return { signal: first.signal, urgent: second.signal };
}
