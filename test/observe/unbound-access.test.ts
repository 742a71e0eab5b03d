import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import type { UnboundStates } from '../../src/kinds/children.ts';
import { readRelease } from '../../src/kinds/release.ts';
import type { Observation } from '../../src/observe/observation.ts';
import { isUnbound, readUnboundAccess } from '../../src/observe/unbound-access.ts';
import { Client } from '../../src/service/client.ts';
import { createPacing } from '../../src/service/pacing.ts';
import { desired } from '../support/desired.ts';
import { answered } from '../support/scripted-transport.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const absent: Observation = { presence: 'absent' };
const unknown: Observation = { presence: 'unknown' };
const present: Observation = { presence: 'present', held: { pk: '1', fields: {} } };
const group = '11111111-1111-4111-8111-111111111111';
const everyone = 'applications: [{ slug: a, name: A, access: everyone }]';

test.each([
  ['is open to everyone', everyone, absent, true],
  ['names a group', `applications: [{ slug: a, name: A, access: { groups: ['${group}'] } }]`, absent, false],
  [
    'names a group, but has no binding yet',
    `applications: [{ slug: a, name: A, access: { groups: ['${group}'] } }]`,
    present,
    true,
  ],
  ['is new and declares no access', 'applications: [{ slug: a, name: A }]', absent, true],
  ['exists and declares no access', 'applications: [{ slug: a, name: A }]', present, false],
  ['may be new and declares no access', 'applications: [{ slug: a, name: A }]', unknown, false],
  ['is to be deleted', 'applications: [{ slug: a, state: absent }]', absent, false],
  ['is of another kind', 'groups: [{ name: a }]', absent, false],
])('whether an application that %s counts as without bindings', async (_, text, observation, expected) => {
  const [resource] = await desired(`version: 1\n${text}\n`);
  expect(resource && isUnbound(resource, observation)).toBe(expected);
});

/** The states for an entry, with this flag in the service, and the number of requests. */
async function statesOf(
  text: string,
  release: string,
  flags: JsonObject,
  observation = absent,
): Promise<UnboundStates & { readonly requests: number }> {
  const resources = await desired(`version: 1\n${text}\n`);
  let requests = 0;
  const client = new Client(async () => {
    requests += 1;
    return answered(200, { pk: 'service', name: 'service', flags });
  });
  const pacing = createPacing({ concurrency: 1, clock: virtualClock(), random: () => 0 });
  const observed = new Map(resources.map(({ address }) => [address, observation]));
  const context = { client, pacing, mayDelete: true };
  return { ...(await readUnboundAccess(resources, observed, readRelease(release), context)), requests };
}

const off = { core_default_app_access: false };
const oldGroup = 'groups: [{ name: g, state: absent }]';

test.each([
  ['open if the flag is on', everyone, '2026.8', { core_default_app_access: true }, absent, 'open', 1],
  ['open if the service does not show the flag', everyone, '2026.8', {}, absent, 'open', 1],
  ['closed if the flag is off', everyone, '2026.8', off, absent, 'closed', 1],
  ['unknown if the flag is off in an unknown release', everyone, '', off, absent, 'unknown', 1],
  ['open in a release without the flag', everyone, '2025.12', off, absent, 'open', 0],
  ['closed, if a group is deleted', oldGroup, '2026.8', off, present, 'closed', 1],
  ['not read if a group is already gone', oldGroup, '2026.8', off, absent, 'unknown', 0],
])('an application without bindings is %s', async (_, text, release, flags, observation, state, requests) => {
  const found = await statesOf(text, release, flags, observation);
  expect(found).toEqual({ before: state, after: state, requests });
});
