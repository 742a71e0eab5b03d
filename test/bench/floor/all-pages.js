// A minimal script that reads lists: parses the YAML, and reads all pages of the given lists, several pages at a time.
import { readFileSync } from 'node:fs';
import { request } from 'undici';
import { parse } from 'yaml';

const [, , filename = '', url = '', concurrency = '', lists = ''] = process.argv;
const headers = { accept: 'application/json', authorization: 'Bearer sandbox-token' };
const declared = Object.keys(parse(readFileSync(filename, 'utf8'))).length;
const left = lists.split(',').values();
let found = 0;
await Promise.all(
  Array.from({ length: Number(concurrency) }, async () => {
    for (const path of left)
      for (let number = 1; number !== 0;) {
        const { statusCode, body } = await request(`${url}${path}?page=${number}&page_size=100`, { headers });
        /** @type {any} */
        const page = await body.json();
        if (statusCode !== 200) throw new Error(`${path}: ${statusCode}`);
        found += page.results.length;
        number = page.pagination.next;
      }
  }),
);
console.log(declared, found);
