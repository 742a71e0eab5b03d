import { expect, test } from 'vitest';
import { schemaPathOf } from '../../src/commands/new-files.ts';

const schema = 'node_modules/rollcall/schemas/manifest.schema.json';

test.each([
  [undefined, schema],
  ['a.yaml', schema],
  ['manifests/a.yaml', `../${schema}`],
  ['..manifests/a.yaml', `../${schema}`],
  ['manifests/../a.yaml', schema],
  ['../a.yaml', schema],
  ['/a.yaml', schema],
])('the manifest %s names the installed schema as %s', (filename, path) => {
  expect(schemaPathOf(filename)).toBe(path);
});
