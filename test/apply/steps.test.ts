import { expect, test } from 'vitest';
import { runSteps, type StepResult } from '../../src/apply/steps.ts';
import type { ObservedRecord } from '../../src/service/types.ts';

const first = { kind: 'found', status: 200 } as const;
const second = { kind: 'failure', status: 500 } as const;
const held: ObservedRecord = { pk: 'p', fields: { a: 1, b: 2 }, shown: { a: '*', b: 2 } };

async function after(...steps: readonly StepResult[]): Promise<object> {
  return runSteps(
    { outcome: 'created', held, answer: first },
    'created',
    steps.map((step) => async () => step),
  );
}

test('the answer of a step that only reads does not hide that of the write before', async () => {
  expect(await after({ outcome: 'unchanged' })).toMatchObject({ outcome: 'created', answer: first });
  expect(await after({ outcome: 'updated', answer: second })).toMatchObject({ answer: second });
});

test('a step that fails without an answer leaves no earlier answer as its cause', async () => {
  const failed = await after({ outcome: 'not_attempted', at: 'a' });
  expect(failed).toMatchObject({ outcome: 'unfinished', at: 'a' });
  expect(failed).not.toHaveProperty('answer');
});

test('a doubt of one step remains a doubt of the whole', async () => {
  expect(
    await after({ outcome: 'updated', inDoubt: true, attempts: 2 }, { outcome: 'updated', attempts: 1 }),
  ).toMatchObject({ inDoubt: true, attempts: 3 });
});

test('a record that a step reads without secrets is shown as it was read', async () => {
  const read = { pk: 'p', fields: { a: 3 } };
  expect(await after({ outcome: 'updated', held: read })).toMatchObject({
    held: { fields: { a: 3, b: 2 }, shown: { a: 3, b: 2 } },
  });
});
