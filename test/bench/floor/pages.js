// A minimal script that reads lists: parses the YAML, and reads all pages of the applications, two pages at a time.
import { readFileSync } from 'node:fs';
import { request } from 'undici';
import { parse } from 'yaml';

const [, , filename = '', url = ''] = process.argv;
const headers = { accept: 'application/json', authorization: 'Bearer a-token-of-the-bench' };
/** @type {Set<string>} */
const wanted = new Set(
  parse(readFileSync(filename, 'utf8')).applications.map((/** @type {{ slug: string }} */ { slug }) => slug),
);
let found = 0;

const { pagination } = await pageAt(1);
const left = Array.from(
  { length: Math.max(0, pagination.total_pages - 1) },
  (_, index) => index + 2,
).values();
await Promise.all(
  [1, 2].map(async () => {
    for (const number of left) await pageAt(number);
  }),
);
console.log(found);

/** @param {number} number */
async function pageAt(number) {
  const query = `?superuser_full_list=true&page=${number}&page_size=100`;
  const { body } = await request(`${url}/api/v3/core/applications/${query}`, { headers });
  /** @type {any} */
  const page = await body.json();
  for (const { slug } of page.results) if (wanted.has(slug)) found += 1;
  return page;
}
