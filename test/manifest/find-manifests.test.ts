import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { nodeFiles } from '../../src/terminal/node-files.ts';
import type { Files } from '../../src/base/files.ts';
import { findManifests } from '../../src/manifest/find-manifests.ts';
import { temporaryFolder } from '../support/canary.ts';
import { memoryFiles } from '../support/memory-files.ts';
import { someOf } from '../support/effort.ts';

let folder: string;
beforeAll(() => {
  folder = temporaryFolder();
  for (const path of ['a/b/.hidden', 'empty', 'only']) mkdirSync(join(folder, path), { recursive: true });
  for (const path of [
    'a/one.yaml',
    'a/b/two.yml',
    'a/b/three.json',
    'a/b/.hidden/four.yaml',
    'a/.five.yaml',
    'a/x\\y.yaml',
    'only/rollcall.yaml',
  ]) {
    writeFileSync(join(folder, path), '');
  }
  symlinkSync('.', join(folder, 'a/b/loop'));
  symlinkSync('one.yaml', join(folder, 'a/again.yaml'));
  symlinkSync('three.json', join(folder, 'a/b/notes'));
  symlinkSync('..', join(folder, 'a/outside'));
  symlinkSync('../outside.yaml', join(folder, 'a/secret.yaml'));
  writeFileSync(join(folder, 'outside.yaml'), '');
});

async function found(...paths: string[]): Promise<{ names: string[]; codes: string[] }> {
  const { filenames, diagnostics } = await findManifests(
    paths.map((path) => join(folder, path)),
    nodeFiles,
  );
  return {
    names: filenames.map((name) => name.slice(folder.length + 1)),
    codes: diagnostics.map(({ code }) => code),
  };
}

/** This machine's disk, with many additional files in every folder. */
function countingFiles(more: number): Files {
  const files = Array.from({ length: more }, (_, index) => ({ name: `${index}`, kind: 'file' }) as const);
  return {
    ...nodeFiles,
    entriesIn: async (path) => [...(await nodeFiles.entriesIn(path)), ...files],
  };
}

describe('the manifests of a command line', () => {
  test('are all *.yaml and *.yml files below a folder, each once, except hidden ones', async () => {
    const { names, codes } = await found('a');
    expect(codes).toEqual(['link-loop', 'link-outside', 'link-outside']);
    expect(names).toHaveLength(3);
    expect(names).toEqual(expect.arrayContaining(['a/b/two.yml', 'a/x\\y.yaml']));
  });

  test('do not include the settings file, whatever its name, if a folder or a pattern leads to it', async () => {
    const one = [join(folder, 'a/one.yaml')];
    for (const settings of ['a/b/two.yml', 'a/./b/../b/two.yml']) {
      for (const path of ['a/b', 'a/b/*.yml']) {
        const { filenames, diagnostics } = await findManifests(
          [...one, join(folder, path)],
          nodeFiles,
          join(folder, settings),
        );
        expect(filenames).toEqual(one);
        expect(diagnostics.filter(({ code }) => code !== 'link-loop')).toEqual(
          path === 'a/b' ? [] : [expect.objectContaining({ code: 'no-manifests' })],
        );
      }
    }
  });

  test('are reported as missing if the folder has only the settings file', async () => {
    const { diagnostics } = await findManifests(
      [join(folder, 'only')],
      nodeFiles,
      join(folder, 'only/rollcall.yaml'),
    );
    expect(diagnostics).toMatchObject([
      {
        code: 'no-manifests',
        summary: 'no *.yaml or *.yml file is in this folder, except the configuration file',
      },
    ]);
  });

  test('are refused if they include the settings file by name', async () => {
    const path = join(folder, 'a/one.yaml');
    expect(await findManifests([path], nodeFiles, path)).toMatchObject({
      filenames: [],
      diagnostics: [
        {
          code: 'forbidden-file',
          detail: 'Name the manifests instead, or list them under `manifests` in this file.',
        },
      ],
    });
  });

  test('are read once if a folder is named twice, or together with its parent', async () => {
    const all = await found('a');
    for (const paths of [
      ['a', 'a'],
      ['a/b', 'a'],
      ['a', 'a/b'],
    ]) {
      const { names, codes } = await found(...paths);
      expect(names).toEqual(all.names);
      expect(codes).not.toContain('no-manifests');
    }
    mkdirSync(join(folder, 'plain'));
    writeFileSync(join(folder, 'plain/x.yaml'), '');
    expect(await found('plain', 'plain')).toEqual({ names: ['plain/x.yaml'], codes: [] });
    expect(await found('empty', 'empty')).toEqual({ names: [], codes: ['no-manifests'] });
  });

  test('are named without a leading ./', async () => {
    const paths = ['a.yaml', './b.yaml', '././/c.yaml'];
    const files = memoryFiles({ 'a.yaml': '', 'b.yaml': '', 'c.yaml': '' });
    expect((await findManifests(paths, files)).filenames).toEqual(['a.yaml', 'b.yaml', 'c.yaml']);
  });

  test('are read once if a file is named twice', async () => {
    expect((await found('a/one.yaml', 'a/./one.yaml', 'a/on*.yaml')).names).toEqual(['a/one.yaml']);
  });

  test.each([
    ['empty', 'no-manifests'],
    ['missing', 'file-not-found'],
    ['a/*.txt', 'no-manifests'],
  ])('must exist: %s causes %s', async (path, code) => {
    expect(await found(path)).toEqual({ names: [], codes: [code] });
  });

  test('found by a glob obey the same rules as files in a folder', async () => {
    expect(await found('a/*.yaml')).toEqual({
      names: ['a/again.yaml', 'a/x\\y.yaml'],
      codes: ['link-outside'],
    });
  });

  test('are the same for a folder and for a glob of all files below the folder, even behind links', async () => {
    const { names, codes } = await found('a/**/*.{yaml,yml}');
    expect(codes.toSorted()).toEqual(['link-loop', 'link-outside', 'link-outside']);
    expect(names).toEqual((await found('a')).names);
  });

  test('are read once if a glob finds them both directly and through a link', async () => {
    mkdirSync(join(folder, 'c/real'), { recursive: true });
    writeFileSync(join(folder, 'c/real/six.yaml'), '');
    symlinkSync('real', join(folder, 'c/alias'));
    expect(await found('c/alias/*.yaml')).toEqual({ names: ['c/alias/six.yaml'], codes: [] });
    expect((await found('c/**/*.yaml')).names).toHaveLength(1);
  });

  test('are not searched for outside of the path of a glob', async () => {
    expect(await found('a/b/*.json')).toEqual({ names: ['a/b/three.json'], codes: [] });
  });

  test.each(['disk/**/*.yaml', 'disk'])(
    'are not searched for behind a link to a whole disk: %s',
    async (path) => {
      mkdirSync(join(folder, 'disk'), { recursive: true });
      rmSync(join(folder, 'disk/root'), { force: true });
      symlinkSync('/', join(folder, 'disk/root'));
      expect(await found(path)).toEqual({ names: [], codes: ['link-outside'] });
    },
  );

  test.each(someOf(['/', '/**/*.yaml', '/usr/**/*.yaml'], 1))(
    'are not searched for on a whole disk: %s',
    async (path) => {
      const { filenames, diagnostics } = await findManifests(
        [join(folder, 'a/one.yaml'), path],
        countingFiles(2_000),
      );
      // The list of files is incomplete, so none of them is read.
      expect(filenames).toEqual([]);
      expect(diagnostics.map(({ code }) => code)).toContain('too-many-files');
    },
  );

  test.each([
    ['/proc', 'forbidden-file'],
    ['/proc/*/environ', 'forbidden-file'],
    ['/proc/self/*', 'forbidden-file'],
    ['/sys/**/*.yaml', 'forbidden-file'],
    ['/dev', 'forbidden-file'],
  ])('are not searched for in system folders: %s', async (path, code) => {
    const { filenames, diagnostics } = await findManifests([path], nodeFiles);
    expect({ filenames, codes: diagnostics.map((diagnostic) => diagnostic.code) }).toEqual({
      filenames: [],
      codes: [code],
    });
  });

  test('are not searched for in system folders through a link', async () => {
    symlinkSync('/proc/self', join(folder, 'system'));
    expect((await found('system/*')).codes).toEqual(['forbidden-file']);
    expect((await found('system')).codes).toEqual(['forbidden-file']);
  });

  test('cannot be pipes of a shell, since pipes have no real path', async () => {
    const { diagnostics } = await findManifests(['/dev/fd/63'], {
      ...memoryFiles({}),
      kindOf: async () => 'other',
      realPath: () => Promise.reject(new Error('ENOENT')),
    });
    expect(diagnostics).toMatchObject([{ summary: 'this is not a file or folder' }]);
  });

  test('are reported as incomplete if a folder cannot be read', async () => {
    const files = memoryFiles({ 'm/a.yaml': '', 'm/locked/b.yaml': '' });
    const { diagnostics } = await findManifests(['m'], {
      ...files,
      entriesIn: (path) =>
        path === 'm/locked' ? Promise.reject(new Error('EACCES')) : files.entriesIn(path),
    });
    expect(diagnostics).toMatchObject([{ code: 'file-unreadable', detail: 'EACCES' }]);
  });
});
