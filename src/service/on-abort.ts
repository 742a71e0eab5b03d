import { memoizePerKey } from '../base/memoize.ts';

/** The functions to call when a signal aborts, with a single listener for all of them. */
export const onAbort: (signal: AbortSignal) => Set<() => void> = memoizePerKey((signal: AbortSignal) => {
  const calls = new Set<() => void>();
  signal.addEventListener('abort', () => {
    for (const call of calls) call();
  });
  return calls;
});
