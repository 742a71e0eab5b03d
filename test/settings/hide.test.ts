import { describe, expect, test } from 'vitest';
import { hideableFields } from '../../src/kinds/hide.ts';
import type { Settings } from '../../src/settings/settings.ts';
import { memoryFiles } from '../support/memory-files.ts';
import { projectSettings } from '../support/settings.ts';

async function settings(config: string, vars = 'a: 1\n'): Promise<Settings> {
  const files = memoryFiles({
    'rollcall.yaml': config,
    'v.yaml': vars,
    'named-in-config.yaml': 'mail: canary: x\n',
  });
  return projectSettings({ vars: ['v.yaml'] }, {}, files);
}

describe('the setting `hide` of rollcall.yaml', () => {
  test('lists the hidden fields, and is empty by default', async () => {
    expect((await settings('version: 1\nhide: [user.email]\n')).hide).toEqual(['user.email']);
    expect((await settings('version: 1\n')).hide).toEqual([]);
  });

  test('is reported at its place if an item is not a field', async () => {
    const { diagnostics } = await settings(
      'version: 1\nhide:\n  - user.email\n  - user.emial\n  - user.username\n',
    );
    expect(diagnostics).toMatchObject([
      {
        code: 'invalid-value',
        detail: 'Did you mean `user.email`?',
        range: { start: { line: 4, column: 5 } },
      },
      { code: 'invalid-value', summary: '`user.username` cannot be hidden', range: { start: { line: 5 } } },
    ]);
  });

  test.each([
    ['names an unknown field', 'version: 1\nhide: [user.emial]\n'],
    ['is not a list', 'version: 1\nhide: user.email\n'],
    ['is in a file with another error', 'version: 2\nhide: [user.email]\n'],
    ['is in a file of invalid YAML', 'version: 1\nhide: [user.email\n'],
    ['is in flow style', '{ version: 2, "hide": [user.email] }\n'],
  ])('hides all fields of manifests if the setting is unreadable because it %s', async (_, config) => {
    expect((await settings(config)).hide).toEqual(hideableFields());
  });

  test('in a comment of an invalid file hides nothing', async () => {
    expect((await settings('version: 2\n# hide: [user.email]\n')).hide).toEqual([]);
  });

  test.each([
    ['rollcall.yaml', 'version: 1\nhide: [user.email]\nvars: { mail: canary, mail: x }\n', 'a: 1\n'],
    ['an invalid rollcall.yaml', 'version: 1\nhide: [user.email]\nvars:\n  mail: canary: x\n', 'a: 1\n'],
    ['a variable file', 'version: 1\nhide: [user.email]\n', 'mail: canary: x\n'],
    [
      'a variable file that rollcall.yaml names',
      'version: 1\nhide: [user.email]\nvars_files: [named-in-config.yaml]\n',
      'a: 1\n',
    ],
  ])('prevents messages from quoting lines with variables in %s', async (_, config, vars) => {
    const { diagnostics } = await settings(config, vars);
    expect(diagnostics).toHaveLength(1);
    expect(diagnostics[0]).not.toHaveProperty('excerpt');
  });
});
