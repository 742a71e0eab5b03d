/** Whether everything is tested in full: `vitest run --mode full`, which is what `npm run check` does. */
const inFull = process.env['TESTS'] === 'full';

/** How often a test does what it does many times: a part of it in `npm test`, all of it in `npm run check`. */
export function times({ short, full }: { readonly short: number; readonly full: number }): number {
  return inFull ? full : short;
}
