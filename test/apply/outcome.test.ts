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
  ['created with another value than declared', { outcome: 'created', differences }, 'in part'],
  ['existing, different, created by somebody else', { outcome: 'exists', differences }, 'done'],
  ['existing after an unclear answer, as declared', { outcome: 'exists', doubt: 'checked' }, 'done'],
  [
    'existing after an unclear answer, different',
    { outcome: 'exists', doubt: 'checked', differences },
    'in part',
  ],
  ['existing after an unclear answer, not readable', { outcome: 'exists', doubt: 'unchecked' }, 'in part'],
])('the outcome %s is counted as %3$s', (_, ended, expected) => {
  expect({ missing: isMissing(ended), partial: isPartial(ended), incomplete: isIncomplete(ended) }).toEqual({
    missing: expected === 'missing',
    partial: expected === 'in part',
    incomplete: expected !== 'done',
  });
});
