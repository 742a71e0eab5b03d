// A minimal script: reads the YAML and looks up each application. With --create it then creates them, with --create-only it
// creates them without look-ups. `concurrency` requests run at a time.
import { readFileSync } from 'node:fs';
import { request } from 'undici';
import { parse } from 'yaml';

const [, , filename = '', url = '', concurrency = '', create] = process.argv;
const path = `${url}/api/v3/core/applications/`;
const headers = { accept: 'application/json', authorization: 'Bearer a-token-of-the-bench' };
/** @type {{ slug: string }[]} */
const applications = parse(readFileSync(filename, 'utf8')).applications;

if (create !== '--create-only')
  await forAll(async ({ slug }) => {
    const { statusCode, body } = await request(`${path}${slug}/`, { headers });
    await body.json();
    if (statusCode !== 404) throw new Error(`${slug}: ${statusCode}`);
  });
if (create !== undefined) {
  await forAll(async (application) => {
    const { statusCode, body } = await request(path, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(application),
    });
    await body.json();
    if (statusCode !== 201) throw new Error(`${application.slug}: ${statusCode}`);
  });
}
console.log(applications.length);

/** @param {(application: { slug: string }) => Promise<void>} task */
async function forAll(task) {
  const left = applications.values();
  await Promise.all(
    Array.from({ length: Number(concurrency) }, async () => {
      for (const application of left) await task(application);
    }),
  );
}
