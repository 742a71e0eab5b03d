import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { nodeFiles } from '../../src/terminal/node-files.ts';
import { findManifests } from '../../src/manifest/find-manifests.ts';
import { temporaryFolder } from '../support/canary.ts';
import { memoryFiles } from '../support/memory-files.ts';

test('a folder with many links to it is searched once', async () => {
  // Each folder contains two links to the next one, so a million paths lead to the last folder.
  const deepest = 20;
  const depthOf = (path: string): number => path.split('/').length - 1;
  const searched: string[] = [];
  const { filenames, diagnostics } = await findManifests(['m'], {
    ...memoryFiles({}),
    kindOf: async (path) => (path.endsWith('.yaml') ? 'file' : 'folder'),
    realPath: async (path) => (path.endsWith('.yaml') ? '/m/a.yaml' : `/m${'/x'.repeat(depthOf(path))}`),
    entriesIn: async (path) => {
      searched.push(path);
      if (depthOf(path) === deepest) return [{ name: 'a.yaml', kind: 'file' }];
      return ['one', 'two'].map((name) => ({ name, kind: 'link' }));
    },
  });
  expect(diagnostics).toEqual([]);
  expect(filenames).toHaveLength(1);
  expect(searched).toHaveLength(deepest + 1);
});

test.each([
  ['m/link.yaml', '../m-other/a.yaml'],
  ['m/link', '../m-other'],
  ['m/link.yaml', '../mm.yaml'],
])(
  'a sibling folder whose name has the same prefix is outside of the folder: %s leads to %s',
  async (link, target) => {
    const folder = temporaryFolder();
    for (const name of ['m', 'm-other']) mkdirSync(join(folder, name));
    for (const name of ['m/own.yaml', 'm-other/a.yaml', 'mm.yaml']) writeFileSync(join(folder, name), '');
    symlinkSync(target, join(folder, link));
    for (const named of [join(folder, 'm'), `${join(folder, 'm')}/`]) {
      const { filenames, diagnostics } = await findManifests([named], nodeFiles);
      expect(filenames.map((name) => name.replace(/^.*\//, ''))).toEqual(['own.yaml']);
      expect(diagnostics.map(({ code }) => code)).toEqual(['link-outside']);
    }
  },
);
