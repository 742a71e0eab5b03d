import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { loadManifests } from '../../src/manifest/load-manifests.ts';
import { memoryFiles } from '../support/memory-files.ts';

async function codesOf(name: string, variables: JsonObject): Promise<string[]> {
  const text = `version: 1\nusers: [{ username: a, name: "${name}" }]\n`;
  const { diagnostics } = await loadManifests(['a.yaml'], {
    files: memoryFiles({ 'a.yaml': text }),
    variables,
  });
  return diagnostics.map(({ code }) => code);
}

test.each([
  [500_000, []],
  [500_001, ['invalid-reference']],
])(
  'a text may have a million characters once its references are resolved: twice %i',
  async (length, codes) => {
    expect(await codesOf('${var:long}${var:long}', { long: 'x'.repeat(length) })).toEqual(codes);
  },
);

test.each(['toString', 'constructor', '__proto__', 'hasOwnProperty'])(
  'a variable that every object has is not given for that: %s',
  async (name) => {
    expect(await codesOf(`\${var:${name}}`, { other: 1 })).toEqual(['unresolved-reference']);
    expect(await codesOf(`x\${var:${name}}`, { other: 1 })).toEqual(['unresolved-reference']);
    expect(await codesOf(`\${var:${name}}`, JSON.parse(`{"${name}":"x"}`) as JsonObject)).toEqual([]); // an object
  },
);
