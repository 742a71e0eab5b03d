import { expect, test } from 'vitest';
import { apply } from '../../src/commands/apply.ts';
import { isJsonList, isJsonObject, parseJson, textOf, type JsonObject } from '../../src/base/json.ts';
import { kinds } from '../../src/kinds/all.ts';
import { factsOf } from '../../src/kinds/facts.ts';
import { familyOfModel } from '../../src/kinds/families.ts';
import type { SandboxRelease } from '../../src/sandbox/release.ts';
import { times } from '../support/effort.ts';
import { applyManifest, env, randomInstance, seed } from '../support/random-instance.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { applied, planned, seed as seedOfDeletes } from '../support/delete-world.ts';
import { World } from '../support/update-world.ts';
import { done } from '../support/manifest-run.ts';
import { existsIn, listPathIn } from '../support/written-type.ts';
import { otherClient } from '../support/other-client.ts';

const bindings = ['/flows/bindings/', '/policies/bindings/'];

interface Found {
  readonly path: string;
  readonly record: JsonObject;
}

/** All records of a service, by id. */
function recordsOf(world: World, release: SandboxRelease): ReadonlyMap<string, Found> {
  const lists = new Set(
    kinds.flatMap((kind) =>
      kind.single === undefined && existsIn(kind, release) ? [listPathIn(kind, release)] : [],
    ),
  );
  const found = new Map<string, Found>();
  for (const path of [...lists, ...bindings])
    for (let page = 1; page > 0;) {
      const answer = world.handle({ method: 'GET', path: `/api/v3${path}?page=${page}&page_size=100` });
      const body = answer.kind === 'answered' && answer.status === 200 ? parseJson(answer.body) : undefined;
      const { results = null, pagination = null } = isJsonObject(body ?? null) ? (body as JsonObject) : {}; // checked above
      if (!isJsonList(results)) throw new Error(`${path} was not listed`);
      for (const record of results)
        if (isJsonObject(record))
          found.set(
            `${path} ${textOf(record['pk'] ?? record['brand_uuid'] ?? record['tenant_uuid'] ?? record['name'] ?? null)}`,
            {
              path,
              record,
            },
          );
      page = isJsonObject(pagination) ? Number(pagination['next']) : 0;
    }
  return found;
}

/** Whether the plan shows the delete of a record: it is declared absent, it is a binding of a deleted record, or a note names it. */
function isShown(
  { path, record }: Found,
  release: SandboxRelease,
  plan: string,
  gone: ReadonlyMap<string, Found>,
): boolean {
  const model = factsOf(release, path)?.model ?? '';
  const [app = '', type = ''] = model.split('.');
  const families = kinds.filter((kind) => listPathIn(kind, release) === path).map(({ family }) => family);
  const family = families[0] ?? familyOfModel(app, type);
  if (family && plan.includes(`  - ${family.type}.${textOf(record[family.identity] ?? null)}`)) return true;
  if (family?.isDeletedWithOwner) return true;
  const target = textOf(record['target'] ?? null);
  const isOfGone = [...gone.values()].some(({ record: other }) =>
    [other['pk'], other['policybindingmodel_ptr_id'], other['pbm_uuid']].some(
      (id) => textOf(id ?? null) === target,
    ),
  );
  return bindings.includes(path) && (isOfGone || /deletes (?:the |"Flow-stage )binding /.test(plan));
}

const releases = ['2023.10', '2026.8'] as const;
const cases = releases.flatMap((release) =>
  Array.from({ length: times({ short: 1, full: 60 }) }, (_, index) => ({ release, index })),
);

test.each(cases)(
  'in a random instance, a plan shows every record to which a delete cascades: $release, seed $index',
  async ({ release, index }) => {
    const random = seededRandom(1000 + index);
    const world = new World(seed, release);
    await applyManifest(world, JSON.stringify(randomInstance(world, release, random)));
    const before = recordsOf(world, release);
    const lists: Record<string, JsonObject[]> = {};
    for (const { path, record } of before.values()) {
      const kind = kinds.find((one) => listPathIn(one, release) === path && existsIn(one, release));
      if (!kind?.deletion || kind.scope !== undefined || random() > 0.08) continue;
      const entry = {
        [kind.identity]: record[kind.identity] ?? null,
        ...(kind.variant && { [kind.variant.field]: kind.variant.value }),
        state: 'absent',
      };
      (lists[kind.list] ??= []).push(entry);
    }
    const { context, stdout } = world.run(JSON.stringify({ version: 1, groups: [], ...lists }), env);
    const allow = ['update', 'delete', 'way-in', 'lockout', 'open-login'];
    const options = { output: 'text', yes: true, allow, maxDeletes: '1000', compact: false } as const;
    await apply(['m.yaml'], options, context);
    const after = recordsOf(world, release);
    const gone = new Map([...before].filter(([key]) => !after.has(key)));
    const hidden = [...gone.values()].filter((one) => !isShown(one, release, stdout(), gone));
    expect(hidden, stdout()).toEqual([]);
    expect(gone.size).toBeGreaterThan(0);
  },
);

test.each([
  ['an endpoint stage refers to it', ''],
  ['an endpoint stage refers to it, and only another stage is deleted', 'other'],
])('a connector is not deleted while %s', async (_, absent) => {
  const world = new World(seed, '2026.8');
  const made = otherClient(world.sandbox).create('/endpoints/agents/connectors/', { name: 'mine' });
  const connector = 'record' in made ? (made.record['connector_uuid'] ?? null) : null;
  otherClient(world.sandbox).create('/stages/endpoints/', { name: 'asks', connector });
  otherClient(world.sandbox).create('/stages/dummy/', { name: 'other' });
  const stages = absent && `stages: [{ type: dummy, name: ${absent}, state: absent }]\n`;
  const text = `version: 1\nconnectors: [{ type: agents, name: mine, state: absent }]\n${stages}`;
  const { context, stdout } = world.run(text, env);
  await apply(['m.yaml'], { output: 'text', yes: true, allow: ['update', 'delete'] }, context);
  expect(stdout()).toContain('the service would also delete the stage "asks"');
  expect(otherClient(world.sandbox).record('/stages/endpoints/', 'asks')).toBeDefined();
});

test.each([
  ['the plan gives it another provider first', 'provider: null', false],
  ['the plan does not change its provider', 'meta_description: New', true],
])(
  'a deleted provider is noted as the loss of an application unless it loses it earlier: %s',
  async (_, declared, isLost) => {
    const world = new World(seedOfDeletes, '2026.2');
    const text = `version: 1
providers: [{ name: Wiki, type: oauth2, state: absent }]
applications: [{ slug: wiki, name: Wiki, ${declared} }]
`;
    const { stdout } = await planned(world, text, { allow: ['update', 'delete'] });
    expect(stdout).toContain('- provider.Wiki');
    expect(stdout.includes('the application "wiki" loses it'), stdout).toBe(isLost);
  },
);

const guarded = (order: number): string =>
  `policies: [{ group: { name: staff }, order: 0 }, { policy: { name: rule }, order: ${order} }]`;
const unguarded = 'name: A, policies: [{ group: { name: staff }, order: 0 }]';

const bothGuarded = `name: B, ${guarded(2)}`;

test.each([
  ['its only record no longer lists it', 'name: B', unguarded, 'name: B', true],
  [
    'one record is deleted too, and the other no longer lists it',
    bothGuarded,
    'state: absent',
    unguarded,
    true,
  ],
  ['its only record still lists it', 'name: B', 'name: A', 'name: B', false],
  ['only one of two records no longer lists it', bothGuarded, unguarded, 'name: B', false],
])(
  'a policy is deleted in the same run unless a record keeps it: %s',
  async (_, secondBefore, first, second, isDeleted) => {
    const world = new World(seedOfDeletes, '2026.2');
    const text = (a: string, b: string, ofPolicy: string): string => `version: 1
groups: [{ name: staff }]
policies: [{ type: dummy, name: rule, ${ofPolicy} }]
applications: [{ slug: a, ${a} }, { slug: b, ${b} }]
`;
    await done(applied(world, text(`name: A, ${guarded(1)}`, secondBefore, 'result: true'), {}));
    const after = text(first, second, 'state: absent');
    const { stdout } = await planned(world, after, { allow: ['update', 'delete'] });
    expect(stdout.includes('- policy.rule will be deleted'), stdout).toBe(isDeleted);
    expect(stdout).not.toContain('loses it');
    const ran = await applied(world, after, { allow: ['update', 'delete'] });
    expect(ran.ending, ran.stdout).toBe(isDeleted ? 'done' : 'incomplete');
    expect(otherClient(world.sandbox).record('/policies/dummy/', 'rule') === undefined).toBe(isDeleted);
  },
);
