import { expect, test } from 'vitest';
import { LoginCheck } from '../../src/apply/login-check.ts';
import type { OutcomeKind } from '../../src/apply/outcome.ts';
import type { FlowStart } from '../../src/service/flow-executor.ts';
import { planOf } from '../support/plan-of.ts';

const begins: FlowStart = { kind: 'begins' };
const denied: FlowStart = { kind: 'unavailable', shows: 'denied' };
const unknown: FlowStart = { kind: 'unknown' };

const plan = await planOf('version: 1\nusers: [{ username: a, name: A }, { username: b, name: B }]\n');
const changes = plan.changes.map((change) => ({ ...change, affectsLogin: true as const }));

test.each<
  [
    what: string,
    flow: { readonly before?: string; readonly after?: string },
    starts: readonly FlowStart[],
    asked: readonly string[],
    lost: readonly object[],
    outcome?: OutcomeKind,
  ]
>([
  ['still starts', { before: 'a' }, [begins, begins], ['a', 'a'], []],
  ['no longer starts', { before: 'a' }, [begins, denied], ['a', 'a'], [{ slug: 'a', start: denied }]],
  ['gives no answer', { before: 'a' }, [begins, unknown], ['a', 'a'], [{ slug: 'a', start: unknown }]],
  ['did not start before', { before: 'a' }, [denied], ['a'], []],
  ['gave no answer before', { before: 'a' }, [unknown], ['a'], []],
  ['is new', { after: 'b' }, [], [], []],
  ['is another one that starts', { before: 'a', after: 'b' }, [begins, begins], ['a', 'b'], []],
  [
    'is another one that does not start',
    { before: 'a', after: 'b' },
    [begins, denied],
    ['a', 'b'],
    [{ slug: 'b', start: denied }],
  ],
  // If a change failed, people may still use the former flow.
  ['should change', { before: 'a', after: 'b' }, [begins, begins, denied], ['a', 'a', 'b'], [], 'denied'],
  [
    'should change, and neither starts',
    { before: 'a', after: 'b' },
    [begins, denied, unknown],
    ['a', 'a', 'b'],
    [{ slug: 'b', start: unknown }],
    'denied',
  ],
])('the check of a login flow that %s', async (_, flow, starts, expectedAsked, lost, outcome = 'updated') => {
  const asked: string[] = [];
  const check = new LoginCheck(
    { ...plan, changes, loginFlows: { flows: [flow], unread: [] } },
    async (slug) => {
      asked.push(slug);
      return starts[asked.length - 1] ?? expect.fail(`${slug} is asked once too often`);
    },
  );
  for (const { resource } of changes) await check.before(resource.address);
  for (const [index, change] of changes.entries())
    await check.after({ change, outcome: index === 0 ? outcome : 'updated', attempts: 1, durationMs: 0 });
  expect(asked).toEqual(expectedAsked);
  expect(check.lost).toEqual(lost);
});
