import { describe, expect, test } from 'vitest';
import { UsageError } from '../../src/base/errors.ts';
import { capabilities } from '../../src/kinds/capability.ts';
import type { Settings } from '../../src/settings/settings.ts';
import { memoryFiles } from '../support/memory-files.ts';
import { readSchema } from '../support/schemas.ts';
import { projectSettings } from '../support/settings.ts';

const config = `version: 1
capabilities: [lookup-users]
environments:
  production: { url: https://id.example.com, capabilities: [] }
  staging: { url: https://staging.example.com }
`;

function settings(
  flags: { readonly capability?: string[]; readonly env?: string } = {},
  env: Readonly<Record<string, string>> = {},
  text = config,
): Promise<Settings> {
  return projectSettings(flags, env, memoryFiles({ 'rollcall.yaml': text }));
}

describe('the capabilities that are turned on', () => {
  test('are none by default', async () => {
    expect((await settings({}, {}, 'version: 1\n')).capabilities).toEqual([]);
  });

  test('are those of the file, and those of an environment in their place', async () => {
    expect((await settings()).capabilities).toEqual(['lookup-users']);
    expect((await settings({ env: 'staging' })).capabilities).toEqual(['lookup-users']);
    expect((await settings({ env: 'production' })).capabilities).toEqual([]);
  });

  test('are those of the variable in place of the file, and those of the flag in place of both', async () => {
    const none = 'version: 1\n';
    const variable = { ROLLCALL_CAPABILITIES: ' lookup-users, lookup-users ' };
    expect((await settings({}, variable, none)).capabilities).toEqual(['lookup-users']);
    expect((await settings({ capability: ['lookup-users'] }, {}, none)).capabilities).toEqual([
      'lookup-users',
    ]);
    expect((await settings({}, { ROLLCALL_CAPABILITIES: '' })).capabilities).toEqual(['lookup-users']);
    const other = { ROLLCALL_CAPABILITIES: 'lists' };
    expect((await settings({}, other)).capabilities).toEqual(['lists']);
    expect((await settings({ capability: ['release'] }, other)).capabilities).toEqual(['release']);
  });

  test('must be known, wherever they are named', async () => {
    await expect(settings({ capability: ['lookup-user'] })).rejects.toThrow(
      new UsageError('--capability: there is no capability "lookup-user"', 'Did you mean `lookup-users`?'),
    );
    await expect(settings({}, { ROLLCALL_CAPABILITIES: 'all' })).rejects.toThrow(
      'ROLLCALL_CAPABILITIES: there is no capability "all"',
    );
    const { diagnostics } = await settings({}, {}, 'version: 1\ncapabilities: [lookup-user]\n');
    expect(diagnostics).toMatchObject([
      { code: 'invalid-value', range: { start: { line: 2, column: 16 } }, detail: /lookup-users/ },
    ]);
  });

  test('are in the schema of the file, each', () => {
    expect(readSchema('config')).toMatchObject({
      definitions: { capabilities: { items: { enum: [...capabilities] } } },
    });
  });
});
