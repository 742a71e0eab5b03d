import { expect, test } from 'vitest';
import {
  isDenied,
  isIncomplete,
  isMissing,
  isPartial,
  outcomeKinds,
  type Outcome,
} from '../../src/apply/outcome.ts';
import { printableOutcome } from '../../src/apply/as-shown.ts';
import type { WriteResult } from '../../src/apply/settle.ts';
import { planOf } from '../support/plan-of.ts';
import { runSteps, type StepResult } from '../../src/apply/steps.ts';
import { user } from '../../src/kinds/user.ts';
import { classifyRecordAnswer } from '../../src/service/answer.ts';
import { answered } from '../support/scripted-transport.ts';

type Ended = Pick<Outcome, 'outcome' | 'doubt' | 'differences'>;

const differences = [{ field: 'group', declared: 'Tools', observed: '' }];

test.each<[name: string, counted: 'done' | 'missing' | 'in part', ended: Ended]>([
  ...outcomeKinds.map((outcome): [string, 'done' | 'missing', Ended] => [
    outcome,
    ['created', 'updated', 'deleted', 'exists', 'unchanged', 'differs'].includes(outcome)
      ? 'done'
      : 'missing',
    { outcome },
  ]),
  ['created with another value than declared', 'in part', { outcome: 'created', differences }],
  ['existing, different, created by somebody else', 'done', { outcome: 'exists', differences }],
  ['existing after an unclear answer, as declared', 'done', { outcome: 'exists', doubt: 'checked' }],
  [
    'existing after an unclear answer, different',
    'in part',
    { outcome: 'exists', doubt: 'checked', differences },
  ],
  ['existing after an unclear answer, not readable', 'in part', { outcome: 'exists', doubt: 'unchecked' }],
])('the outcome %s is counted as %s', (_, expected, ended) => {
  expect({ missing: isMissing(ended), partial: isPartial(ended), incomplete: isIncomplete(ended) }).toEqual({
    missing: expected === 'missing',
    partial: expected === 'in part',
    incomplete: expected !== 'done',
  });
});

const denial = classifyRecordAnswer(answered(403, { detail: 'no' }), user, 'a');
const rejection = classifyRecordAnswer(answered(400, { name: ['no'] }), user, 'a');

test.each<[expected: boolean, name: string, ended: Pick<Outcome, 'outcome' | 'answer' | 'clash'>]>([
  [true, 'a denial', { outcome: 'denied' }],
  [true, 'a denial of a part', { outcome: 'unfinished', answer: denial }],
  [true, 'a denied check', { outcome: 'unfinished', answer: denial, clash: { kind: 'unseen' } }],
  [false, 'another conflict', { outcome: 'unfinished', answer: denial, clash: { kind: 'replaced' } }],
  [false, 'the rejection of a part', { outcome: 'unfinished', answer: rejection }],
])('whether the token has no permission is %s after %s', (expected, _, ended) => {
  expect(isDenied(ended)).toBe(expected);
});

test.each<[name: string, second: StepResult, fields: object]>([
  [
    'the fields of both steps after two writes',
    { outcome: 'updated', held: { pk: 'p', fields: { b: 3 } } },
    { a: 1, b: 3 },
  ],
  ['all but the field of a write with an unknown effect', { outcome: 'unknown', at: 'b' }, { a: 1 }],
  ['all but the field of an unfinished write', { outcome: 'unfinished', at: 'b' }, { a: 1 }],
  ['no field after an unfinished write of unknown fields', { outcome: 'unfinished' }, {}],
  ['all fields after a write that was not sent', { outcome: 'not_attempted', at: 'b' }, { a: 1, b: 2 }],
])('a change in two steps knows %s', async (_, second, fields) => {
  const first: StepResult = { outcome: 'created', held: { pk: 'p', fields: { a: 1, b: 2 } } };
  const { held } = await runSteps(first, 'created', [() => Promise.resolve(second)]);
  expect(held?.fields).toEqual(fields);
});

test('a change in two steps knows the names of both', async () => {
  const [one, two] = [{ groups: new Map([['1', 'a']]) }, { roles: new Map([['2', 'b']]) }];
  const first: StepResult = { outcome: 'created', held: { pk: 'p', fields: {}, names: one } };
  const second: StepResult = { outcome: 'updated', held: { pk: 'p', fields: {}, names: two } };
  const { held } = await runSteps(first, 'created', [() => Promise.resolve(second)]);
  expect(held?.names).toEqual({ ...one, ...two });
});

test('a conflict shows the printable values of the record', async () => {
  const { changes } = await planOf('version: 1\napplications: [{ slug: a, name: A }]\n');
  const [change] = changes;
  if (change === undefined) throw new Error('nothing is planned');
  const now = { pk: '1', fields: { name: 'a token' }, shown: { name: '(sensitive)' } };
  const result = {
    outcome: 'conflict',
    clash: { kind: 'changed', fields: ['name'], now },
    inDoubt: false,
    attempts: 0,
  } as const;
  const conflictOf = (of: typeof change): object | undefined =>
    printableOutcome(of, result, 'open', { durationMs: 0 }).clash;
  const field = { field: 'name', planned: null, observed: '(sensitive)' };
  expect(conflictOf(change)).toMatchObject({ fields: [field] });
  expect(conflictOf({ ...change, observed: { name: 'B' } })).toMatchObject({
    fields: [{ ...field, planned: 'B' }],
  });
});

test.each<[string, WriteResult, object]>([
  [
    'a record that was read after an unclear answer is in doubt, but checked',
    { outcome: 'exists', held: { pk: 'p', fields: {} }, inDoubt: true, attempts: 1 },
    { doubt: 'checked', pk: 'p' },
  ],
  [
    'a record that was not read after an unclear answer is unchecked',
    { outcome: 'exists', inDoubt: true, attempts: 1 },
    { doubt: 'unchecked' },
  ],
  [
    'no id is shown if it is unknown',
    { outcome: 'created', held: { pk: '', fields: { slug: 'a', name: 'A' } }, inDoubt: false, attempts: 1 },
    {},
  ],
  [
    'fields that a created record does not show are not compared',
    { outcome: 'created', held: { pk: 'p', fields: { slug: 'a' } }, inDoubt: false, attempts: 1 },
    { pk: 'p', notCompared: ['name'] },
  ],
  [
    'fields that another record does not show are different',
    { outcome: 'exists', held: { pk: 'p', fields: {} }, inDoubt: false, attempts: 1 },
    { pk: 'p' },
  ],
  [
    'an id that contains a secret is masked',
    {
      outcome: 'created',
      held: { pk: 'canary-1234', fields: { slug: 'a', name: 'A' } },
      inDoubt: false,
      attempts: 1,
    },
    { pk: '(sensitive)' },
  ],
])('%s', async (_, result, expected) => {
  const { changes } = await planOf('version: 1\napplications: [{ slug: a, name: A }]\n');
  const [change] = changes;
  if (change === undefined) throw new Error('nothing is planned');
  const resource = { ...change.resource, secrets: ['canary-1234'] };
  const { doubt, pk, notCompared } = printableOutcome({ ...change, resource }, result, 'open', {
    durationMs: 0,
  });
  expect({ doubt, pk, notCompared }).toEqual(expected);
});
