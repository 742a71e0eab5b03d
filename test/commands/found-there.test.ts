import { expect, test } from 'vitest';
import { parseJson } from '../../src/base/json.ts';
import { apply } from '../../src/commands/apply.ts';
import type { SeedToken } from '../../src/generated/sandbox-seed.ts';
import { capture } from '../support/run.ts';
import { answered } from '../support/scripted-transport.ts';
import { schemaErrors } from '../support/schemas.ts';
import { World } from '../support/update-world.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const taken = answered(400, { slug: ['taken'] });

test('the JSON document of an apply shows a difference by its ids, without their names', async () => {
  let looked = 0;
  const { context, stdout } = capture({
    files: {
      'm.yaml': 'version: 1\napplications: [{ slug: wiki, name: Wiki, backchannel_providers: [1] }]\n',
    },
    url: 'http://127.0.0.1:9',
    clock: virtualClock(),
    transport: async ({ method, path }) => {
      if (method === 'POST') return taken;
      if (!path.includes('/applications/wiki/') || (looked += 1) === 1)
        return answered(404, { detail: 'Not found.' });
      const other = { backchannel_providers: [2], backchannel_providers_obj: [{ pk: 2, name: 'Other' }] };
      return answered(200, { pk: 'p', slug: 'wiki', name: 'Wiki', ...other });
    },
  });
  await apply(['m.yaml'], { output: 'json', yes: true }, context);
  expect(JSON.parse(stdout())).toMatchObject({
    outcomes: [{ differences: [{ field: 'backchannel_providers', declared: [1], observed: [2] }] }],
  });
});

test('an apply does not report an application that existed before the plan as new since the plan', async () => {
  const { context, stdout } = capture({
    contractOnly: true,
    files: { 'm.yaml': 'version: 1\napplications: [{ slug: wiki, name: Wiki }]\n' },
    url: 'http://127.0.0.1:9',
    transport: async () => answered(200, { pk: 'p', slug: 'wiki', name: 'Other' }),
  });
  expect(await apply(['m.yaml'], { output: 'text', yes: true }, context)).toBe('done');
  expect(stdout()).toContain('1 differing');
  expect(stdout()).not.toContain('by now');
});

test.each<[token: string, setup: Partial<SeedToken>, ending: string, lookUps: number]>([
  ['a superuser', { superuser: true }, 'done', 1],
  ['may view them', {}, 'done', 2],
  ['may view others only', { rights: { view_invitations: ['other'] } }, 'incomplete', 2],
])(
  'new records whose names are not unique are looked up once for each kind, if the token is limited: %s',
  async (_, setup, ending, lookUps) => {
    const world = new World({ tokens: [{ token: 'sandbox-token', ...setup }] });
    const text = 'version: 1\ninvitations: [{ name: spring }, { name: autumn }]\n';
    const { context, stdout } = world.run(text);
    const command = { output: 'json', yes: true, concurrency: '1' } as const;
    expect(await apply(['m.yaml'], command, context)).toBe(ending);
    const report = parseJson(stdout());
    expect(schemaErrors('apply', report)).toEqual([]);
    const hidden = { doubt: 'hidden', diagnostics: [{ code: 'perhaps-hidden', severity: 'error' }] };
    const outcome = { outcome: 'created', ...(ending === 'incomplete' && hidden) };
    expect(report).toMatchObject({ outcomes: [outcome, outcome] });
    expect(stdout().includes('perhaps-hidden')).toBe(ending === 'incomplete');
    const after = world.requests.slice(world.requests.findIndex(({ method }) => method === 'POST'));
    expect(after.filter(({ method, path }) => method === 'GET' && path.includes('invitation'))).toHaveLength(
      lookUps,
    );
  },
);

test.each([
  ['was refused', 'POST', answered(400, { name: ['wrong'] }), 'incomplete'],
  ['cannot be looked up', 'GET', answered(403, { detail: 'denied' }), 'done'],
])('a new record that %s does not count as hidden', async (_, refused, refusal, expected) => {
  const world = new World({ tokens: [{ token: 'sandbox-token' }] });
  let isSent = false;
  world.tamper = ({ method, path }, answer) => {
    isSent ||= method === 'POST';
    return isSent && method === refused && path.includes('invitation') ? refusal : answer();
  };
  const { context, stdout } = world.run('version: 1\ninvitations: [{ name: spring }]\n');
  expect(await apply(['m.yaml'], { output: 'json', yes: true }, context)).toBe(expected);
  expect(stdout()).not.toContain('hidden');
});

test('a hidden record is no reason to run the same apply again', async () => {
  const world = new World({ tokens: [{ token: 'sandbox-token', rights: { view_invitations: ['other'] } }] });
  world.tamper = ({ method, body }, answer) =>
    method === 'POST' && body?.includes('autumn') ? answered(400, { name: ['wrong'] }) : answer();
  const { context, stdout } = world.run('version: 1\ninvitations: [{ name: spring }, { name: autumn }]\n');
  expect(await apply(['m.yaml'], { output: 'text', yes: true }, context)).toBe('incomplete');
  expect(stdout()).toContain('created, but hidden from this token');
  expect(stdout()).not.toMatch(/same apply again|then run|Check these resources/);
});
