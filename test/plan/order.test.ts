import { describe, expect, test } from 'vitest';
import { applyPlan } from '../../src/apply/apply-plan.ts';
import type { Outcome } from '../../src/apply/outcome.ts';
import type { CheckedPlan } from '../../src/plan/make-plan.ts';
import { orderBySequence, orderChanges } from '../../src/plan/order.ts';
import type { ReadyChange } from '../../src/plan/plan.ts';
import { Client } from '../../src/service/client.ts';
import { createPacing } from '../../src/service/pacing.ts';
import type { HttpRequest } from '../../src/service/transport.ts';
import { planOf, type Existing } from '../support/plan-of.ts';
import { answered } from '../support/scripted-transport.ts';
import { virtualClock } from '../support/virtual-clock.ts';
import { fieldsOf } from '../support/values.ts';
import { inFull } from '../support/effort.ts';

type Providers = Readonly<Record<string, number | null>>;

const permission = { self: undefined, mayDelete: false };

function held(providers: Providers): Existing {
  return Object.fromEntries(
    Object.entries(providers).map(([slug, provider]) => [slug, { slug, name: 'A', provider }]),
  );
}

/** A plan that gives applications these main providers, by slug. Before, the applications have other providers or are absent. */
function handing(declared: Providers, existing: Providers): Promise<CheckedPlan> {
  const applications = Object.entries(declared).map(([slug, provider]) => ({ slug, name: 'A', provider }));
  return planOf(JSON.stringify({ version: 1, applications }), held(existing), {}, '', permission);
}

function namesIn({ changes }: CheckedPlan): string[] {
  return changes.map(({ resource }) => resource.name);
}

describe('the order of a plan', () => {
  test('follows the names if no value moves', async () => {
    const plan = await handing({ a: 1, b: 2, c: 3 }, { b: 4 });
    expect(namesIn(plan)).toEqual(['a', 'b', 'c']);
    expect(plan.changes.every(({ waitsFor }) => waitsFor === undefined)).toBe(true);
  });

  test('puts a change that frees a value right before the change that needs the value, through any chain', async () => {
    const plan = await handing({ a: 2, b: 3, c: 4, d: 1 }, { b: 2, c: 3, d: 5 });
    expect(namesIn(plan)).toEqual(['c', 'b', 'a', 'd']);
    expect(plan.changes.map(({ waitsFor }) => waitsFor)).toEqual([
      undefined,
      ['application.c'],
      ['application.b'],
      undefined,
    ]);
    expect(plan.refused).toEqual([]);
  });

  test.runIf(inFull)('may include a chain of thousands of changes', async () => {
    const [first] = (await handing({ a: 1 }, { a: 0 })).changes;
    if (!first) throw new Error('nothing is planned');
    const changes = Array.from({ length: 50_000 }, (_, index): ReadyChange => {
      const fields = { ...first.resource.fields, ...fieldsOf({ provider: index + 1 }) };
      return { ...first, resource: { ...first.resource, address: `application.${index}`, fields } };
    });
    const inOrder = orderChanges(changes, (_, _field, id) =>
      id === changes.length ? undefined : `application.${Number(id)}`,
    );
    expect(inOrder.changes.map(({ resource }) => resource.address)).toEqual(
      changes.map(({ resource }) => resource.address).toReversed(),
    );
  });

  test('is refused with the reason why the plan does not make the change that would free a value', async () => {
    const { changes } = await handing({ a: 2, b: 3 }, { b: 2 });
    const left = changes.map((change): ReadyChange =>
      change.resource.name === 'b' ? { ...change, action: 'no-op', leftBecause: 'it is kept' } : change,
    );
    const { refused } = orderChanges(left, (_, _field, id) => (id === 2 ? 'application.b' : undefined));
    expect(refused).toMatchObject([
      {
        address: 'application.a',
        detail: expect.stringMatching(/leaves the record unchanged: it is kept\.$/) as string,
      },
    ]);
  });

  test('stays the same for a circle of new resources, one of which gets its reference later', async () => {
    const circle = `version: 1
stages:
  - { name: pw, type: password, backends: [authentik.core.auth.InbuiltBackend], configure_flow: { slug: change } }
flows:
  - { slug: change, name: Change, title: Change, designation: stage_configuration, stages: [{ stage: { name: pw }, order: 0 }] }
`;
    const { changes } = await planOf(circle, {}, {}, '', permission);
    expect(changes.map(({ resource, setAfter }) => [resource.name, setAfter?.length])).toEqual([
      ['pw', 1],
      ['change', undefined],
    ]);
    expect(orderBySequence(changes, [])).toEqual(changes);
  });

  test('does not exist for a circle of new resources, none of which can get its reference later', async () => {
    const circle = `version: 1
stages: [{ name: r, type: redirect, mode: flow, target_flow: { slug: f } }]
flows: [{ slug: f, name: F, title: F, designation: authentication, stages: [{ stage: { name: r }, order: 0 }] }]
`;
    const { refused } = await planOf(circle, {}, {}, '', permission);
    expect(new Set(refused.map(({ code, address }) => `${address} ${code}`))).toEqual(
      new Set(['stage.r circular-reference', 'flow.f circular-reference']),
    );
  });

  test('does not exist if changes form a circle, and the changes are refused with one message', async () => {
    const { refused } = await handing({ a: 1, b: 2, c: 3, d: 4, e: 5 }, { a: 3, b: 1, c: 2, d: 5 });
    expect(refused).toMatchObject([
      {
        code: 'provider-taken',
        address: 'application.c',
        summary: 'provider 3 is already the main provider of `a`',
        detail: expect.stringContaining('application.a, application.b, application.c depend on each other.'),
      },
    ]);
  });
});

/** Applies a plan, with all changes at once. Each change ends only after all others have had their turn. */
async function applied(
  plan: CheckedPlan,
  existing: Providers,
  patch: (request: HttpRequest) => ReturnType<typeof answered>,
): Promise<{ outcomes: readonly Outcome[]; requests: readonly string[] }> {
  const now = new Map(Object.entries(held(existing)));
  const requests: string[] = [];
  const clock = virtualClock();
  const pacing = createPacing({ clock, random: () => 0, concurrency: 16 });
  const outcomes = await applyPlan(plan, {
    client: new Client(
      async (request) => {
        requests.push(`${request.method} ${request.path.split('/').at(-2)}`);
        const fields = JSON.parse(request.body ?? '{}') as object; // rollcall sends a JSON object
        if (request.method === 'GET')
          return answered(200, { pk: 'p', ...now.get(request.path.split('/').at(-2) ?? '') });
        for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
        requests.push(`${request.method} ends`);
        return request.method === 'PATCH' ? patch(request) : answered(201, { pk: 'p', ...fields });
      },
      { capabilities: ['update'] },
    ),
    pacing: { ...pacing, forEach: (items, task) => Promise.all(items.map((item) => task(item))) },
    clock,
  });
  return { outcomes, requests };
}

describe('a change that depends on another', () => {
  const existing = { z: 1 };
  const declared = { a: 1, z: 2 };

  test('is not sent before the other change has ended', async () => {
    const { outcomes, requests } = await applied(await handing(declared, existing), existing, () =>
      answered(200, { pk: 'p', slug: 'z', name: 'A', provider: 2 }),
    );
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['updated', 'created']);
    expect(requests).toEqual(['GET z', 'PATCH z', 'PATCH ends', 'POST applications', 'POST ends']);
  });

  test('is not attempted if the other change failed, and no later change of the chain is attempted either', async () => {
    const chain = { a: 2, b: 3, z: 4 };
    const before = { b: 2, z: 3 };
    const { outcomes, requests } = await applied(await handing(chain, before), before, () =>
      answered(400, { provider: ['no'] }),
    );
    expect(outcomes.map(({ outcome, stoppedBy }) => [outcome, stoppedBy])).toEqual([
      ['rejected', undefined],
      ['not_attempted', 'waits'],
      ['not_attempted', 'waits'],
    ]);
    expect(requests).toEqual(['GET z', 'PATCH z', 'PATCH ends']);
  });

  test('does not wait if the other change comes later in a reordered plan', async () => {
    const plan = await handing(declared, existing);
    const altered = { ...plan, changes: plan.changes.toReversed() };
    const { outcomes } = await applied(altered, existing, () =>
      answered(200, { pk: 'p', slug: 'z', name: 'A', provider: 2 }),
    );
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['created', 'updated']);
  });
});
