import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { knownReleases, readRelease, releaseText } from '../../src/kinds/release.ts';
import { root } from '../support/cli.ts';

const page = readFileSync(join(root, 'docs/releases.md'), 'utf8');
const rows = Array.from(
  page.matchAll(/^\| (\d[\d.]+) \|.*\| (read|source read, behaviour observed): (.*) \|$/gm),
);
const changes = rows.map(([, since = '', known = '', source = '']) => ({ since, known, source }));
const lines = knownReleases.map(({ line }) => line);

function indexOf(since: string): number {
  const { year = 0, month = 0 } = readRelease(since) ?? {};
  return lines.indexOf(releaseText({ year, month }));
}

test('docs/releases.md names every tried release, and every schema that was read', () => {
  const [, tried = ''] = /^Tested on running services: (.*?)\. /m.exec(page) ?? [];
  const [, schemas = ''] = /^Known from their API schemas, and not tested: (.*?)\. /m.exec(page) ?? [];
  expect(tried.split(', ')).toEqual(knownReleases.flatMap((release) => release.tried ?? []));
  expect(schemas.split(', ')).toEqual(knownReleases.flatMap((release) => release.schema ?? []));
  for (const text of [page, readFileSync(join(root, 'docs/manifest.md'), 'utf8')])
    expect(text).toMatch(new RegExp(`from (?:release )?${lines[0]} to ${lines.at(-1)}`));
});

test('the changes in releases belong to known releases, and are listed from the oldest to the newest', () => {
  expect(changes.length).toBe(page.match(/^\| \d/gm)?.length);
  const indexes = changes.map(({ since }) => indexOf(since));
  expect(indexes).not.toContain(-1);
  expect(indexes).toEqual(indexes.toSorted((a, b) => a - b));
});

test('every change in a release names its source: a file and a release tag', () => {
  for (const { since, source } of changes) {
    const [, tag = ''] = /^\S+\.\w+ @ (\d{4}\.\d+\.\d+)/.exec(source) ?? [];
    expect([since, readRelease(tag) !== undefined]).toEqual([since, true]);
  }
});

test('a change in a release later than the last tried release is not marked as tried', () => {
  const lastTried = knownReleases.findLastIndex(({ tried }) => tried !== undefined);
  const seen = changes.filter(({ known }) => known !== 'read');
  expect(seen.filter(({ since }) => indexOf(since) > lastTried)).toEqual([]);
});
