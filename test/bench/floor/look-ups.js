// A minimal script that looks up each application and each user: parses the YAML, and sends several requests at a time.
import { readFileSync } from 'node:fs';
import { request } from 'undici';
import { parse } from 'yaml';

const [, , filename = '', url = '', concurrency = ''] = process.argv;
const headers = { accept: 'application/json', authorization: 'Bearer a-token-of-the-bench' };
/** @type {{ applications?: { slug: string }[], users?: { username: string }[] }} */
const { applications = [], users = [] } = parse(readFileSync(filename, 'utf8'));
const paths = [
  ...applications.map(({ slug }) => `applications/${slug}/`),
  ...users.map(({ username }) => `users/?username=${username}`),
].values();
let found = 0;

await Promise.all(
  Array.from({ length: Number(concurrency) }, async () => {
    for (const path of paths) {
      const { statusCode, body } = await request(`${url}/api/v3/core/${path}`, { headers });
      await body.json();
      if (statusCode !== 200 && statusCode !== 404) throw new Error(`${path}: ${statusCode}`);
      if (statusCode === 200) found += 1;
    }
  }),
);
console.log(found);
