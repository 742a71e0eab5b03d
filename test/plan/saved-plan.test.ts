import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { planDocument, type ChangeDocument, type PlanDocument } from '../../src/plan/document.ts';
import { makePlan } from '../../src/plan/make-plan.ts';
import { parsePlan, planFromDocument } from '../../src/plan/read-document.ts';
import type { Plan } from '../../src/plan/plan.ts';
import { stalePlanDiagnostics } from '../../src/plan/staleness.ts';
import { jsonText } from '../../src/report/formats/json.ts';
import { desired } from '../support/desired.ts';
import { times } from '../support/effort.ts';
import { planBetween } from '../support/plan-between.ts';
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

/** The differences from a saved plan: their addresses, summaries and details. Somebody may have altered the plan. */
async function otherwise(
  held?: Existing,
  alter: (changes: ChangeDocument[]) => ChangeDocument[] = (changes) => changes,
): Promise<unknown[]> {
  const saved = planDocument(await planned());
  const document = { ...saved, resource_changes: alter([...saved.resource_changes]) };
  return stalePlanDiagnostics(document, await planned(held)).map(({ address, summary, detail }) => [
    address,
    summary,
    detail,
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

  test('is refused with a time that does not exist', async () => {
    const later = { ...planDocument(await planned()), created_at: '2016-12-31T23:59:60Z' };
    expect(parsePlan(jsonText(later)).kind).toBe('no_plan');
  });

  test('contains the names of observed ids', async () => {
    const saved = planDocument(await planned());
    const observed_names = { '/name': 'a', '/name/0': 'b', '/named': 'c' };
    const resource_changes = saved.resource_changes.map((change) => ({ ...change, observed_names }));
    const named = planFromDocument({ ...saved, resource_changes }).changes.flatMap(({ differences }) =>
      differences.flatMap(({ field, observedNames }) => (field === 'name' ? [observedNames] : [])),
    );
    expect(named).toEqual([{ '/name': 'a', '/name/0': 'b' }]);
  });

  test.each(['Plan: 3 to add', '', '{"version":1}', '[]', '{"format_version":"1.0","resource_changes":[]}'])(
    'is refused if it is %j',
    (text) => {
      expect(parsePlan(text).kind).toBe('no_plan');
    },
  );
});

describe('a plan that is read from its document', () => {
  test('masks a value of a secret field that the document shows', async () => {
    const flow = '00000000-0000-4000-8000-000000000099';
    const radius = `providers: [{ type: radius, name: r, authorization_flow: ${flow}, invalidation_flow: ${flow}, shared_secret: '\${env:KEY}' }]`;
    const document = planDocument(await planBetween('users: []', radius, {}, { env: { KEY: 'canary-1' } }));
    const [change = expect.fail()] = document.resource_changes;
    const shown = {
      ...change,
      change: {
        actions: ['no-op'],
        before: { shared_secret: 'canary-1' },
        after: { name: 'r', shared_secret: 'canary-1' },
      },
    } as const;
    const read = planFromDocument({ ...document, resource_changes: [shown] });
    expect(read.changes[0]?.observed).toEqual({ shared_secret: '(hidden)' });
  });

  test('says since when a resource is not planned', async () => {
    const document = planDocument(await planned());
    const [change = expect.fail()] = document.resource_changes;
    const nothing = { actions: ['not-planned'], before: null, after: null } as const;
    const read = planFromDocument({
      ...document,
      resource_changes: [{ ...change, change: nothing, since: { kind: 'added' } }],
    });
    expect(read.changes[0]?.since).toEqual({ kind: 'added' });
  });
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
    expect(stalePlanDiagnostics(saved, await planned(existing, 'another-SECRET'))).toEqual([]);
  });

  test.each([true, false])(
    'differs from the saved plan if a masked secret differs in one of them, now: %s',
    async (differsNow) => {
      const held = { wiki: { ...existing['wiki'], group: 'declared-SECRET' } };
      const [inSync, rotated] = [await planned(held), await planned(held, 'another-SECRET')];
      const [saved, now] = differsNow ? [inSync, rotated] : [rotated, inSync];
      const words = differsNow
        ? 'differs now, and did not when the plan was made'
        : 'differed when the plan was made, and no longer does';
      expect(stalePlanDiagnostics(planDocument(saved), now)).toMatchObject([
        { code: 'stale-plan', summary: `\`group\` ${words}`, detail: '', range: { start: { line: 3 } } },
      ]);
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
    expect(stalePlanDiagnostics(planDocument(await planned()), { ...now, changes })).toEqual([]);
  });

  const changedWords = (field: string) => `\`${field}\` has changed since the plan was made`;
  const otherValueWords = '`name` would not get the value that the plan shows';

  test.each<[string, Existing, unknown[]]>([
    [
      'an application appeared',
      { ...existing, new: { slug: 'new', name: 'New' } },
      [['application.new', 'it now exists, and the plan would create it', '']],
    ],
    [
      'an application disappeared',
      {},
      [['application.wiki', 'it existed when the plan was made, and no longer exists', '']],
    ],
    [
      'compared fields have other values',
      { wiki: { ...existing['wiki'], name: 'Older', backchannel_providers: [1, 2] } },
      [
        ['application.wiki', changedWords('name'), 'It was "Old", and is "Older".'],
        ['application.wiki', changedWords('backchannel_providers'), 'It was [1,2,3], and is [1,2].'],
      ],
    ],
    [
      'a field is no longer shown',
      { wiki: { slug: 'wiki', backchannel_providers: [1, 2, 3], group: 'held-SECRET' } },
      [
        ['application.wiki', changedWords('name'), 'It was "Old", and is null.'],
        ['application.wiki', otherValueWords, 'The plan has "Wiki", and a plan made now has null.'],
      ],
    ],
  ])('differs from the saved plan if %s', async (_, held, expected) => {
    expect(await otherwise(held)).toEqual(expected);
  });

  const altered = (address: string, more: Partial<ChangeDocument>) => (changes: ChangeDocument[]) =>
    changes.map((change) => (change.address === address ? { ...change, ...more } : change));

  const otherWords = (saved: string, now = 'nothing') => [
    'a plan made now describes it differently',
    `The plan has ${saved}, and a plan made now has ${now}.`,
  ];

  test.each<[string, Partial<ChangeDocument>, readonly string[]]>([
    ['note', { remarks: ['x'] }, otherWords('["x"]')],
    ['reported access', { opens: ['everyone'] }, otherWords('["everyone"]')],
    ['name of an id', { names: { '/provider': 'x' } }, otherWords('{"/provider":"x"}')],
    ['name of an observed id', { observed_names: { '/provider': 'x' } }, otherWords('{"/provider":"x"}')],
    ['dependency', { waits_for: ['application.new'] }, otherWords('["application.new"]')],
    ['name', { name: 'x' }, otherWords('"x"', '"wiki"')],
    ['model', { model: 'x' }, otherWords('["application","x"]', '["application",null]')],
    ['former name', { formerly: 'x' }, otherWords('["x",null]', '[null,null]')],
    ['field declared in part', { at_least: ['x'] }, otherWords('["x"]')],
    ['field declared in full', { exactly: ['x'] }, otherWords('["x"]')],
    ['unfinished record', { unfinished: true }, otherWords('true')],
    ['presence', { presence: 'unknown' }, ['it was unknown when the plan was made, and is present', '']],
    [
      'declared value',
      { differences: [{ field: 'name', declared: 'Mine', observed: 'Old' }] },
      [otherValueWords, 'The plan has "Mine", and a plan made now has "Wiki".'],
    ],
  ])('differs from a saved plan with a different %s', async (_, more, words) => {
    expect(await otherwise(existing, altered('application.wiki', more))).toEqual([
      ['application.wiki', ...words],
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
    const summary = 'its action is update in the plan, but no-op in a plan made now';
    expect(found).toEqual([['application.wiki', summary, '']]);
  });

  test('differs from the saved plan if the presence of a record became unknown', async () => {
    const now = await planned();
    const changes = now.changes.map((change) => ({ ...change, presence: 'unknown' as const }));
    expect(
      stalePlanDiagnostics(planDocument(await planned()), { ...now, changes }).map(({ summary }) => summary),
    ).toEqual(['absent', 'present'].map((was) => `it was ${was} when the plan was made, and is unknown`));
  });

  test('differs from a saved plan that masks a value which is no longer masked, without the mask', async () => {
    const change = { actions: ['no-op'], before: { name: '(sensitive)' }, after: {} } as const;
    const found = await otherwise(existing, altered('application.wiki', { change }));
    expect(found).toContainEqual(['application.wiki', changedWords('name'), '']);
  });

  test('differs from a saved plan that deletes a record by the changes of the record, if it has changed', async () => {
    const change = { actions: ['delete'], before: { name: 'Other' }, after: null } as const;
    const found = await otherwise(existing, altered('application.wiki', { change }));
    const words = found.flat();
    expect(words).toContain('`name` has changed since the plan was made');
    expect(words).not.toContain('it would no longer be deleted');
  });

  test('differs from a saved plan with fewer resources', async () => {
    const found = await otherwise(existing, (changes) =>
      changes.filter(({ address }) => address !== 'application.new'),
    );
    expect(found).toEqual([['application.new', 'it is not in the plan', '']]);
  });

  test('differs from a saved plan with more resources', async () => {
    const found = await otherwise(existing, (changes) => [
      ...changes,
      ...changes.map((change) => ({ ...change, address: 'application.more' as const })).slice(1),
    ]);
    expect(found).toEqual([['application.more', 'it is in the plan, and not in a plan made now', '']]);
  });

  test('equals a saved plan that reports the access that an altered entry gave since a baseline', async () => {
    const more: Partial<ChangeDocument> = { opens: ['everyone'], since: { kind: 'altered', fields: [] } };
    expect(await otherwise(existing, altered('application.wiki', more))).toEqual([]);
    const [saved, now] = [planDocument(await planned()), await planned()];
    const opens = ['everyone', 'others'];
    const found = stalePlanDiagnostics(
      { ...saved, resource_changes: altered('application.wiki', more)([...saved.resource_changes]) },
      { ...now, changes: now.changes.map((change) => ({ ...change, opens })) },
    );
    const [summary, detail] = otherWords('["everyone"]', '["everyone","others"]');
    expect(found).toContainEqual(expect.objectContaining({ summary, detail }));
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
      expect(stalePlanDiagnostics(saved, { ...now, changes }).length).toBe(remarks.length * changes.length);
      expect(stalePlanDiagnostics(planDocument({ ...now, changes }), now).length).toBe(
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
