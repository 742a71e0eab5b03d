/** Whether the tests run in full: `vitest run --mode full`, as in `npm run check`. `test.runIf(inFull)` marks a test that takes long. */
export const inFull = process.env['TESTS'] === 'full';

/** Selects rows from a table of similar tests: at most `short` rows in `npm test`, all rows in `npm run check`. */
export function someOf<T>(all: readonly T[], short: number): readonly T[] {
  // With an odd step, both the first and the second rows of pairs are selected.
  const step = Math.ceil(all.length / short) | 1;
  if (short === 0 && !inFull) return [];
  return inFull ? all : all.filter((_, index) => index % step === 0);
}

/** The releases that a test runs on: all in `npm run check`. In `npm test`, only the newest, since most other tests run on the oldest. */
export function someReleases<T>(all: readonly T[]): readonly T[] {
  return inFull ? all : all.slice(-1);
}

/** The moments at which a test injects a fault: all in `npm run check`. In `npm test`, only some, from another start for each table row. */
export function someMoments(from: number, to: number, row: number): readonly number[] {
  const all = Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);
  const step = Math.min(23, all.length);
  return inFull ? all : all.filter((_, index) => index % step === row % step);
}

/** The number of repetitions in a test: fewer in `npm test`, all in `npm run check`. */
export function times({ short, full }: { readonly short: number; readonly full: number }): number {
  return inFull ? full : short;
}
