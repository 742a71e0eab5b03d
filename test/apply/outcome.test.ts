import { expect, test } from 'vitest';
import { isIncomplete, isMissing, isPartial, outcomeKinds, type Outcome } from '../../src/apply/outcome.ts';

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
