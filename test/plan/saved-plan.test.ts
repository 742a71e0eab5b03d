import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { planDocument, type ChangeDocument, type PlanDocument } from '../../src/plan/document.ts';
import { makePlan } from '../../src/plan/make-plan.ts';
import { parsePlan } from '../../src/plan/parse-document.ts';
import type { Plan } from '../../src/plan/plan.ts';
import { staleChanges } from '../../src/plan/staleness.ts';
import { jsonText } from '../../src/report/formats/json.ts';
import { desired } from '../support/desired.ts';
import { times } from '../support/effort.ts';
import { observedIn, type Existing } from '../support/plan-of.ts';

const manifest = [
  'version: 1',
  'applications:',
  '  - { slug: wiki, name: Wiki, backchannel_providers: [3, 1, 2], group: "${env:GROUP}" }',
  '  - { slug: new, name: New, meta_publisher: "by ${env:GROUP}" }',
].join('\n');

const existing: Existing = {
  wiki: { slug: 'wiki', name: 'Old', backchannel_providers: [1, 2, 3], group: 'held-SECRET' },
};

async function planned(held: Existing = existing, secret = 'declared-SECRET'): Promise<Plan> {
  const resources = await desired(manifest, { GROUP: secret });
  return makePlan(resources, observedIn(resources, held), {
    toolVersion: '1.2.3',
    createdAt: new Date('2026-01-01T00:00:00Z'),
    permission: 'none',
    service: 'https://id.example.com',
  });
}

/** The differences from a saved plan, by address. Somebody may have altered the plan. */
async function otherwise(
  held?: Existing,
  alter: (changes: ChangeDocument[]) => ChangeDocument[] = (changes) => changes,
): Promise<unknown[]> {
  const saved = planDocument(await planned());
  const document = { ...saved, resource_changes: alter([...saved.resource_changes]) };
  return staleChanges(document, await planned(held)).map(({ resource, staleness }) => [
    resource.address,
    ...staleness,
  ]);
}

describe('the text of a saved plan', () => {
  test('is read back as it was written, and contains no secret', async () => {
    const plan: PlanDocument = planDocument(await planned());
    expect(jsonText(plan)).not.toMatch(/SECRET/);
    expect(parsePlan(jsonText(plan))).toEqual({ kind: 'plan', plan });
  });

  test('is refused if truncated anywhere', async () => {
    const text = jsonText(planDocument(await planned())).trimEnd();
    fc.assert(
      fc.property(fc.nat(text.length - 1), (at) => {
        expect(parsePlan(text.slice(0, at)).kind).toBe('no_plan');
      }),
      { numRuns: times({ short: 10, full: 1000 }) },
    );
  });

  test.each(['1.9', '1.10', '1.0'])(
    'with the format version %s is read, even with an unknown field',
    async (version) => {
      const newer = { ...planDocument(await planned()), format_version: version, later: { any: [null] } };
      expect(parsePlan(JSON.stringify(newer)).kind).toBe('plan');
    },
  );

  test.each(['2.0', '0.9', '10.0', '11.0', 'x', ''])(
    'with the format version %j is refused',
    async (version) => {
      const other = { ...planDocument(await planned()), format_version: version };
      expect(parsePlan(JSON.stringify(other)).kind).toBe('refused');
    },
  );

  test('is refused with two entries of one address', async () => {
    const saved = planDocument(await planned());
    const text = jsonText({
      ...saved,
      resource_changes: [...saved.resource_changes, ...saved.resource_changes],
    });
    expect(parsePlan(text).kind).toBe('no_plan');
  });

  test.each(['Plan: 3 to add', '', '{"version":1}', '[]', '{"format_version":"1.0","resource_changes":[]}'])(
    'is refused if it is %j',
    (text) => {
      expect(parsePlan(text).kind).toBe('no_plan');
    },
  );
});

describe('a new plan', () => {
  test('equals the saved plan if nothing changed, ids have another order, or an undeclared field changed', async () => {
    expect(await otherwise()).toEqual([]);
    expect(
      await otherwise({
        wiki: { ...existing['wiki'], backchannel_providers: [3, 2, 1], meta_publisher: 'x' },
      }),
    ).toEqual([]);
  });

  test('equals a saved plan without ids, as earlier versions saved it', async () => {
    const withoutIds = (changes: ChangeDocument[]): ChangeDocument[] =>
      changes.map(({ pk: _pk, ...change }) => change);
    expect(await otherwise(existing, withoutIds)).toEqual([]);
  });

  test('equals the saved plan if only a masked secret changed', async () => {
    const saved = planDocument(await planned());
    expect(staleChanges(saved, await planned(existing, 'another-SECRET'))).toEqual([]);
  });

  test.each([true, false])(
    'differs from the saved plan if a masked secret differs in one of them, now: %s',
    async (differsNow) => {
      const held = { wiki: { ...existing['wiki'], group: 'declared-SECRET' } };
      const [inSync, rotated] = [await planned(held), await planned(held, 'another-SECRET')];
      const [saved, now] = differsNow ? [inSync, rotated] : [rotated, inSync];
      const found = staleChanges(planDocument(saved), now).map(({ staleness }) => staleness);
      expect(found).toEqual([[{ kind: 'difference', field: 'group', differsNow }]]);
    },
  );

  test('equals a saved plan that could not compare a masked secret, whether or not it differs', async () => {
    const withoutCompared = (changes: ChangeDocument[]): ChangeDocument[] =>
      changes.map(({ differences, ...change }) => ({
        ...change,
        differences: differences.filter(({ field }) => field !== 'group'),
        not_compared: ['group'],
      }));
    expect(await otherwise(existing, withoutCompared)).toEqual([]);
    const now = await planned();
    const changes = now.changes.map((change) => ({
      ...change,
      differences: change.differences.filter(({ field }) => field !== 'group'),
      notCompared: ['group'],
    }));
    expect(staleChanges(planDocument(await planned()), { ...now, changes })).toEqual([]);
  });

  test.each<[string, Existing, unknown[]]>([
    [
      'an application appeared',
      { ...existing, new: { slug: 'new', name: 'New' } },
      ['application.new', { kind: 'appeared' }],
    ],
    ['an application disappeared', {}, ['application.wiki', { kind: 'vanished' }]],
    [
      'compared fields have other values',
      { wiki: { ...existing['wiki'], name: 'Older', backchannel_providers: [1, 2] } },
      [
        'application.wiki',
        { kind: 'field', which: 'observed', field: 'name', planned: 'Old', now: 'Older' },
        { kind: 'field', which: 'observed', field: 'backchannel_providers', planned: [1, 2, 3], now: [1, 2] },
      ],
    ],
    [
      'a field is no longer shown',
      { wiki: { slug: 'wiki', backchannel_providers: [1, 2, 3], group: 'held-SECRET' } },
      [
        'application.wiki',
        { kind: 'field', which: 'observed', field: 'name', planned: 'Old', now: null },
        { kind: 'field', which: 'declared', field: 'name', planned: 'Wiki', now: null },
      ],
    ],
  ])('differs from the saved plan if %s', async (_, held, expected) => {
    expect(await otherwise(held)).toEqual([expected]);
  });

  const altered = (address: string, more: Partial<ChangeDocument>) => (changes: ChangeDocument[]) =>
    changes.map((change) => (change.address === address ? { ...change, ...more } : change));

  test.each<[string, Partial<ChangeDocument>, object]>([
    ['note', { remarks: ['x'] }, { kind: 'words', planned: ['x'], now: null }],
    ['reported access', { opens: ['everyone'] }, { kind: 'words', planned: ['everyone'], now: null }],
    [
      'name of an id',
      { names: { '/provider': 'x' } },
      { kind: 'words', planned: { '/provider': 'x' }, now: null },
    ],
    [
      'name of an observed id',
      { observed_names: { '/provider': 'x' } },
      { kind: 'words', planned: { '/provider': 'x' }, now: null },
    ],
    [
      'dependency',
      { waits_for: ['application.new'] },
      { kind: 'words', planned: ['application.new'], now: null },
    ],
    ['name', { name: 'x' }, { kind: 'words', planned: 'x', now: 'wiki' }],
    ['model', { model: 'x' }, { kind: 'words', planned: ['application', 'x'], now: ['application', null] }],
    ['former name', { formerly: 'x' }, { kind: 'words', planned: ['x', null], now: [null, null] }],
    ['field declared in part', { at_least: ['x'] }, { kind: 'words', planned: ['x'], now: null }],
    ['field declared in full', { exactly: ['x'] }, { kind: 'words', planned: ['x'], now: null }],
    ['unfinished record', { unfinished: true }, { kind: 'words', planned: true, now: null }],
    ['presence', { presence: 'unknown' }, { kind: 'presence', planned: 'unknown', now: 'present' }],
    [
      'declared value',
      { differences: [{ field: 'name', declared: 'Mine', observed: 'Old' }] },
      { kind: 'field', which: 'declared', field: 'name', planned: 'Mine', now: 'Wiki' },
    ],
  ])('differs from a saved plan with a different %s', async (_, more, staleness) => {
    expect(await otherwise(existing, altered('application.wiki', more))).toEqual([
      ['application.wiki', staleness],
    ]);
  });

  test('differs from a saved plan with a different action', async () => {
    const found = await otherwise(existing, (changes) =>
      changes.map((change) =>
        change.change.actions[0] === 'no-op' && change.change.before
          ? { ...change, change: { ...change.change, actions: ['update'], after: change.change.before } }
          : change,
      ),
    );
    expect(found).toEqual([['application.wiki', { kind: 'action', planned: 'update', now: 'no-op' }]]);
  });

  test('differs from a saved plan with fewer resources', async () => {
    const found = await otherwise(existing, (changes) =>
      changes.filter(({ address }) => address !== 'application.new'),
    );
    expect(found).toEqual([['application.new', { kind: 'not in the plan' }]]);
  });

  test('differs from a saved plan with more resources', async () => {
    const found = await otherwise(existing, (changes) => [
      ...changes,
      ...changes.map((change) => ({ ...change, address: 'application.more' as const })).slice(1),
    ]);
    expect(found).toEqual([['application.more', { kind: 'only in the plan' }]]);
  });

  test('equals a saved plan that reports the access that an altered entry gave since a baseline', async () => {
    const more: Partial<ChangeDocument> = { opens: ['everyone'], since: { kind: 'altered', fields: [] } };
    expect(await otherwise(existing, altered('application.wiki', more))).toEqual([]);
    const [saved, now] = [planDocument(await planned()), await planned()];
    const opens = ['everyone', 'others'];
    const found = staleChanges(
      { ...saved, resource_changes: altered('application.wiki', more)([...saved.resource_changes]) },
      { ...now, changes: now.changes.map((change) => ({ ...change, opens })) },
    );
    expect(found.map(({ staleness }) => staleness)).toContainEqual([
      { kind: 'words', planned: ['everyone'], now: opens },
    ]);
  });

  test.each<readonly string[]>([[], ['x']])(
    'equals a saved plan for a token that would lose rights, with the other remarks %j',
    async (...remarks) => {
      const saved = planDocument(await planned());
      const now = await planned();
      const changes = now.changes.map((change) => ({
        ...change,
        takesOwnRights: true as const,
        remarks: ['takes rights', ...remarks],
      }));
      expect(staleChanges(saved, { ...now, changes }).length).toBe(remarks.length * changes.length);
      expect(staleChanges(planDocument({ ...now, changes }), now).length).toBe(
        remarks.length * changes.length,
      );
    },
  );

  test('equals the saved plan if only places of entries and changes since a baseline differ', async () => {
    const more: Partial<ChangeDocument> = {
      source: { file: 'other.yaml', line: 9, column: 9 },
      since: { kind: 'added' },
    };
    expect(await otherwise(existing, altered('application.wiki', more))).toEqual([]);
  });
});
