import { expect, test } from 'vitest';
import { loadManifests, type LoadedManifests } from '../../src/manifest/load-manifests.ts';
import { inFull } from '../support/effort.ts';
import { loadText } from '../support/desired.ts';
import { memoryFiles } from '../support/memory-files.ts';

const users = (names: readonly string[]): string =>
  `version: 1\nusers:\n${names.map((name) => `  - username: ${name}\n    name: A\n`).join('')}`;

function load(files: Readonly<Record<string, string>>, strict?: boolean): Promise<LoadedManifests> {
  const options = { files: memoryFiles(files), ...(strict !== undefined && { strict }) };
  return loadManifests(Object.keys(files), options);
}

test('manifests are read in code-unit order of their names, in whatever order they are given', async () => {
  const { filenames, resources } = await load({
    'b.yaml': users(['third']),
    'B.yaml': users(['first']),
    'a/x.yaml': users(['second']),
  });
  expect(filenames).toEqual(['B.yaml', 'a/x.yaml', 'b.yaml']);
  expect(resources.map(({ name }) => name)).toEqual(['first', 'second', 'third']);
});

test.each([
  [undefined, ['error', 'warning']],
  [false, ['error', 'warning']],
  [true, ['error', 'error']],
])('with strict set to %j, an error and a warning are reported as %j', async (strict, severities) => {
  const { diagnostics, resources } = await load({ 'm.yaml': users(['alice', 'alice', 'Alice']) }, strict);
  expect(diagnostics.map(({ severity }) => severity)).toEqual(severities);
  expect(resources).toHaveLength(3);
});

/** It takes seconds to read this many resources. */
test('100,000 resources may be declared', async ({ skip }) => {
  skip(!inFull);
  const names = Array.from({ length: 50_000 }, (_, index) => `u${index}`);
  const files = { 'a.yaml': users(names), 'b.yaml': users(names.map((name) => `x${name}`)) };
  expect(await load(files)).toMatchObject({ diagnostics: [], resources: { length: 100_000 } });
});

test.each([
  ['by default', {}, ['warning rewritten-number', 'warning similar-name']],
  [
    'if no resource is of interest',
    { isWarningReported: (): boolean => false },
    ['warning rewritten-number'],
  ],
  [
    'if no resource is of interest, but warnings count as errors',
    { isWarningReported: (): boolean => false, strict: true },
    ['error rewritten-number', 'error similar-name'],
  ],
])('these warnings about a resource and about a value are reported %s', async (_, options, expected) => {
  const text =
    'version: 1\nusers: [{ username: a, name: A, attributes: { n: 0755 } }, { username: A, name: A }]\n';
  const { diagnostics } = await loadText(text, options);
  expect(diagnostics.map(({ severity, code }) => `${severity} ${code}`)).toEqual(expected);
});

test('secrets are redacted as the service stores them, without spaces, and referenced files are known', async () => {
  const field = 'attributes: { key: "${env:KEY}", text: "${text:keys/a.txt}" }';
  const text = `version: 1\nusers: [{ username: a, name: A, ${field} }]\n`;
  const files = memoryFiles({ 'm.yaml': text, 'keys/a.txt': 'b' });
  const { resources, referencedFiles } = await loadManifests(['m.yaml'], {
    files,
    env: { KEY: ' canary-77\n' },
  });
  expect(resources.map(({ secrets }) => secrets)).toEqual([['canary-77']]);
  expect([...referencedFiles]).toEqual(['keys/a.txt']);
});

test.each([
  [15, false],
  [16, true],
  [255, true],
  [256, false],
])('a secret of %i characters can be generated: %j', async (length, isPossible) => {
  const fields = `name: a, type: oauth2, authorization_flow: { slug: f }, client_secret: "\${generate:${length}}"`;
  const text = `version: 1\nproviders: [{ ${fields}, redirect_uris: [] }]\n`;
  const { diagnostics } = await loadText(text, { random: () => 0 });
  expect(!diagnostics.some(({ code }) => code === 'invalid-reference')).toBe(isPossible);
});
