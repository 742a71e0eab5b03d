import { expect, test } from 'vitest';
import { validate } from '../../src/commands/validate.ts';
import { runOn, type Ran } from '../support/manifest-run.ts';
import { sandboxTransport } from '../support/sandbox-requests.ts';

const byName = `version: 1
flows:
  - slug: door
    name: Door
    title: Door
    designation: authentication
    stages: [{ stage: { name: who }, order: 0 }, { stage: { name: enter }, order: 10 }]
stages:
  - { name: who, type: identification, user_fields: [username] }
  - { name: enter, type: user_login }
`;

function validated(allow: readonly string[]): Promise<Ran> {
  return runOn(validate, sandboxTransport({}).send, byName, { allow });
}

test('a flow open by name is an error unless allowed', async () => {
  const refused = await validated([]);
  expect(refused.ending).toBe('invalid');
  expect(refused.stdout).toMatch(/m\.yaml:7:.*whoever gives a name is logged in.*\[open-login\]/s);
  expect((await validated(['open-login'])).ending).toBe('done');
});

test('an unknown risk is refused by name', async () => {
  await expect(validated(['open-logins'])).rejects.toThrow('--allow cannot be "open-logins"');
});
