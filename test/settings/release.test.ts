import { expect, test } from 'vitest';
import type { Diagnostic } from '../../src/base/diagnostic.ts';
import type { Settings } from '../../src/settings/settings.ts';
import { memoryFiles } from '../support/memory-files.ts';
import { projectSettings } from '../support/settings.ts';

function read(config: string, env?: string): Promise<Settings> {
  const files = memoryFiles({ 'rollcall.yaml': `version: 1\n${config}\n` });
  return projectSettings(env === undefined ? {} : { env }, {}, files);
}

function place({ code, range }: Diagnostic): string {
  return `${code} ${range?.start.line}:${range?.start.column}`;
}

const both = "release: '2023.10'\nenvironments: { new: { release: '2026.2.2' }, old: {} }";

test('the release of the chosen environment overrides that of the top level', async () => {
  const releaseIn = async (env?: string): Promise<Settings['release']> => (await read(both, env)).release;
  expect(await releaseIn('new')).toEqual({ year: 2026, month: 2, patch: 2 });
  expect(await releaseIn('old')).toEqual({ year: 2023, month: 10 });
  expect(await releaseIn()).toEqual({ year: 2023, month: 10 });
});

test('the release is unknown if it is not set', async () => {
  expect((await read('manifests: [m]')).release).toBeUndefined();
});

test('a release written as a number is an error, and the message explains how YAML reads the number', async () => {
  const { diagnostics } = await read('release: 2024.10');
  expect(diagnostics.map(place)).toEqual(['wrong-type 2:10']);
  expect(diagnostics[0]?.detail).toBe('Quote it: without quotes, YAML reads the number 2024.1 here.');
});

test.each([
  ["release: 'newest'", 'invalid-format 2:10'],
  ["release: '2024.1'", 'invalid-value 2:10'],
  ["release: '2022.12'", 'invalid-value 2:10'],
  ["environments: { a: {}, b: { release: '2025.12.x' } }", 'invalid-format 2:38'],
])('an invalid release is an error at its place: %s', async (config, expected) => {
  const { diagnostics } = await read(config);
  expect(diagnostics.map(place)).toEqual([expected]);
});
