import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { nodeFiles } from '../../src/commands/node-files.ts';
import { findManifests } from '../../src/manifest/find-manifests.ts';
import { temporaryFolder } from '../support/canary.ts';
import { memoryFiles } from '../support/memory-files.ts';

let folder: string;
beforeAll(() => {
  folder = temporaryFolder();
  for (const path of ['a/b/.hidden', 'empty']) mkdirSync(join(folder, path), { recursive: true });
  for (const path of [
    'a/one.yaml',
    'a/b/two.yml',
    'a/b/three.json',
    'a/b/.hidden/four.yaml',
    'a/.five.yaml',
    'a/x\\y.yaml',
  ]) {
    writeFileSync(join(folder, path), '');
  }
  symlinkSync('.', join(folder, 'a/b/loop'));
  symlinkSync('one.yaml', join(folder, 'a/again.yaml'));
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

describe('the manifests of a command line', () => {
  test('are every *.yaml and *.yml below a folder, each once, hidden ones passed over', async () => {
    const { names, codes } = await found('a');
    expect(codes).toEqual(['link-loop', 'link-outside', 'link-outside']);
    expect(names).toHaveLength(3);
    expect(names).toEqual(expect.arrayContaining(['a/b/two.yml', 'a/x\\y.yaml']));
  });

  test('are one when a file is named twice', async () => {
    expect((await found('a/one.yaml', 'a/./one.yaml', 'a/on*.yaml')).names).toEqual(['a/one.yaml']);
  });

  test.each([
    ['empty', 'no-manifests'],
    ['missing', 'file-not-found'],
    ['a/*.txt', 'no-manifests'],
  ])('are demanded: %s gives %s', async (path, code) => {
    expect(await found(path)).toEqual({ names: [], codes: [code] });
  });

  test('that a glob matches follow the rules of those in a folder', async () => {
    expect(await found('a/*.yaml')).toEqual({
      names: ['a/again.yaml', 'a/x\\y.yaml'],
      codes: ['link-outside'],
    });
  });

  test('are not silently fewer when a folder cannot be read', async () => {
    const files = memoryFiles({ 'm/a.yaml': '', 'm/locked/b.yaml': '' });
    const { diagnostics } = await findManifests(['m'], {
      ...files,
      namesIn: (path) => (path === 'm/locked' ? Promise.reject(new Error('EACCES')) : files.namesIn(path)),
    });
    expect(diagnostics).toMatchObject([{ code: 'file-unreadable', detail: 'EACCES' }]);
  });
});
