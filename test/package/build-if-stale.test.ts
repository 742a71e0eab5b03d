import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { isStale } from '../../scripts/build-if-stale.js';
import { temporaryFolder } from '../support/canary.ts';

let folder: string;

function dated(path: string, seconds: number): void {
  utimesSync(join(folder, path), seconds, seconds);
}

beforeEach(() => {
  folder = temporaryFolder();
  for (const path of ['src/base', 'src/generated', 'schemas', 'bin'])
    mkdirSync(join(folder, path), { recursive: true });
  for (const path of ['src/base/a.ts', 'src/generated/b.ts', 'package.json', 'bin/rollcall.cjs'])
    writeFileSync(join(folder, path), '');
  for (const path of ['src/base/a.ts', 'src/base', 'src/generated', 'src', 'schemas', 'package.json'])
    dated(path, 1000);
  dated('src/generated/b.ts', 3000);
  dated('bin/rollcall.cjs', 2000);
});

test('a build is up to date if all of its inputs are older', () => {
  expect(isStale(folder)).toBe(false);
});

test.each(['src/base/a.ts', 'package.json'])('a build is out of date if %s is newer', (path) => {
  dated(path, 2001);
  expect(isStale(folder)).toBe(true);
});

test('a build is out of date if a source file is gone', () => {
  rmSync(join(folder, 'src/base/a.ts'));
  expect(isStale(folder)).toBe(true);
});

test('a missing build is out of date', () => {
  rmSync(join(folder, 'bin/rollcall.cjs'));
  expect(isStale(folder)).toBe(true);
});
