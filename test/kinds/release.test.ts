import { describe, expect, test } from 'vitest';
import {
  inRange,
  isNewerThanKnown,
  knownReleases,
  maybeSameRelease,
  howToSetRelease,
  readRelease,
  releaseProblem,
  releaseProblemFor,
  releaseText,
  type Release,
} from '../../src/kinds/release.ts';

function release(text: string): Release {
  const found = readRelease(text);
  if (found === undefined) throw new Error(`${text} is no release`);
  return found;
}

test.each(['2023.10', '2025.12.4', '2026.2.2', '2025.10.10'])(
  'the string "%s" is read as a release and printed unchanged',
  (text) => {
    expect(releaseText(release(text))).toBe(text);
  },
);

test('a release candidate is read as the final release', () => {
  expect(releaseText(release('2026.5.0-rc1'))).toBe('2026.5.0');
});

test.each([
  '',
  'latest',
  '2025',
  '2025.',
  '2025.13',
  '2025.0',
  '2025.012',
  'v2025.12',
  '2025.12.4.1',
  '25.12',
])('the string %j is not read as a release', (text) => {
  expect(readRelease(text)).toBeUndefined();
  expect(releaseProblem(text)).toMatchObject({ code: 'invalid-format' });
});

describe('a release in settings', () => {
  test.each([
    ...knownReleases.map(({ line }) => line),
    '2025.10.3',
    '2024.8.0',
    '2026.5',
    '2026.8.1',
    '2031.2',
  ])('can be %s', (text) => {
    expect(releaseProblem(text)).toBeUndefined();
  });

  test.each(['2023.8', '2021.12.1', '1999.1'])(
    'cannot be older than the releases that rollcall supports: %s',
    (text) => {
      expect(releaseProblem(text)?.summary).toContain('before 2023.10');
    },
  );

  test.each([
    ['2024.1', '2024.10'],
    ['2025.1', '2025.10'],
    ['2025.11', '2025.10'],
    ['2026.1', '2026.2'],
  ])('with an impossible date is rejected with a suggestion: %s, perhaps %s', (text, meant) => {
    const problem = releaseProblem(text);
    expect(problem?.summary).toBe(`there is no release ${text}`);
    expect(problem?.detail).toContain(`Did you mean '${meant}'? `);
  });
});

describe('a range of releases that begins with 2025.10.3, or ends before it', () => {
  test.each([
    ['2023.10', false],
    ['2025.8.9', false],
    ['2025.10', 'perhaps'],
    ['2025.10.0', false],
    ['2025.10.2', false],
    ['2025.10.3', true],
    ['2025.10.10', true],
    ['2025.12', true],
    ['2026.2.2', true],
  ] as const)('includes or excludes %s: %s', (text, isLater) => {
    const opposite = isLater === 'perhaps' ? isLater : !isLater;
    expect(inRange({ from: '2025.10.3' }, release(text))).toBe(isLater);
    expect(inRange({ before: '2025.10.3' }, release(text))).toBe(opposite);
  });

  test('may include an unknown release', () => {
    expect(inRange({ from: '2025.10.3' }, undefined)).toBe('perhaps');
    expect(inRange({ before: '2025.10.3' }, undefined)).toBe('perhaps');
  });
});

test('a range of releases includes every patch of its first release line', () => {
  for (const text of ['2025.12', '2025.12.0', '2025.12.4']) {
    expect(inRange({ from: '2025.12' }, release(text))).toBe(true);
    expect(inRange({ before: '2025.12' }, release(text))).toBe(false);
  }
});

test('a release line may be the same release as any of its patches, but two patches are different releases', () => {
  expect(maybeSameRelease(release('2025.12'), release('2025.12.4'))).toBe(true);
  expect(maybeSameRelease(release('2025.12.4'), release('2025.12'))).toBe(true);
  expect(maybeSameRelease(release('2025.12.3'), release('2025.12.4'))).toBe(false);
  expect(maybeSameRelease(release('2025.10'), release('2025.12'))).toBe(false);
});

test('a release counts as untried if it is later than the last tested one', () => {
  const later = ['2026.8', '2026.8.9', '2026.11.0-rc1', '2027.2'];
  expect(later.map((text) => isNewerThanKnown(release(text)))).toEqual([false, false, true, true]);
});

test('a warning without advice says only how to set the release', () => {
  const warning = releaseProblemFor({ before: '2024.8' }, undefined, 'have no cats', '');
  expect(warning).toMatchObject({ summary: 'releases before 2024.8 have no cats', detail: howToSetRelease });
  const error = releaseProblemFor({ before: '2024.8' }, release('2024.6.1'), 'have no cats', '');
  expect(error?.summary).toBe('release 2024.6.1 has no cats, like all releases before 2024.8');
});
