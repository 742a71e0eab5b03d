import { describe, expect, test } from 'vitest';
import { apply } from '../../src/commands/apply.ts';
import { doctor } from '../../src/commands/doctor.ts';
import { exportManifests } from '../../src/commands/export.ts';
import { plan } from '../../src/commands/plan.ts';
import { kinds } from '../../src/kinds/all.ts';
import { knownReleases } from '../../src/kinds/release.ts';
import { capture, type Captured } from '../support/run.ts';
import { sandboxTransport } from '../support/sandbox-requests.ts';
import { differences } from './differences.ts';
import { factsOf, type Fact, type Facts } from './facts.ts';
import { askedBy } from './requests.ts';
import { inFull, someOf } from '../support/effort.ts';

const lines = [...factsOf.keys()];
const newest = lines.at(-1) ?? '';

test('the newest release that rollcall knows is one whose API was read', () => {
  expect(knownReleases.at(-1)?.line).toBe(newest);
});

test.each(someOf(lines, 3))('of release %s rollcall says what its API says', async (line) => {
  expect(await differences(line, factsOf.get(line) ?? new Map())).toEqual([]);
});

/** The facts of the newest release, with another one in place. */
function planted(key: string, fact: Fact | undefined): Facts {
  const facts = new Map(factsOf.get(newest));
  if (fact === undefined) facts.delete(key);
  else facts.set(key, fact);
  return facts;
}

describe('a difference is reported with the row to write:', () => {
  test.runIf(inFull).each<[what: string, key: string, fact: Fact | undefined, said: RegExp]>([
    [
      'a field that is new',
      'UserRequest.title',
      { type: 'string' },
      /user\.title can be sent.*since: '2026\.8', into src\/kinds\/user\.ts/,
    ],
    [
      'a field that is gone',
      'ApplicationRequest.group',
      undefined,
      /application\.group cannot be sent\. Correct since/,
    ],
    ['a field that is read only', 'User.path', { type: 'string', readOnly: true }, /user\.path is read only/],
    [
      'a field that no record shows',
      'Application.meta_hide',
      undefined,
      /application\.meta_hide is not in the record/,
    ],
    [
      'a longest text',
      'UserRequest.username',
      { type: 'string', required: true, limits: { minLength: 1, maxLength: 100 } },
      /user\.username does not take .* of 101/,
    ],
    [
      'a pattern',
      'ApplicationRequest.slug',
      { type: 'string', required: true, limits: { minLength: 1, pattern: '^[a-z.]+$' } },
      /application\.slug takes "a\.b" of 3/,
    ],
    [
      'a text that may be empty',
      'ApplicationRequest.name',
      { type: 'string', required: true },
      /application\.name takes "" of 0/,
    ],
    [
      'a value of an enum',
      'UserRequest.type',
      { type: 'enum', values: ['internal', 'robot'] },
      /user\.type is one of internal, robot, and not of/,
    ],
    [
      'another type',
      'ApplicationRequest.open_in_new_tab',
      { type: 'string' },
      /application\.open_in_new_tab is a string, and not boolean/,
    ],
    [
      'a null',
      'UserRequest.email',
      { type: 'string', nullable: true, limits: { maxLength: 254, format: 'email' } },
      /user\.email can be null/,
    ],
    [
      'a field that is required',
      'UserRequest.path',
      { type: 'string', required: true, limits: { minLength: 1 } },
      /user\.path is required\. Require it/,
    ],
    [
      'a field that need not be there',
      'ApplicationRequest.name',
      { type: 'string', limits: { minLength: 1 } },
      /application\.name is not required/,
    ],
    ['a path that is gone', 'PATCH /core/users/{id}/', undefined, /there is no PATCH .*users/],
    [
      'a path that a slug can have',
      'GET /core/applications/accessible/',
      {},
      /the slug accessible is a path of the API/,
    ],
    [
      'a parameter that is gone',
      'GET /core/applications/ ?superuser_full_list',
      undefined,
      /does not know \?superuser_full_list\. Write a row/,
    ],
    [
      'a field of bindings that is gone',
      'PolicyBindingRequest.group',
      undefined,
      /there is no PolicyBindingRequest\.group\. Correct access/,
    ],
    [
      'a field of bindings that is not answered',
      'PolicyBinding.negate',
      undefined,
      /there is no PolicyBinding\.negate\. Correct access/,
    ],
    [
      'a path of bindings that is gone',
      'DELETE /policies/bindings/{policy_binding_uuid}/',
      undefined,
      /there is no DELETE .*bindings/,
    ],
    [
      'a parameter of bindings that is gone',
      'GET /policies/bindings/ ?target_in',
      undefined,
      /does not know \?target_in\. Write a row/,
    ],
  ])('%s', async (_, key, fact, said) => {
    const found = await differences(newest, planted(key, fact));
    expect(found).toEqual([expect.stringMatching(said), ...found.slice(1)]);
  });

  test('a parameter that is there earlier than its row says', async () => {
    const earliest = new Map([
      ...(factsOf.get('2023.10') ?? []),
      ['GET /core/users/ ?include_groups', {}] as const,
    ]);
    expect(await differences('2023.10', earliest)).toEqual([expect.stringMatching(/knows \?include_groups/)]);
  });
});

test('a run asks for nothing but what the API has, with parameters that it knows', async () => {
  const { send, requests } = sandboxTransport({
    applications: [{ slug: 'wiki', name: 'Wiki' }],
    bindings: [{ application: 'wiki', group: 'contractors' }],
    users: Array.from({ length: 30 }, (_, index) => ({ username: `u${index}`, name: 'U' })),
  });
  const manifest = {
    version: 1,
    applications: [
      { slug: 'new', name: 'New', provider: { name: 'Provider 2' }, access: { users: [{ name: 'u1' }] } },
      { slug: 'wiki', name: 'Wiki', access: { groups: [{ name: 'staff' }] } },
    ],
    users: Array.from({ length: 30 }, (_, index) => ({
      username: `u${index + 5}`,
      name: 'U',
      ...(index < 2 && { groups: [{ name: 'staff' }] }),
    })),
  };
  const files = { 'm.yaml': JSON.stringify(manifest) };
  const context = (): Captured['context'] =>
    capture({
      url: 'https://id.example.com',
      transport: send,
      files,
      env: { ROLLCALL_CAPABILITIES: 'update' },
    }).context;
  await apply(['m.yaml'], { output: 'text', yes: true, allow: ['update'] }, context());
  await plan(['m.yaml'], { output: 'text' }, context());
  await exportManifests({ output: 'yaml', ids: false }, context());
  await doctor({ output: 'text' }, context());
  const facts = factsOf.get(newest) ?? new Map<string, Fact>();
  const isFormer = (path: string): boolean => kinds.some(({ was }) => was && path.startsWith(was.path));
  const unknown = requests.flatMap(({ method, path }) => {
    if (isFormer(path)) return [];
    const { operation, parameters } = askedBy(method === 'OPTIONS' ? 'POST' : method, path, facts) ?? {};
    if (operation === undefined) return [`${method} ${path}`];
    return (parameters ?? []).flatMap((name) =>
      facts.has(`${operation} ?${name}`) ? [] : [`${operation} ?${name}`],
    );
  });
  expect(unknown).toEqual([]);
  const methods = ['GET', 'POST', 'PATCH', 'DELETE', 'OPTIONS'];
  expect(new Set(requests.map(({ method }) => method))).toEqual(new Set(methods));
});
