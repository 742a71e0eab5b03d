import type { Problem } from '../base/diagnostic.ts';

const characters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Shorter ones can be guessed, and no field of the service takes longer ones. */
const lengths = { least: 16, most: 255 };

/** A secret of the requested length, or the problem of the request. `random` returns a whole number below a limit. */
export function generatedSecret(written: string, random: (limit: number) => number): string | Problem {
  const length = /^\d{1,3}$/.test(written) ? Number(written) : 0;
  if (length < lengths.least || length > lengths.most)
    return {
      code: 'invalid-reference',
      summary: `a secret cannot be generated with the length \`${written}\``,
      detail: `Write a number from ${lengths.least} to ${lengths.most}, such as \${generate:40}.`,
    };
  return Array.from({ length }, () => characters[random(characters.length)]).join('');
}
