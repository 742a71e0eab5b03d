import { describe, expect, test } from 'vitest';
import { unusedSlug } from '../../src/service/probe.ts';
import { textOf, type JsonObject } from '../../src/base/json.ts';
import { apply } from '../../src/commands/apply.ts';
import { plan } from '../../src/commands/plan.ts';
import type { Exchange, HttpRequest, Transport } from '../../src/service/transport.ts';
import { capture, type Captured } from '../support/run.ts';
import { answered } from '../support/scripted-transport.ts';
import { virtualClock } from '../support/virtual-clock.ts';
import { pageOf } from '../support/listing-service.ts';
import { done } from '../support/manifest-run.ts';

/** A service with these users. The token sees only some of them. Its answers to creates can be replaced. */
function userService(
  held: Readonly<Record<string, JsonObject>>,
  {
    sees = () => true,
    onCreate,
  }: { sees?: (name: string) => boolean; onCreate?: (user: JsonObject) => Exchange } = {},
): { send: Transport; requests: HttpRequest[]; users: Map<string, JsonObject> } {
  const users = new Map(Object.entries(held));
  const requests: HttpRequest[] = [];
  const send: Transport = async (request) => {
    requests.push(request);
    if (request.method === 'POST') {
      const user = JSON.parse(request.body ?? '') as JsonObject; // rollcall creates with a JSON object
      const name = textOf(user['username']);
      if (users.has(name)) return answered(400, { username: ['This field must be unique.'] });
      const exchange = onCreate?.(user) ?? answered(201, { pk: 9, ...user });
      if (!users.has(name)) users.set(name, user);
      return exchange;
    }
    const name = new URL(request.path, 'http://any').searchParams.get('username') ?? '';
    const found = sees(name) ? users.get(name) : undefined;
    const results = found ? [{ pk: 7, username: name, ...found }] : [];
    return pageOf(results, 1, 20);
  };
  return { send, requests, users };
}

function setup(users: string, transport: Transport): Captured {
  return capture({
    files: { 'm.yaml': `version: 1\nusers:\n${users}` },
    url: 'http://127.0.0.1:9',
    clock: virtualClock(),
    transport,
  });
}

const alice =
  '  - { username: alice, name: Alice, groups: ["11111111111141118111111111111111"], at_least: [groups] }\n';
const held = {
  name: 'Alice',
  groups: ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'],
};

describe('a plan that may look up users', () => {
  test('shows differences key by key, for declared keys only', async () => {
    const { send } = userService({
      alice: { ...held, attributes: { dept: 'sales', private: 'x', a: { b: 1, c: 2 } } },
    });
    const { context, stdout } = setup(
      '  - { username: alice, name: Al, attributes: { dept: legal, a: { b: 1, d: 3 }, "odd key": 1 } }\n',
      send,
    );
    await plan(['m.yaml'], { output: 'text' }, context);
    expect(stdout()).toContain(
      [
        '      name',
        '        observed  "Alice"',
        '        declared  "Al"',
        '      attributes.dept',
        '        observed  "sales"',
        '        declared  "legal"',
        '      attributes.a.d',
        '        observed  (none)',
        '        declared  3',
        '      attributes["odd key"]',
        '        observed  (none)',
        '        declared  1',
      ].join('\n'),
    );
    expect(stdout()).not.toContain('private');
  });

  test('compares the whole value if the entry has `exactly`', async () => {
    const { send } = userService({ alice: { ...held, attributes: { dept: 'legal', extra: true } } });
    const { context, stdout } = setup(
      '  - username: alice\n    name: Alice\n    groups: [11111111-1111-4111-8111-111111111111]\n    attributes: { dept: legal }\n    exactly: [attributes]\n',
      send,
    );
    await plan(['m.yaml'], { output: 'text' }, context);
    expect(stdout()).toContain('22222222-2222-4222-8222-222222222222');
    expect(stdout()).toContain('attributes.extra\n        observed  true\n        declared  (not declared)');
  });
});

describe('an apply that may look up users', () => {
  const options = { output: 'json', yes: true } as const;

  test('creates missing users, without sending the fields that only rollcall uses', async () => {
    const { send, requests } = userService({});
    const { context, stdout } = setup('  - { username: bob, name: Bob, groups: [] }\n', send);
    expect(await apply(['m.yaml'], options, context)).toBe('done');
    expect(JSON.parse(requests.at(-1)?.body ?? '')).toEqual({ username: 'bob', name: 'Bob', groups: [] });
    expect(JSON.parse(stdout())).toMatchObject({ summary: { created: 1 } });
  });

  test('ends in conflict, not as existing, if the token cannot see the user with the name', async () => {
    const { send } = userService({ alice: held }, { sees: () => false });
    const { context, stdout } = setup(alice, send);
    expect(await apply(['m.yaml'], options, context)).toBe('incomplete');
    expect(JSON.parse(stdout())).toMatchObject({
      outcomes: [
        {
          outcome: 'conflict',
          diagnostics: [{ detail: /use a token that may view what has this name/ }],
        },
      ],
    });
  });
});

describe('users that cannot be looked up', () => {
  const me = answered(200, { user: { pk: 1, username: 'me', is_superuser: false } });
  const roll = `${alice}  - { username: bob, name: Bob }\n`;

  /** Runs on a service with these answers to look-ups of users and to users/me. */
  async function run(
    command: 'plan' | 'apply',
    says: Exchange,
    self: Exchange = me,
  ): Promise<{ ending: string; out: string; requests: HttpRequest[] }> {
    const { send, requests } = userService({ alice: held });
    const { context, stdout, stderr } = setup(roll, async (request, signal) => {
      const exchange = await send(request, signal);
      if (request.path.endsWith('/users/me/')) return self;
      if (request.path.includes(unusedSlug))
        return self === me ? answered(404, { detail: 'Not found.' }) : self;
      return request.path.includes('username=') ? says : exchange;
    });
    const options = { output: 'text', yes: true, detailedExitcode: true } as const;
    const ending = await { plan, apply }[command](['m.yaml'], options, context);
    return { ending, out: stdout() + stderr(), requests };
  }

  test.each([
    ['403', answered(403, { detail: 'no' }), 'The token may not view users'],
    ['404 in JSON', answered(404, { detail: 'Not found.' }), 'The service does not offer to look up users'],
    ['405 in JSON', answered(405, { detail: 'no' }), 'The service does not offer to look up users'],
    ['401', answered(401, { detail: 'no' }), 'The token may not view users (401)'],
    ['404 in HTML', answered(404, '<html>'), 'The service does not offer to look up users (404)'],
    ['500', answered(500), 'The look-up of users failed (500)'],
    ['501', answered(501), 'The service does not offer to look up users'],
  ])(
    'are shown with a question mark by the plan, and created if absent, after a %s',
    async (_, says, why) => {
      const planned = await run('plan', says);
      expect(planned.ending).toBe('changes');
      expect(planned.out).toContain(why);
      expect(planned.out.match(/^ {2}\? user\./gm)).toHaveLength(2);
      const { out, requests } = await done(run('apply', says));
      expect(out).toContain('1 created, 1 there already (not compared).');
      expect(requests.filter(({ path }) => path.includes('username='))).not.toHaveLength(0);
    },
  );

  test.each([
    [
      'the service refuses the token',
      answered(403, { detail: 'no' }),
      answered(403, { detail: 'no' }),
      'denied',
    ],
  ])('end the plan if %s', async (_, says, self, ending) => {
    const planned = await run('plan', says, self);
    expect(planned.ending).toBe(ending);
    expect(planned.out).not.toContain('?');
  });
});
