import { expect, test } from 'vitest';
import { isIncomplete, isMissing, isPartial, outcomeKinds, type Outcome } from '../../src/apply/outcome.ts';

type Ended = Pick<Outcome, 'outcome' | 'doubt' | 'differences'>;

const differences = [{ field: 'group', declared: 'Tools', observed: '' }];

test.each<[what: string, ended: Ended, what: 'done' | 'missing' | 'in part']>([
  ...outcomeKinds.map((outcome): [string, Ended, 'done' | 'missing'] => [
    outcome,
    { outcome },
    ['created', 'updated', 'deleted', 'exists', 'unchanged', 'differs'].includes(outcome)
      ? 'done'
      : 'missing',
  ]),
  ['created, and came back otherwise', { outcome: 'created', differences }, 'in part'],
  ['there, and differs: of somebody else', { outcome: 'exists', differences }, 'done'],
  ['there after doubt, and as declared', { outcome: 'exists', doubt: 'checked' }, 'done'],
  ['there after doubt, and differs', { outcome: 'exists', doubt: 'checked', differences }, 'in part'],
  ['there after doubt, and cannot be looked up', { outcome: 'exists', doubt: 'unchecked' }, 'in part'],
])('an outcome %s is %3$s', (_, ended, expected) => {
  expect({ missing: isMissing(ended), partial: isPartial(ended), incomplete: isIncomplete(ended) }).toEqual({
    missing: expected === 'missing',
    partial: expected === 'in part',
    incomplete: expected !== 'done',
  });
});
