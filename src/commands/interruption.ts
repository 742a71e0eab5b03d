import type { InterruptSignal } from '../exit-code.ts';

const signals: readonly InterruptSignal[] = ['SIGINT', 'SIGTERM'];

/** An AbortSignal for the first Ctrl-C or SIGTERM. The next one, of either kind, ends the process at once. */
export function listenForInterruption(): AbortSignal {
  const interruption = new AbortController();
  const listeners = signals.map((signal) => ({ signal, abort: () => onSignal(signal) }));
  function onSignal(signal: InterruptSignal): void {
    for (const { signal: listened, abort } of listeners) process.off(listened, abort);
    interruption.abort(signal);
  }
  for (const { signal, abort } of listeners) process.on(signal, abort);
  return interruption.signal;
}
