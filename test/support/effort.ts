/** Whether everything is tested in full: `vitest run --mode full`, which is what `npm run check` does. `test.runIf(inFull)` is a test that takes long. */
export const inFull = process.env['TESTS'] === 'full';

/** What is tested in the same way for each of many: so many of them at most in `npm test`, all of them in `npm run check`. */
export function someOf<T>(all: readonly T[], short: number): readonly T[] {
  // Odd steps meet both of what comes in pairs.
  const step = Math.ceil(all.length / short) | 1;
  if (short === 0 && !inFull) return [];
  return inFull ? all : all.filter((_, index) => index % step === 0);
}

/** What is tested on each release: the oldest and the newest in `npm test`, all in `npm run check`. */
export function someReleases<T>(all: readonly T[]): readonly T[] {
  return inFull ? all : all.filter((_, index) => index === 0 || index === all.length - 1);
}

/** The moments at which something goes wrong: some in `npm test`, each table row from another on; all in `npm run check`. */
export function someMoments(from: number, to: number, row: number): readonly number[] {
  const all = Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);
  const step = Math.min(23, all.length);
  return inFull ? all : all.filter((_, index) => index % step === row % step);
}

/** How often a test does what it does many times: a part of it in `npm test`, all of it in `npm run check`. */
export function times({ short, full }: { readonly short: number; readonly full: number }): number {
  return inFull ? full : short;
}
