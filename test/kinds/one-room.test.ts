import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { kinds } from '../../src/kinds/all.ts';

const src = new URL('../../src/', import.meta.url);
const names = kinds.flatMap(({ type, list }) => [type, list]).join('|');
const asked = new RegExp(`(?:[!=]=|\\bcase)\\s*'(?:${names})'|'(?:${names})'\\s*[!=]=`, 'g');

/** The places in a source text that compare with the name of a kind. */
function askedIn(text: string): string[] {
  return Array.from(text.matchAll(asked), ([place]) => place);
}

test.each(["type === 'user'", "'application' !== type", "case 'users':", "if (type ==\n 'applications')"])(
  'code that compares the name of a kind is found: %j',
  (text) => {
    expect(askedIn(text)).toHaveLength(1);
  },
);

test('only src/kinds/ refers to a kind by name', () => {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !/^(?:kinds|generated)[/\\]/.test(file),
  );
  expect(files.length).toBeGreaterThan(100);
  const found = files.flatMap((file) =>
    askedIn(readFileSync(new URL(file, src), 'utf8')).map((place) => `${file}: ${place}`),
  );
  expect(found).toEqual([]);
});
