import { expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/base/json.ts';
import { kindOf } from '../../src/kinds/all.ts';
import { familyOf } from '../../src/kinds/families.ts';
import {
  factKey,
  inheritGrants,
  inheritingFields,
  referenceFactsOf,
  referenceFactsWithin,
} from '../../src/kinds/reference-facts.ts';
import { readReferenceFacts, type ReferenceReading } from '../../src/observe/read-reference-facts.ts';
import type { Observation } from '../../src/observe/observation.ts';
import { Client } from '../../src/service/client.ts';
import { createPacing } from '../../src/service/pacing.ts';
import type { Exchange } from '../../src/service/transport.ts';
import { desired } from '../support/desired.ts';
import { pageOf } from '../support/listing-service.ts';
import { answered } from '../support/scripted-transport.ts';
import { virtualClock } from '../support/virtual-clock.ts';

interface World {
  readonly content: JsonObject;
  /** The ids of existing providers. */
  readonly held?: readonly number[];
  readonly isSuperuser?: boolean;
  /** Whether reads of single providers are denied. */
  readonly isDenied?: boolean;
  /** The observation of each declared resource, by default that it is absent. */
  readonly seen?: Observation;
}

const applications = (...providers: number[]): JsonObject => ({
  applications: providers.map((provider, index) => ({ slug: `a${index}`, name: 'A', provider })),
});
const range = (from: number, count: number): number[] => Array.from({ length: count }, (_, at) => from + at);

async function reading({
  content,
  held = [],
  isSuperuser = true,
  isDenied = false,
  seen = { presence: 'absent' },
}: World): Promise<Pick<ReferenceReading, 'missing'> & ReferenceReading['known'] & { asked: string[] }> {
  const resources = await desired(JSON.stringify({ version: 1, ...content }));
  const asked: string[] = [];
  const recordOf = (pk: number): JsonObject => ({
    pk,
    name: `P${pk}`,
    assigned_application_slug: `of-${pk}`,
  });
  const client = new Client(async ({ path }): Promise<Exchange> => {
    const { pathname, searchParams } = new URL(path, 'http://localhost');
    if (pathname.endsWith('/me/')) return answered(200, { user: { pk: 1, is_superuser: isSuperuser } });
    asked.push(pathname.replace('/api/v3/', ''));
    const number = searchParams.get('page');
    if (number !== null) return pageOf(held.map(recordOf), Number(number), 100);
    const id = pathname.split('/').at(-2) ?? '';
    if (isDenied) return answered(403, { detail: 'denied' });
    return held.includes(Number(id))
      ? answered(200, recordOf(Number(id)))
      : answered(404, { detail: 'None.' });
  });
  const pacing = createPacing({ clock: virtualClock(), concurrency: 1, random: () => 0 });
  const observed = new Map(resources.map(({ address }) => [address, seen]));
  const known = { received: recordOf(0), shown: recordOf(0) };
  const records = new Map([[familyOf('providers'), [known]]]);
  const read = await readReferenceFacts({ resources, records }, observed, { client, pacing });
  return { missing: read.missing, ...read.known, asked };
}

test.each<[string, World, { missing?: string[]; unseen?: JsonObject; asked?: number; facts?: number }]>([
  ['an existing id', { content: applications(1), held: [1] }, { asked: 1, facts: 2 }],
  ['a missing id', { content: applications(1) }, { missing: ['a0 1'] }],
  [
    'an id that other tokens may not see',
    { content: applications(1), isSuperuser: false },
    { unseen: { providers: { count: 1 } } },
  ],
  [
    'an id in an entry that may be new',
    { content: applications(1), seen: { presence: 'unknown' } },
    { missing: ['a0 1'] },
  ],
  [
    'no id in an entry whose name several records have',
    { content: applications(1), seen: { presence: 'unknown', ids: ['1', '2'] } },
    { asked: 0 },
  ],
  [
    'no id in an entry that may have been renamed',
    { content: applications(1), seen: { presence: 'unknown', torn: 'unseen' } },
    { asked: 0 },
  ],
  [
    'ids that the token may not read',
    { content: applications(1, 2, 3), isDenied: true },
    { unseen: { providers: { count: 3, unread: { why: 'denied', status: 403 } } }, asked: 1 },
  ],
  [
    'many ids by reading pages of a list',
    { content: applications(...range(1, 20), 999), held: range(1, 250), isSuperuser: false },
    { unseen: { providers: { count: 1 } }, asked: 4, facts: 21 },
  ],
  [
    'sixteen ids one by one rather than by reading two further pages',
    { content: applications(...range(1, 16)), held: range(1, 250) },
    { asked: 17, facts: 17 },
  ],
  [
    'eight ids without reading the first page of a list',
    { content: applications(...range(1, 8)), held: range(1, 250) },
    { asked: 8, facts: 9 },
  ],
  [
    'no id in an entry that declares a record absent',
    { content: { rac_endpoints: [{ provider: 7, name: 'e', state: 'absent' }] } },
    { asked: 0 },
  ],
  [
    'few ids without reading pages of a list',
    { content: applications(...range(1, 9)), held: range(1, 250) },
    { asked: 10, facts: 10 },
  ],
  [
    'an id in two spellings',
    {
      content: {
        users: ['0A0A0A0A-0000-4000-8000-000000000000', '0a0a0a0a000040008000000000000000'].map(
          (group, index) => ({
            username: `u${index}`,
            name: 'U',
            groups: [group],
          }),
        ),
      },
    },
    { missing: ['u0 0A0A0A0A-0000-4000-8000-000000000000', 'u1 0a0a0a0a000040008000000000000000'], asked: 1 },
  ],
  [
    'without look-ups an id of a kind that the service cannot look up by id',
    {
      content: {
        providers: [{ name: 'p', type: 'rac', authorization_flow: '00000000-0000-4000-8000-000000000000' }],
      },
    },
    { asked: 0 },
  ],
])('a plan checks %s', async (_, world, { missing = [], unseen = {}, asked = 1, facts = 1 }) => {
  const read = await reading(world);
  expect(read.missing.map(({ resource, declared }) => `${resource.name} ${declared.name}`)).toEqual(missing);
  expect(read.unseenIds).toEqual(unseen);
  expect(read.asked).toHaveLength(asked);
  expect(read.facts.size).toBe(facts);
});

test.each<[child: JsonValue, parents: readonly JsonValue[], JsonValue]>([
  [null, [true], true],
  [true, [null], true],
  [null, [true, null], true],
])('a group with the grant %j, and parents with the grants %j, has the grant %j', (child, parents, grant) => {
  for (const inheriting of inheritingFields(familyOf('groups'))) {
    const key = (id: string): string => factKey(inheriting.kind, inheriting.field, id);
    const ids = parents.map((_, index) => `parent ${index}`);
    const facts = new Map([
      [key('child'), child],
      ...parents.map((of, index) => [key(`parent ${index}`), of] as const),
    ]);
    inheritGrants(facts, inheriting, [['child', ids]]);
    expect(facts.get(key('child'))).toBe(grant);
  }
});

test.each<[slug: JsonValue, shown: JsonValue, isFact: boolean]>([
  ['wiki', 'wiki', true],
  [true, true, true],
  ['', '', false],
  [null, null, false],
  ['wiki', '(hidden)', false],
])('a provider that belongs to %j, shown as %j, is a known owner: %j', (slug, shown, isFact) => {
  const related = familyOf('providers');
  const facts = referenceFactsOf(
    related,
    { pk: 1, assigned_application_slug: slug },
    { pk: 1, assigned_application_slug: shown },
  );
  expect(facts.map(([, value]) => value)).toEqual(isFact ? [slug] : []);
  expect(referenceFactsOf(related, { assigned_application_slug: slug }, {})).toEqual([]);
});

test.each([
  ['wiki', []],
  ['other', ['wiki']],
])(
  'that the provider of the application %s belongs to wiki is a fact unless they are the same',
  (slug, values) => {
    const record = { pk: 'a', slug, provider_obj: { pk: 1, assigned_application_slug: 'wiki' } };
    expect(referenceFactsWithin(kindOf('application'), record, record).map(([, value]) => value)).toEqual(
      values,
    );
  },
);
