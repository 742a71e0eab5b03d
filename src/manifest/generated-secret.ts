import type { Problem } from '../base/diagnostic.ts';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Shorter secrets can be guessed, and fields of the service take at most 255 characters. */
const lengthRange = { min: 16, most: 255 };

/** A secret of the requested length, or a problem with that length. `random` returns a whole number below `limit`. */
export function generatedSecret(written: string, random: (limit: number) => number): string | Problem {
  const length = /^\d{1,3}$/.test(written) ? Number(written) : 0;
  if (length < lengthRange.min || length > lengthRange.most)
    return {
      code: 'invalid-reference',
      summary: `a secret cannot be generated with the length \`${written}\``,
      detail: `Write a number from ${lengthRange.min} to ${lengthRange.most}, such as \${generate:40}.`,
    };
  return Array.from({ length }, () => alphabet[random(alphabet.length)]).join('');
}
