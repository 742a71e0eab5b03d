/** Whether everything is tested in full: `vitest run --mode full`, as in `npm run check`. `test.runIf(inFull)` marks a test that takes long. */
export const inFull = process.env['TESTS'] === 'full';

/** The rows of a table of similar tests: at most this many in `npm test`, all in `npm run check`. */
export function someOf<T>(all: readonly T[], short: number): readonly T[] {
  // Odd steps reach both members of pairs.
  const step = Math.ceil(all.length / short) | 1;
  if (short === 0 && !inFull) return [];
  return inFull ? all : all.filter((_, index) => index % step === 0);
}

/** The releases of a test: the newest in `npm test`, where most tests meet the oldest; all in `npm run check`. */
export function someReleases<T>(all: readonly T[]): readonly T[] {
  return inFull ? all : all.slice(-1);
}

/** The moments of a fault: some in `npm test`, each table row starting at a different one; all in `npm run check`. */
export function someMoments(from: number, to: number, row: number): readonly number[] {
  const all = Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);
  const step = Math.min(23, all.length);
  return inFull ? all : all.filter((_, index) => index % step === row % step);
}

/** The number of repetitions in a test: fewer in `npm test`, all in `npm run check`. */
export function times({ short, full }: { readonly short: number; readonly full: number }): number {
  return inFull ? full : short;
}
