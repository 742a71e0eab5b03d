import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Files } from '../../src/base/files.ts';
import { findManifests } from '../../src/manifest/find-manifests.ts';
import { nodeFiles } from '../../src/terminal/node-files.ts';
import { temporaryFolder } from '../support/canary.ts';

let folder: string;
beforeAll(() => {
  folder = temporaryFolder();
  for (const path of ['elsewhere/deeper', 'project/real/deeper', 'project/sub'])
    mkdirSync(join(folder, path), { recursive: true });
  for (const path of ['elsewhere/m.yaml', 'elsewhere/deeper/m.yaml', 'project/real/deeper/m.yaml'])
    writeFileSync(join(folder, path), '');
  symlinkSync('../elsewhere', join(folder, 'project/planted'));
  symlinkSync('../planted/deeper', join(folder, 'project/sub/again'));
  symlinkSync('real', join(folder, 'project/alias'));
  symlinkSync('../real', join(folder, 'project/sub/back'));
  symlinkSync('project', join(folder, 'mine'));
  mkdirSync(join(folder, 'links'));
  symlinkSync('../elsewhere', join(folder, 'links/out'));
  symlinkSync('../project', join(folder, 'links/mine'));
});

/** What a command in a folder finds on the disk. */
async function found(path: string, workingDirectory = 'project'): Promise<unknown> {
  const at = (name: string): string =>
    name.startsWith('/') ? name : `${folder}/${workingDirectory}/${name}`;
  const files: Files = {
    ...nodeFiles,
    kindOf: (name) => nodeFiles.kindOf(at(name)),
    realPath: (name) => nodeFiles.realPath(at(name)),
    entriesIn: (name) => nodeFiles.entriesIn(at(name)),
    glob: (name, pattern, look) => nodeFiles.glob(at(name), pattern, look),
  };
  const { filenames, diagnostics } = await findManifests([path], files);
  return diagnostics.length > 0 ? diagnostics.map(({ code }) => code) : filenames;
}

describe('a link that leads out of the project, in place of a folder', () => {
  test.each([
    'planted',
    'planted/',
    './planted',
    'real/../planted',
    'planted/m.yaml',
    'planted/deeper',
    'planted/*.yaml',
    'planted/**/*.yaml',
    'sub/again',
    'sub/again/m.yaml',
    'planted/../elsewhere',
  ])('is not followed: %s', async (path) => {
    expect(await found(path)).toEqual(['link-outside']);
  });

  test.each(['planted', 'planted/m.yaml', 'planted/*.yaml'])(
    'is not followed if its absolute path is given: %s',
    async (path) => {
      expect(await found(join(folder, 'project', path))).toEqual(['link-outside']);
    },
  );

  test('is not followed if the link is in a folder next to the project and its absolute path is given', async () => {
    expect(await found(join(folder, 'links/out'))).toEqual(['link-outside']);
  });

  test('is not followed from a working directory inside the project', async () => {
    expect(await found('../planted/m.yaml', 'project/sub')).toEqual(['link-outside']);
  });
});

describe('manifests outside of the project are found', () => {
  test.each([
    ['../elsewhere', ['../elsewhere/deeper/m.yaml', '../elsewhere/m.yaml']],
    ['../elsewhere/m.yaml', ['../elsewhere/m.yaml']],
    ['../elsewhere/*.yaml', ['../elsewhere/m.yaml']],
    ['real/../../elsewhere/m.yaml', ['real/../../elsewhere/m.yaml']],
  ])('by a path without a link: %s', async (path, names) => {
    expect(await found(path)).toEqual(names);
  });

  test('in the parent folder', async () => {
    expect(await found('..', 'elsewhere/deeper')).toEqual(['../deeper/m.yaml', '../m.yaml']);
  });

  test('behind a link to a folder beside the link, or to the working directory', async () => {
    expect(await found('alias')).toEqual(['alias/deeper/m.yaml']);
    expect(await found('alias/deeper/m.yaml')).toEqual(['alias/deeper/m.yaml']);
    expect(await found('../mine/real')).toEqual(['../mine/real/deeper/m.yaml']);
  });

  test('by a path that goes through a link to or within the working directory, and then leaves the directory without another link', async () => {
    for (const path of ['../links/mine/../elsewhere/m.yaml', 'sub/back/../../elsewhere/m.yaml'])
      expect(await found(path)).toEqual([path]);
  });

  test('behind a link above the project, since no pull request can add such a link', async () => {
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'mounted'));
    expect(await found(join(folder, 'mounted/deeper'))).toEqual([join(folder, 'mounted/deeper/m.yaml')]);
  });
});
