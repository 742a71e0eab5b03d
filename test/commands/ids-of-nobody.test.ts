import { describe, expect, test } from 'vitest';
import { parseJson } from '../../src/base/json.ts';
import { apply } from '../../src/commands/apply.ts';
import { plan } from '../../src/commands/plan.ts';
import type { SandboxSeed } from '../../src/generated/sandbox-seed.ts';
import { sandboxReleases } from '../../src/sandbox/release.ts';
import { World } from '../support/update-world.ts';
import { someReleases } from '../support/effort.ts';
import { done } from '../support/manifest-run.ts';

const nobody = '99999999-9999-4999-8999-999999999999';
const staff = 'ffe01d52-77c3-4b0e-9d2a-6c1b5a4f3e2d';
const seed: SandboxSeed = {
  tokens: [{ token: 'sandbox-token', superuser: true }],
  groups: [{ name: 'staff', pk: staff }],
  providers: [{ pk: 7, name: 'Wiki', type: 'oauth2' }],
};
const application = (fields: string): string =>
  `version: 1\napplications: [{ slug: wiki, name: Wiki, ${fields} }]\n`;

const wrong: [name: string, text: string, summary: string][] = [
  ['provider', application('provider: 8'), 'there is no provider with this id: 8'],
  [
    'backchannel provider',
    application('backchannel_providers: [7, 8]'),
    'there is no provider with this id: 8',
  ],
  [
    'group of a user',
    `version: 1\nusers: [{ username: jane, name: Jane, groups: ["${staff}", "${nobody}"] }]\n`,
    `there is no group with this id: ${nobody}`,
  ],
  [
    'group that may open it',
    application(`access: { groups: ["${nobody}"] }`),
    `there is no group with this id: ${nobody}`,
  ],
  ['user who may open it', application('access: { users: [4711] }'), 'there is no user with this id: 4711'],
];

async function ran(
  world: World,
  command: typeof plan | typeof apply,
  text: string,
  options: object = {},
): Promise<{ readonly ending: string; readonly out: string }> {
  const { context, stdout, stderr } = world.run(text);
  const ending = await command(['m.yaml'], { output: 'text', yes: true, ...options }, context);
  return { ending, out: stdout() + stderr() };
}

describe.each(wrong)('the id of a missing %s', (_, text, summary) => {
  test.each(someReleases(sandboxReleases))(
    'is an error at its line before anything is sent, on release %s',
    async (release) => {
      const world = new World(seed, release);
      const { ending, out } = await ran(world, apply, text);
      expect(ending).toBe('invalid');
      expect(out).toContain(summary);
      expect(out).toContain('[id-not-found]');
      expect(world.writes()).toEqual([]);
    },
  );

  test('with --keep-going, leaves only the entry with the id unplanned', async () => {
    const more = `${text}groups: [{ name: guests }]\n`;
    const { ending, out } = await ran(new World(seed), plan, more, { keepGoing: true });
    expect(ending).toBe('incomplete');
    expect(out).toContain(summary);
    expect(out).toContain('+ group.guests');
  });

  test("is planned with a note if the token is not a superuser's", async () => {
    const world = new World({ ...seed, tokens: [{ token: 'sandbox-token' }] });
    const { out } = await done(ran(world, plan, text));
    expect(out).toContain(
      'New entries contain ids that may be wrong, because the token sees no record with such an id: 1 of ',
    );
  });
});

test('an entry with an id that the service offers no way to look up is planned with a note on the reason', async () => {
  const world = new World({ documented_only: true });
  const text = `${application('provider: 7')}users: [{ username: jane, name: Jane, groups: ["${nobody}"] }]\n`;
  const { out } = await done(ran(world, plan, text));
  expect(out).toContain(
    'New entries contain ids that may be wrong, because the service does not offer to look them up: 1 of providers, 1 of groups.',
  );
});

test('a name that the service offers no way to look up is an error that asks for the id', async () => {
  const world = new World({ documented_only: true });
  const { out } = await ran(world, plan, application('provider: { name: Wiki }'));
  expect(out).toContain('could not look up the provider by its name');
  expect(out).toContain('Otherwise, write the id in place of the name.');
});

test.each(['groups: [{ name: docs }]', 'users: [{ username: jane, formerly: jan, name: Jane }]'])(
  'an entry that the service offers no way to look up is an error that asks for no id: %s',
  async (entry) => {
    const { out } = await ran(new World({ documented_only: true }), plan, `version: 1\n${entry}\n`);
    expect(out).toContain('by its name: the service does not offer this operation');
    expect(out).not.toContain('write the id');
  },
);

test('an entry is planned without a note if its id exists, or if the resource is unchanged', async () => {
  const text = `version: 1
applications: [{ slug: wiki, name: Wiki, provider: 7, access: { groups: ["${staff.toUpperCase()}"] } }]
`;
  const { out } = await done(ran(new World(seed), plan, text));
  expect(out).not.toContain('these ids');
  const there = new World({ ...seed, applications: [{ slug: 'wiki', name: 'Wiki' }] });
  await done(ran(there, plan, application('provider: 8')));
  expect(there.requests.filter(({ path }) => path.includes('/providers/all/8/'))).toEqual([]);
});

test('many ids are looked up in a list, and only ids missing from the list are looked up one by one', async () => {
  const groups = Array.from({ length: 30 }, (_, index) => ({
    name: `g${index}`,
    pk: `11111111-1111-4111-8111-1111111111${String(index).padStart(2, '0')}`,
  }));
  const world = new World({ ...seed, groups });
  const ids = JSON.stringify([...groups.map(({ pk }) => pk), nobody]);
  const { out } = await ran(
    world,
    plan,
    `version: 1\nusers: [{ username: jane, name: Jane, groups: ${ids} }]\n`,
  );
  expect(out).toContain(`there is no group with this id: ${nobody}`);
  const single = world.requests.filter(({ path }) => /\/core\/groups\/[\da-f-]{36}\//.test(path));
  expect(single.map(({ path }) => path.split('/').at(5))).toEqual([nobody]);
});

test('with a token that may not view groups, a create with the id of a group is planned, and the JSON document has no error', async () => {
  const world = new World({ ...seed, tokens: [{ token: 'sandbox-token', view_groups: 'none' }] });
  const text = `version: 1\nusers: [{ username: jane, name: Jane, groups: ["${nobody}"] }]\n`;
  const { out } = await done(ran(world, plan, text, { output: 'json' }));
  expect(parseJson(out)).toMatchObject({ resource_changes: [{ change: { actions: ['create'] } }] });
});
