import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { isJsonList, isJsonObject, parseJson, type JsonObject, type JsonValue } from '../../src/base/json.ts';
import { canonical } from '../../src/plan/canonical.ts';
import { changedSince } from '../../src/plan/saved/staleness.ts';
import { makePlan } from '../../src/plan/make-plan.ts';
import type { Address } from '../../src/base/diagnostic.ts';
import type { Resource } from '../../src/kinds/resource.ts';
import type { ObservedState } from '../../src/observe/observation.ts';
import type { Plan } from '../../src/plan/plan.ts';
import { readSavedPlan } from '../../src/plan/saved/read.ts';
import { contentDigest, savedPlan, type SavedPlan } from '../../src/plan/saved/document.ts';
import { jsonText } from '../../src/report/formats/json.ts';
import { desired } from '../support/desired.ts';
import { times } from '../support/effort.ts';
import { observedIn, type Existing } from '../support/plan-of.ts';
import { schemaErrors } from '../support/schemas.ts';

const manifest = [
  'version: 1',
  'applications:',
  '  - { slug: wiki, name: Wiki, backchannel_providers: [3, 1, 2], group: "${env:GROUP}" }',
  '  - { slug: new, name: New, meta_description: "\\u2028 ##[x] \\t", meta_publisher: "by ${env:EMPTY}" }',
  'users:',
  '  - { username: alice, name: A, attributes: { "a/b": { "c~d": [1.5, true, "${env:GROUP}"] }, "10": 1, "9": null } }',
].join('\n');

const existing: Existing = {
  wiki: { slug: 'wiki', name: 'Old', backchannel_providers: [1, 2, 3], group: 'held-SECRET' },
};

async function planned(
  held: Existing = existing,
  env = { GROUP: 'declared-SECRET', EMPTY: '' },
): Promise<[Plan, ObservedState]> {
  const resources = await desired(manifest, env);
  const observed = observedIn(resources, held);
  const plan = makePlan(resources, observed, {
    toolVersion: '1.2.3',
    createdAt: new Date('2026-01-01T00:00:00Z'),
    permission: 'none',
    service: 'https://id.example.com',
  });
  return [plan, observed];
}

let saved: SavedPlan;
let text: string;
beforeAll(async () => {
  saved = savedPlan(...(await planned()));
  text = jsonText(saved);
});

/** The document with something changed in it, and a digest that says that nothing was. */
function resealed(change: (document: Record<string, JsonValue>) => void): string {
  const document = { ...(parseJson(text) as JsonObject) }; // an object, as it was written
  change(document);
  const { digest: _, ...content } = document;
  // Its digest is over whatever it holds.
  return JSON.stringify({ ...content, digest: contentDigest(content as unknown as SavedPlan) });
}

describe('a saved plan', () => {
  test('is read as it was written, and satisfies the schema', () => {
    expect(readSavedPlan(text)).toEqual({ kind: 'plan', plan: saved });
    expect(schemaErrors('plan', parseJson(text))).toEqual([]);
  });

  test('is read whatever the order of its keys, and however it is indented', () => {
    const reversed = (value: JsonValue): JsonValue => {
      if (isJsonList(value)) return value.map((item) => reversed(item));
      if (!isJsonObject(value)) return value;
      return Object.fromEntries(
        Object.entries(value)
          .toReversed()
          .map(([key, inner]) => [key, reversed(inner)]),
      );
    };
    expect(readSavedPlan(JSON.stringify(reversed(parseJson(text) ?? null))).kind).toBe('plan');
  });

  test('holds the references, and of the secrets nothing but digests', () => {
    expect(text).not.toMatch(/SECRET/);
    expect(saved.saved['user.alice']?.references).toEqual({ '/attributes/a~1b/c~0d/2': [{ env: 'GROUP' }] });
    expect(saved.saved['application.new']?.references).toEqual({
      '/meta_publisher': ['by ', { env: 'EMPTY' }],
    });
    expect(saved.saved['application.wiki']?.declared_digest).toMatch(/^scrypt:/);
    expect(saved.saved['application.wiki']?.observed_digest).toMatch(/^scrypt:/);
    expect(saved.saved['application.new']).not.toHaveProperty('observed_digest');
  });

  test('with any value of it altered, replaced or taken away is not read as a plan', () => {
    const document = parseJson(text) ?? null;
    let tried = 0;
    for (const altered of alterations(document)) {
      tried += 1;
      expect(readSavedPlan(JSON.stringify(altered)).kind, JSON.stringify(altered)).not.toBe('plan');
    }
    expect(tried).toBeGreaterThan(500);
  });

  test('with any of its characters altered, or cut short, is not read as another plan', () => {
    fc.assert(
      fc.property(fc.nat(text.length - 2), fc.string({ minLength: 1, maxLength: 1 }), (at, character) => {
        const flipped = text.slice(0, at) + character + text.slice(at + 1);
        const value = parseJson(flipped);
        const isTheSame = value !== undefined && canonical(value) === canonical(parseJson(text) ?? null);
        expect(readSavedPlan(flipped).kind === 'plan').toBe(isTheSame);
        expect(readSavedPlan(text.slice(0, at)).kind).toBe('no_plan');
      }),
      { numRuns: times({ short: 40, full: 1500 }) },
    );
  });

  test.each(['1.9', '1.10', '1.0'])(
    'of the format version %s is read, with all keys that it adds',
    (version) => {
      const newer = resealed((document) => {
        document['format_version'] = version;
        document['later'] = { any: ['thing', null] };
      });
      expect(readSavedPlan(newer)).toMatchObject({ kind: 'plan', plan: { format_version: version } });
    },
  );

  test.each(['2.0', '0.9', '10.0', '11.0', '1', 'x', ''])(
    'of the format version %j is not read',
    (version) => {
      const other = resealed((document) => {
        document['format_version'] = version;
      });
      expect(readSavedPlan(other).kind).toBe('refused');
    },
  );

  test.each([
    ['that is not JSON', 'Plan: 3 to add'],
    ['that is empty', ''],
    ['that is JSON of something else', '{"version":1}'],
    ['that is no object', '[]'],
    [
      'that is a plan without the parts that only a file has',
      JSON.stringify({ format_version: '1.0', resource_changes: [] }),
    ],
    [
      'that is nested beyond measure',
      `{"format_version":"1.0","resource_changes":${'['.repeat(50_000)}${']'.repeat(50_000)},"saved":{},"digest":""}`,
    ],
  ])('is not a file %s', (_, other) => {
    expect(readSavedPlan(other).kind).not.toBe('plan');
  });
});

describe('what has changed since', () => {
  test('is nothing when nothing has, or when ids stand in another order', async () => {
    expect(changedSince(saved, ...(await planned()))).toEqual([]);
    const reordered = { wiki: { ...existing['wiki'], backchannel_providers: [3, 2, 1] } };
    expect(changedSince(saved, ...(await planned(reordered)))).toEqual([]);
  });

  test.each<[string, Existing, { readonly address: Address; readonly staleness: object[] }]>([
    [
      'that an application appeared',
      { ...existing, new: { slug: 'new', name: 'New' } },
      { address: 'application.new', staleness: [{ kind: 'appeared' }] },
    ],
    ['that one vanished', {}, { address: 'application.wiki', staleness: [{ kind: 'vanished' }] }],
    [
      'that compared fields have other values, and which',
      { wiki: { ...existing['wiki'], name: 'Older', backchannel_providers: [1, 2] } },
      {
        address: 'application.wiki',
        staleness: [
          { kind: 'field', field: 'name', planned: 'Old', observed: 'Older' },
          { kind: 'field', field: 'backchannel_providers', planned: [1, 2, 3], observed: [1, 2] },
        ],
      },
    ],
    [
      'that a field is not shown any more',
      { wiki: { slug: 'wiki', backchannel_providers: [1, 2, 3], group: 'held-SECRET' } },
      {
        address: 'application.wiki',
        staleness: [{ kind: 'field', field: 'name', planned: 'Old', observed: null }],
      },
    ],
    [
      'that the service holds another secret, and not which',
      { wiki: { ...existing['wiki'], group: 'another' } },
      { address: 'application.wiki', staleness: [{ kind: 'sensitive', where: 'observed' }] },
    ],
  ])('is told: %s', async (_, held, expected) => {
    expect(changedSince(saved, ...(await planned(held)))).toEqual([
      {
        resource: expect.objectContaining({ address: expected.address }) as Resource,
        staleness: expected.staleness,
      },
    ]);
  });

  test('is not a field that nobody declares', async () => {
    const held = { wiki: { ...existing['wiki'], meta_publisher: 'somebody' } };
    expect(changedSince(saved, ...(await planned(held)))).toEqual([]);
  });

  test.each([
    [{ GROUP: 'other', EMPTY: '' }, ['application.wiki', 'user.alice']],
    [{ GROUP: 'declared-SECRET', EMPTY: 'full' }, ['application.new']],
  ])('is reported when the secrets are others: %j', async (env, addresses) => {
    const changes = changedSince(saved, ...(await planned(existing, env)));
    expect(changes.map(({ resource }) => resource.address)).toEqual(addresses);
    for (const { staleness } of changes)
      expect(staleness).toEqual([{ kind: 'sensitive', where: 'declared' }]);
  });
});

/** The document, each time with one value in it another, of another type, or gone. */
function* alterations(value: JsonValue): Generator<JsonValue> {
  if (typeof value === 'string') yield* [`${value} `, value.slice(1), 0];
  else if (typeof value === 'number') yield* [value + 1, String(value)];
  else if (typeof value === 'boolean') yield !value;
  else if (value === null) yield* [0, {}];
  else if (isJsonList(value)) {
    yield* [[...value, 0], null];
    for (const [index, item] of value.entries()) {
      yield value.toSpliced(index, 1);
      for (const altered of alterations(item)) yield value.with(index, altered);
    }
  } else if (isJsonObject(value)) {
    yield* [{ ...value, more: 0 }, null];
    for (const [key, inner] of Object.entries(value)) {
      const { [key]: _, ...others } = value;
      yield others;
      for (const altered of alterations(inner)) yield { ...value, [key]: altered };
    }
  }
}
