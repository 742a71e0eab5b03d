import { expect, test } from 'vitest';
import { releaseChanges } from '../../src/kinds/release-changes.ts';
import { knownReleases, readRelease, shownRelease } from '../../src/kinds/release.ts';

const changes = releaseChanges();
const lines = knownReleases.map(({ line }) => line);

test('every change came with a release that rollcall knows, the oldest first', () => {
  const ofLines = changes.map(({ since }) => {
    const { year = 0, month = 0 } = readRelease(since) ?? {};
    return lines.indexOf(shownRelease({ year, month }));
  });
  expect(ofLines).not.toContain(-1);
  expect(ofLines).toEqual(ofLines.toSorted((a, b) => a - b));
  const patches = changes.map(({ since }) => since).filter((since) => since.startsWith('2025.10'));
  expect(patches).toEqual(patches.toSorted());
});

test('every change says where it was read: a file, and a tag that is not older', () => {
  for (const { since, source } of changes) {
    const [, tag = ''] = /^\S+\.\w+ @ (\d{4}\.\d+\.\d+)/.exec(source) ?? [];
    expect([since, readRelease(tag) !== undefined]).toEqual([since, true]);
  }
});

test('no change was seen to run that lies beyond all that was run', () => {
  const lastTried = lines.indexOf(knownReleases.findLast(({ tried }) => tried !== undefined)?.line ?? '');
  const beyond = changes.filter(
    ({ since, seen }) => seen && lines.findIndex((line) => since.startsWith(line)) > lastTried,
  );
  expect(beyond).toEqual([]);
});
