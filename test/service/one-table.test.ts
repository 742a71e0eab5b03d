import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const src = new URL('../../src/', import.meta.url);
/** The properties of an answer that only the table may read: the status and the kind. */
const looksAtAnswer = /\bstatus\b|\banswer\??\.kind\b/g;

test('only the table of answers interprets HTTP statuses', () => {
  const found = ['observe', 'plan', 'apply', 'run'].flatMap((room) =>
    readdirSync(new URL(room, src), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) => {
        const text = readFileSync(new URL(`${room}/${file}`, src), 'utf8');
        return Array.from(text.matchAll(looksAtAnswer), ([place]) => `${room}/${file}: ${place}`);
      }),
  );
  expect(found).toEqual([]);
});
