import { describe, expect, test } from 'vitest';
import { UsageError } from '../../src/base/errors.ts';
import { capabilities } from '../../src/kinds/capability.ts';
import { permittedCapabilities } from '../../src/settings/capabilities.ts';
import { noConfig } from '../../src/settings/values.ts';
import type { Settings } from '../../src/settings/settings.ts';
import { memoryFiles } from '../support/memory-files.ts';
import { readSchema } from '../support/schemas.ts';
import { projectSettings } from '../support/settings.ts';

const config = `version: 1
capabilities: [update]
environments:
  production: { url: https://id.example.com, capabilities: [] }
  staging: { url: https://staging.example.com }
`;

function settings(
  flags: {
    readonly capability?: string[];
    readonly contractOnly?: boolean;
    readonly env?: string;
    readonly allow?: string[];
  } = {},
  env: Readonly<Record<string, string>> = {},
  text = config,
): Promise<Settings> {
  return projectSettings(flags, env, memoryFiles({ 'rollcall.yaml': text }));
}

describe('the enabled capabilities', () => {
  test('are empty by default', async () => {
    expect((await settings({}, {}, 'version: 1\n')).capabilities).toEqual([]);
  });

  test('come from the chosen environment of rollcall.yaml, or else from the top level', async () => {
    expect((await settings()).capabilities).toEqual(['update']);
    expect((await settings({ env: 'staging' })).capabilities).toEqual(['update']);
    expect((await settings({ env: 'production' })).capabilities).toEqual([]);
  });

  test('come from the flag, or else from the variable, or else from the file', async () => {
    const none = 'version: 1\n';
    const variable = { ROLLCALL_CAPABILITIES: ' update, update ' };
    expect((await settings({}, variable, none)).capabilities).toEqual(['update']);
    expect((await settings({ capability: ['update'] }, {}, none)).capabilities).toEqual(['update']);
    expect((await settings({ capability: ['delete, update'] })).capabilities).toEqual(['delete', 'update']);
    expect((await settings({}, { ROLLCALL_CAPABILITIES: '' })).capabilities).toEqual(['update']);
    expect((await settings({ env: 'production' }, variable)).capabilities).toEqual(['update']);
    expect((await settings({ capability: [] }, variable)).capabilities).toEqual([]);
    expect((await settings({}, { ROLLCALL_CAPABILITIES: ' ' })).capabilities).toEqual([]);
  });

  test('are empty with contract_only, whose value comes from the flag, or else from the variable, or else from the file', async () => {
    const kept = `${config}contract_only: true\n`;
    const reach = async (...given: Parameters<typeof settings>): Promise<readonly unknown[]> => {
      const { contractOnly, capabilities: turnedOn } = await settings(...given);
      return [contractOnly, turnedOn];
    };
    expect(await reach({}, {}, config)).toEqual([false, ['update']]);
    expect(await reach({}, {}, kept)).toEqual([true, []]);
    expect(await reach({ contractOnly: true })).toEqual([true, []]);
    expect(await reach({}, { ROLLCALL_CONTRACT_ONLY: 'true' })).toEqual([true, []]);
    expect(await reach({}, { ROLLCALL_CONTRACT_ONLY: 'false' }, kept)).toEqual([false, ['update']]);
    const flag = { contractOnly: false };
    expect(await reach(flag, { ROLLCALL_CONTRACT_ONLY: 'true' })).toEqual([false, ['update']]);
    const one = kept.replace('staging.example.com }', 'staging.example.com, contract_only: false }');
    expect(await reach({ env: 'staging' }, {}, one)).toEqual([false, ['update']]);
    await expect(settings({}, { ROLLCALL_CONTRACT_ONLY: 'yes' })).rejects.toThrow(
      'ROLLCALL_CONTRACT_ONLY cannot be "yes"',
    );
  });

  test.each(['lookup-users', 'lookup-names', 'lists', 'release'])(
    'cannot include a read, since rollcall always reads: %s',
    async (name) => {
      const advice = expect.stringMatching(
        /^Delete it: rollcall always reads everything that the token may read/,
      ) as string;
      await expect(settings({ capability: [name] })).rejects.toMatchObject({ hint: advice });
      await expect(settings({}, { ROLLCALL_CAPABILITIES: name })).rejects.toMatchObject({ hint: advice });
      const { diagnostics } = await settings({}, {}, `version: 1\ncapabilities: [update, ${name}]\n`);
      expect(diagnostics).toMatchObject([{ code: 'invalid-value', detail: advice }]);
    },
  );

  test('must be known, wherever they are set', async () => {
    await expect(settings({ capability: ['updat'] })).rejects.toThrow(
      new UsageError('--capability: there is no capability "updat"', 'Did you mean `update`?'),
    );
    await expect(settings({}, { ROLLCALL_CAPABILITIES: 'all' })).rejects.toThrow(
      'ROLLCALL_CAPABILITIES: there is no capability "all"',
    );
    const { diagnostics } = await settings({}, {}, 'version: 1\ncapabilities: [updat]\n');
    expect(diagnostics).toMatchObject([
      { code: 'invalid-value', range: { start: { line: 2, column: 16 } }, detail: /update/ },
    ]);
  });

  test.each([
    [',update', 1],
    ['update,,delete', 2],
    ['update, ', 2],
  ])('must not be %j, which has an empty word', async (names, place) => {
    const words = `word ${place} of ${JSON.stringify(names)} is empty`;
    await expect(settings({ capability: [names] })).rejects.toThrow(`--capability: ${words}`);
    await expect(settings({ allow: [names] })).rejects.toThrow(`--allow: ${words}`);
    await expect(settings({}, { ROLLCALL_CAPABILITIES: names })).rejects.toThrow(
      `ROLLCALL_CAPABILITIES: ${words}`,
    );
  });

  test('permit the changes that the flag names, or else those that the file names', () => {
    const sources = { config: { ...noConfig, allow: ['delete' as const] }, values: { nameOf: String } };
    const reach = { contractOnly: false, capabilities };
    const flag = { ...sources.values, allow: ['update'] };
    expect(permittedCapabilities(sources, reach)).toEqual(['delete']);
    expect(permittedCapabilities({ ...sources, values: flag }, reach)).toEqual(['update']);
  });

  test('are all in the schema of rollcall.yaml', () => {
    expect(readSchema('config')).toMatchObject({
      definitions: { capabilities: { items: { enum: [...capabilities] } } },
    });
  });
});
