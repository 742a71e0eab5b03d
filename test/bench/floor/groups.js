// A minimal script for a bootstrap: parses the YAML, creates each group, and then creates each user with the ids of its groups,
// several at a time.
import { readFileSync } from 'node:fs';
import { request } from 'undici';
import { parse } from 'yaml';

const [, , filename = '', concurrency = ''] = process.argv;
const url = process.env['ROLLCALL_URL'] ?? '';
const headers = {
  authorization: `Bearer ${process.env['ROLLCALL_TOKEN']}`,
  'content-type': 'application/json',
};
/** @type {{ groups: { name: string }[], users: { username: string, name: string, groups: { name: string }[] }[] }} */
const { groups, users } = parse(readFileSync(filename, 'utf8'));
/** @type {Map<string, string>} */
const ids = new Map();
await forAll(groups, async (group) => {
  ids.set(group.name, String((await created('groups', group)).pk));
});
await forAll(users, async (user) => {
  await created('users', { ...user, groups: user.groups.map(({ name }) => ids.get(name)) });
});

/**
 * @param {string} list
 * @param {object} fields
 * @returns {Promise<{ pk: unknown }>}
 */
async function created(list, fields) {
  const body = JSON.stringify(fields);
  const answer = await request(`${url}/api/v3/core/${list}/`, { method: 'POST', headers, body });
  const record = /** @type {{ pk: unknown }} */ (await answer.body.json());
  if (answer.statusCode !== 201) throw new Error(`${body}: ${answer.statusCode}`);
  return record;
}

/**
 * @template Item
 * @param {readonly Item[]} items
 * @param {(item: Item) => Promise<void>} task
 */
async function forAll(items, task) {
  const left = items.values();
  await Promise.all(
    Array.from({ length: Number(concurrency) }, async () => {
      for (const item of left) await task(item);
    }),
  );
}
