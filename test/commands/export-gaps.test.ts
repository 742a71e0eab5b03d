import { expect, test } from 'vitest';
import { exportManifests } from '../../src/commands/export.ts';
import { plan } from '../../src/commands/plan.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { kinds } from '../../src/kinds/all.ts';
import type { Exchange } from '../../src/service/transport.ts';
import { capture } from '../support/run.ts';
import { answered } from '../support/scripted-transport.ts';
import { World } from '../support/update-world.ts';
import { smallestEntry } from '../support/written-type.ts';
import { someOf } from '../support/effort.ts';
import { otherClient } from '../support/other-client.ts';

const release = '2025.12';

/** The service has a record of each of these kinds. */
const paths: readonly string[] = [
  '/flows/instances/',
  '/stages/deny/',
  '/policies/dummy/',
  '/sources/plex/',
  '/core/brands/',
  '/events/transports/',
  '/rbac/roles/',
];

function world(): World {
  const made = new World({ is_fresh: true, tokens: [{ token: 'sandbox-token', superuser: true }] }, release);
  const create = (path: string, fields: JsonObject): void =>
    expect(otherClient(made.sandbox).create(path, fields)).toHaveProperty('record');
  for (const path of paths) {
    const kind = kinds.find((one) => one.path === `/api/v3${path}`);
    if (kind === undefined) throw new Error(`no kind has the path ${path}`);
    const { [kind.variant?.field ?? '']: _, ...fields } = smallestEntry(kind, 'mine', made.sandbox, release);
    create(path, fields);
  }
  for (let number = 100; number < 250; number += 1) create('/core/groups/', { name: `group-${number}` });
  return made;
}

const denied = answered(403, { detail: 'You do not have permission to perform this action.' });
const gone = answered(404, { detail: 'Not found.' });

/** A list that cannot be read, the gap that is reported for it, and an address that is missing because of it. */
const cases: readonly [name: string, path: string, answer: Exchange, said: RegExp, missing: string][] = [
  [
    'flows that it may not view',
    '/flows/instances/',
    denied,
    /not all flows could be read: .*403/,
    'flow.mine',
  ],
  [
    'one type of stages that it may not view',
    '/stages/deny/',
    denied,
    /not all stages could be read: .*403/,
    'stage.mine',
  ],
  ['roles that it may not view', '/rbac/roles/', denied, /not all roles could be read: .*403/, 'role.mine'],
  [
    'policies that the service does not offer',
    '/policies/dummy/',
    gone,
    /not all policies could be read: .*404/,
    'policy.mine',
  ],
  [
    'brands that the service does not offer',
    '/core/brands/',
    gone,
    /not all brands could be read: .*404/,
    'brand.mine',
  ],
  [
    'a second page that is broken',
    '/core/groups/?page=2',
    answered(500),
    /not all groups could be read: /,
    'group.group-249',
  ],
];

/** Whether a request reads a page of this list. */
function isFor(path: string, list: string): boolean {
  const [own = '', query = ''] = list.split('?');
  return (
    path.startsWith(`/api/v3${own}?`) && (query === '' || path.includes(`${query}&`) || path.endsWith(query))
  );
}

test.each(someOf(cases, 1))(
  'an export reports %s, writes everything else, and exits with 6',
  async (_, path, answer, said, missing) => {
    const { ending: whole, addresses: all } = await exported(world());
    expect(whole).toBe('done');
    expect(all).toContain(missing);
    const part = world();
    part.tamper = (request, usual) => (isFor(request.path, path) ? answer : usual());
    const { ending, addresses, stderr } = await exported(part);
    expect(ending).toBe('incomplete');
    expect(stderr.replaceAll(/\s+/g, ' ')).toMatch(said);
    expect(addresses).not.toContain(missing);
    const type = missing.slice(0, missing.indexOf('.'));
    const others = (list: readonly string[]): string[] => list.filter((one) => !one.startsWith(`${type}.`));
    // A field that was not read, or whose names were not read, does not count as changed.
    expect(others(addresses)).toEqual(others(all));
  },
);

async function exported(
  from: World,
): Promise<{ ending: string; addresses: readonly string[]; stderr: string }> {
  const { context, stdout, stderr } = capture({ url: 'http://127.0.0.1:9', transport: from.send });
  const ending = await exportManifests({ output: 'yaml', list: true }, context);
  return { ending, addresses: stdout().trim().split('\n'), stderr: stderr() };
}

test.each<[unread: string, said: string]>([
  ['/flows/bindings/', 'the `stages` of the flows could not be read'],
  ['/policies/bindings/', 'could not be read'],
  ['/flows/instances/', 'the names of flows could not be read'],
])('an export does not take unchanged defaults for changed ones if %s fails', async (unread, said) => {
  const made = world();
  made.tamper = (request, usual) => (isFor(request.path, unread) ? answered(500) : usual());
  const { context, stdout, stderr } = capture({ url: 'http://127.0.0.1:9', transport: made.send });
  expect(await exportManifests({ output: 'yaml' }, context)).toBe('incomplete');
  expect(stderr().replaceAll(/\s+/g, ' ')).toContain(said);
  expect(stdout()).not.toMatch(/(?:stages|policies): \[\]|default-|authentik-default/);
});

test('an export by a token that may view few types reports all other types in one message, with the reason', async () => {
  const few = world();
  few.tamper = ({ path }, usual) =>
    /\/(?:version|me|groups|users)\//.test(path) || !path.includes('page=') ? usual() : denied;
  const { context, stdout, stderr } = capture({ url: 'http://127.0.0.1:9', transport: few.send });
  expect(await exportManifests({ output: 'yaml' }, context)).toBe('incomplete');
  expect(stdout()).toContain('group-249');
  expect(stderr().match(/not all .* could be read/g)).toHaveLength(1);
  expect(stderr().replaceAll(/\s+/g, ' ')).toMatch(/not all certificates, roles, .* could be read/);
  const planned = few.run(stdout());
  expect(await plan(['m.yaml'], { output: 'text' }, planned.context)).toBe('done');
  expect(planned.stdout()).toContain('No changes.');
});

test('an export from a service that hangs asks a few more times, and then writes what it has', async () => {
  const hanging = world();
  const silence: Exchange = { kind: 'lost', error: new DOMException('too late', 'TimeoutError') };
  let asked = 0;
  hanging.tamper = ({ path }, usual) => {
    if (asked === 0 && !path.includes('/groups/')) return usual();
    return path.includes('page=1&') && asked === 0 ? usual() : ((asked += 1), silence);
  };
  const { context, stdout, stderr } = capture({ url: 'http://127.0.0.1:9', transport: hanging.send });
  expect(await exportManifests({ output: 'yaml' }, context)).toBe('incomplete');
  expect(stdout()).toContain('- name: group-100\n');
  // Five requests, and a last one that asks whether anything is answered.
  expect(asked).toBe(6);
  const said = stderr().replaceAll(/\s+/g, ' ');
  expect(said).toMatch(/not all groups and .* could be read: no complete answer came back: the time limit/);
  expect(said).toMatch(/not all .* were read: .* or the service .* did not answer several requests/);
  expect(stderr().match(/not all .* were read/g)).toHaveLength(1);
  expect(said).not.toContain('Trying again');
});

test('an export with a token that the service does not accept reports only that error', async () => {
  const made = world();
  made.tamper = (request) => made.handle(request, 'expired-token');
  const { context, stdout, stderr } = made.run('');
  expect(await exportManifests({ output: 'yaml' }, context)).toBe('denied');
  expect(stdout()).toBe('');
  expect(stderr().match(/error: .*/g)).toEqual([
    'error: the service does not accept the token (403) [service-denied]',
  ]);
  expect(stderr()).toMatch(/Nothing was written\. `rollcall doctor` checks the URL and the token\.\n$/);
});
