import { expect, test } from 'vitest';
import { kinds } from '../../../src/kinds/all.ts';
import { listLine } from '../../../src/report/formats/log-lines.ts';

const kind = kinds.find(({ list }) => list === 'applications');

test.each([
  [5, 3, 2, '3 of 5 were found in 2 pages; the list is complete, so 2 are absent.'],
  [
    5,
    3,
    1,
    '3 of 5 were found in 2 pages; the list is complete, so 1 is absent. The other resource is looked up on its own.',
  ],
  [5, 3, 0, '3 of 5 were found in 2 pages. The other 2 resources are looked up one by one.'],
])(
  'the log of %i declared resources, %i found and %i absent ones says how the others are looked up',
  (declared, found, absent, words) => {
    if (kind === undefined) expect.fail('there is no such kind');
    const progress = { kind: 'in_pages', found, absent, pages: 2 } as const;
    expect(listLine({ kind, declared, progress }, 'T', 'text')).toBe(`T applications: ${words}\n`);
  },
);
