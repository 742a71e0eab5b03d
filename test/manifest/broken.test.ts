import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { loadManifests } from '../../src/manifest/load-manifests.ts';
import { memoryFiles } from '../support/memory-files.ts';

const folder = new URL('../fixtures/broken/', import.meta.url);
const names = readdirSync(folder).filter((name) => name.endsWith('.yaml'));

/** For each invalid manifest, NAME.expected lists the codes and places. */
describe('a mistake in a manifest is reported once, at its place', () => {
  test.each(names)('in the file %s', async (name) => {
    const text = readFileSync(new URL(name, folder));
    const { diagnostics } = await loadManifests([name], {
      files: memoryFiles({ [name]: text }),
      variables: {},
    });
    const found = diagnostics.map(({ code, range }) => {
      const { start, end } = range ?? { start: undefined, end: undefined };
      return `${code} ${start?.line}:${start?.column}-${end?.line}:${end?.column}\n`;
    });
    expect(readdirSync(folder), 'the expected codes and places').toContain(
      name.replace('.yaml', '.expected'),
    );
    await expect(found.join('')).toMatchFileSnapshot(
      new URL(name.replace('.yaml', '.expected'), folder).pathname,
    );
  });
});

test.each(['main.tf', 'prod.tfvars'])('a Terraform file is recognized by its name: %s', async (name) => {
  const files = memoryFiles({ [name]: 'resource "authentik_application" "wiki" {\n  slug = "wiki"\n}\n' });
  const { diagnostics } = await loadManifests([name], { files });
  expect(diagnostics.map(({ code }) => code)).toEqual(['not-a-manifest']);
});

test.each([
  ['a saved plan', '{ "format_version": "1.0", "resource_changes": [] }', true],
  ['an unknown list', '{ "version": 1, "resource_changes": [] }', false],
])('only a saved plan is recognized as a plan: %s', async (_, text, isPlan) => {
  const { diagnostics } = await loadManifests(['m.yaml'], { files: memoryFiles({ 'm.yaml': text }) });
  expect(diagnostics.map(({ code }) => code).includes('not-a-manifest')).toBe(isPlan);
});

test('a no-break space is named in the advice', async () => {
  const files = memoryFiles({ 'm.yaml': 'version: 1\nusers:\n  - username:\u00a0a\n    name: A\n' });
  const { diagnostics } = await loadManifests(['m.yaml'], { files });
  expect(diagnostics).toMatchObject([{ detail: expect.stringContaining('contains a no-break space') }]);
});

test('every mistake in a manifest is reported with advice', async () => {
  const files = memoryFiles(
    Object.fromEntries(names.map((name) => [`m/${name}`, readFileSync(new URL(name, folder))])),
  );
  const { diagnostics } = await loadManifests(['m'], { files, variables: {} });
  expect(diagnostics.length).toBeGreaterThan(names.length);
  expect(diagnostics.filter(({ detail }) => detail === '')).toEqual([]);
});
