import { memoizePerKey } from '../base/memoize.ts';

/** The functions to call when a signal aborts: any number, with one listener. */
export const onAbort: (signal: AbortSignal) => Set<() => void> = memoizePerKey((signal: AbortSignal) => {
  const calls = new Set<() => void>();
  signal.addEventListener('abort', () => {
    for (const call of calls) call();
  });
  return calls;
});
