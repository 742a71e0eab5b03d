import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { pathsInRepository } from '../../src/settings/repository.ts';
import { endedHere } from '../support/here.ts';
import { memoryFiles } from '../support/memory-files.ts';

// The working directory of these files is /memory.
const files = memoryFiles({});

test.each([
  ['GITHUB_WORKSPACE', '/memory', 'm.yaml', 'm.yaml'],
  ['GITHUB_WORKSPACE', '/', './roll/../m.yaml', 'memory/m.yaml'],
  ['GITHUB_WORKSPACE', '/', '../other/m.yaml', 'other/m.yaml'],
  ['CI_PROJECT_DIR', '/', 'm.yaml', 'memory/m.yaml'],
  ['BUILD_SOURCESDIRECTORY', '/', 'm.yaml', 'memory/m.yaml'],
  ['BITBUCKET_CLONE_DIR', '/', 'm.yaml', 'memory/m.yaml'],
  // A path outside the repository.
  ['GITHUB_WORKSPACE', '/memory', '../m.yaml', '../m.yaml'],
  ['GITHUB_WORKSPACE', '/memory', '/memory-2/m.yaml', '/memory-2/m.yaml'],
  ['GITHUB_WORKSPACE', '/memory', '/memory/m.yaml', 'm.yaml'],
  // The repository is elsewhere, or there is none.
  ['GITHUB_WORKSPACE', '/mem', './m.yaml', './m.yaml'],
  ['GITHUB_WORKSPACE', '/memory/roll', 'm.yaml', 'm.yaml'],
  ['GITHUB_WORKSPACE', '', './m.yaml', './m.yaml'],
  ['HOME', '/', './m.yaml', './m.yaml'],
  // Standard input is in no folder.
  ['GITHUB_WORKSPACE', '/', '-', '-'],
  ['GITHUB_WORKSPACE', '/', '<stdin>', '<stdin>'],
])('with %s set to %s, the path %s becomes %s in the repository', async (name, folder, path, expected) => {
  const pathOf = await pathsInRepository({ [name]: folder }, files);
  expect(pathOf(path)).toBe(expected);
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollcall-'));
  mkdirSync(join(folder, 'repository/roll'), { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true }));

test('file names are relative to the repository in reports for machines, and as typed in reports for people', async () => {
  const cwd = join(folder, 'repository/roll');
  const link = join(folder, 'link');
  symlinkSync(join(folder, 'repository'), link);
  writeFileSync(join(cwd, 'm.yaml'), 'version: 1\nusers: [{ user: zoe }]\n');
  writeFileSync(join(cwd, 'valid.yaml'), 'version: 1\nusers: []\n');
  for (const [GITHUB_WORKSPACE, place] of [
    [link, 'roll/m.yaml'],
    [join(folder, 'gone'), 'm.yaml'],
  ] as const) {
    const formats = ['github', 'junit', 'text', 'markdown'];
    const reports = formats.flatMap((format) => ['--report', `${format}=${join(folder, format)}`]);
    const env = { GITHUB_WORKSPACE, GITHUB_STEP_SUMMARY: '' };
    expect(await endedHere(['validate', '.', ...reports], { cwd, env })).toMatchObject({ code: 3 });
    const written = (format: string): string => readFileSync(join(folder, format), 'utf8');
    expect(written('github')).toContain(`::error file=${place},line=2,`);
    expect(written('junit')).toContain(`classname="${place}" file="${place}" line="2"`);
    expect(written('junit')).toContain(`file="${place.replace('m.', 'valid.')}"`);
    for (const format of ['text', 'markdown']) expect(written(format)).toMatch(/^m\.yaml:2:/m);
  }
});
