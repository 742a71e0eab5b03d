import { describe, expect, test } from 'vitest';
import { documentedClient } from '../support/documented-client.ts';
import { applyPlan } from '../../src/apply/apply-plan.ts';
import { isJsonObject } from '../../src/base/json.ts';
import { createPacing } from '../../src/service/pacing.ts';
import { desired } from '../support/desired.ts';
import { planOf } from '../support/plan-of.ts';
import { readRecordings, releases, type Recording } from '../support/recordings.ts';
import { answered } from '../support/scripted-transport.ts';
import { virtualClock } from '../support/virtual-clock.ts';

/** The creates of one type that a recording of any release answers with 201. */
function recordedCreates(
  type: 'application' | 'user',
): [name: string, recording: Recording, release: string][] {
  return releases.flatMap((release) =>
    readRecordings(release, `create-${type}`)
      .filter(({ request, response }) => response.status === 201 && isJsonObject(request.body))
      .map((recording): [string, Recording, string] => [`${release}: ${recording.name}`, recording, release]),
  );
}

/** Fields that no manifest can declare. In these recordings, the service ignores them. */
const undeclarable = new Set(['colour', 'pk', 'launch_url']);

describe.each(['application', 'user'] as const)('a recorded create of an %s', (type) => {
  test.each(recordedCreates(type))(
    'is reported without differences: %s',
    async (_, { request, response }, release) => {
      const body = isJsonObject(request.body) ? request.body : {};
      const entry = Object.fromEntries(Object.entries(body).filter(([field]) => !undeclarable.has(field)));
      const manifest = JSON.stringify({ version: 1, [`${type}s`]: [entry] });
      const resources = await desired(manifest, {}, release).catch((error: unknown) => String(error));
      // Some releases accept values that manifests may not contain.
      if (typeof resources === 'string') return expect(resources).toMatch(/wrong-type|not-in-release/);
      const clock = virtualClock();
      const outcomes = await applyPlan(await planOf(manifest, {}, {}, release), {
        client: documentedClient(async () => answered(201, response.body)),
        pacing: createPacing({ clock, random: () => 0, concurrency: 1 }),
        clock,
      });
      expect(outcomes).toMatchObject([{ outcome: 'created' }]);
      expect(outcomes[0]?.differences).toBeUndefined();
    },
  );
});

test('a create whose answer has no id is reported without an id', async () => {
  const clock = virtualClock();
  const body = { slug: 'wiki', name: 'Wiki' };
  const outcomes = await applyPlan(await planOf(JSON.stringify({ version: 1, applications: [body] })), {
    client: documentedClient(async () => answered(201, body)),
    pacing: createPacing({ clock, random: () => 0, concurrency: 1 }),
    clock,
  });
  expect(outcomes.map(({ outcome, pk }) => [outcome, pk])).toEqual([['created', undefined]]);
});

test.each([
  ['application', 'meta_icon', '{ slug: wiki, name: Wiki, meta_icon: "fa://fa-book" }'],
  ['user', 'roles', '{ username: alice, name: A, roles: [11111111-1111-4111-8111-111111111111] }'],
] as const)(
  'a create of an %s is reported without differences if the release does not show the field %s',
  async (type, field, entry) => {
    const recording = readRecordings('2023.10', `create-${type}`).find(
      ({ response }) => response.status === 201,
    );
    const name = type === 'application' ? { slug: 'wiki', name: 'Wiki' } : { username: 'alice', name: 'A' };
    const body = isJsonObject(recording?.response.body) ? { ...recording.response.body, ...name } : {};
    const clock = virtualClock();
    const outcomes = await applyPlan(await planOf(`{ version: 1, ${type}s: [${entry}] }`), {
      client: documentedClient(async () => answered(201, body)),
      pacing: createPacing({ clock, random: () => 0, concurrency: 1 }),
      clock,
    });
    expect(body).not.toHaveProperty(field === 'roles' ? 'roles' : 'none');
    expect(outcomes).toMatchObject([{ outcome: 'created' }]);
    expect(outcomes[0]?.differences).toBeUndefined();
  },
);
