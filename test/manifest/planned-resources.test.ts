import { expect, test } from 'vitest';
import { user } from '../../src/kinds/user.ts';
import type { JsonObject } from '../../src/base/json.ts';
import {
  plannedResources,
  type PlannedEntry,
  type PlannedResources,
} from '../../src/manifest/planned-resources.ts';
import { sensitive } from '../../src/base/sensitive.ts';
import { desired } from '../support/desired.ts';
import { memoryFiles } from '../support/memory-files.ts';

const origin = { kind: 'saved-plan', filename: 'm.yaml', entry: { line: 3, column: 5 }, fields: {} } as const;

/** A user of a saved plan, whose references are resolved with KEY as ` padded\n`. */
function resolved(shown: JsonObject, references: PlannedEntry['references'] = {}): Promise<PlannedResources> {
  const entry: PlannedEntry = { kind: user, name: 'alice', shown, references, origin };
  return plannedResources([entry], { files: memoryFiles({}), env: { KEY: ' padded\n', ODD: '\x85odd\x1c' } });
}

const alice = { username: 'alice', name: 'Alice' };

test('a field is trimmed, and what lies deeper in attributes is kept, as in a manifest', async () => {
  const { resources, diagnostics } = await resolved(
    { ...alice, name: sensitive, attributes: { key: sensitive, list: [1, sensitive] } },
    {
      '/name': ['\x85', { env: 'KEY' }],
      '/attributes/key': ['x', { env: 'KEY' }],
      '/attributes/list/1': [{ env: 'KEY' }],
    },
  );
  expect(diagnostics).toEqual([]);
  expect(resources[0]?.fields).toEqual({
    username: 'alice',
    name: 'padded',
    attributes: { key: 'x padded\n', list: [1, ' padded\n'] },
  });
  expect(resources[0]?.secrets).toEqual(['padded']);
});

test('a secret is known as the service stores it, in a saved plan and in a manifest', async () => {
  const planned = await resolved({ ...alice, name: sensitive }, { '/name': [{ env: 'ODD' }] });
  expect(planned.resources).toMatchObject([{ fields: { name: 'odd' }, secrets: ['odd'] }]);
  const manifest = 'version: 1\nusers: [{ username: alice, name: "${env:ODD}" }]\n';
  expect(await desired(manifest, { ODD: '\x85odd\x1c' })).toMatchObject([
    { fields: { name: 'odd' }, secrets: ['odd'] },
  ]);
});

test.each<[string, JsonObject, PlannedEntry['references']]>([
  ['for another user', { ...alice, username: 'mallory' }, {}],
  ['for a user whose name is a secret', { ...alice, username: sensitive }, { '/username': [{ env: 'KEY' }] }],
  ['for nobody', { name: 'Alice' }, {}],
  ['with a field that no manifest can have', { ...alice, is_superuser: true }, {}],
])('a plan that was altered to be %s is refused', async (_, shown, references) => {
  expect(await resolved(shown, references)).toMatchObject({
    resources: [],
    diagnostics: [
      {
        code: 'stale-plan',
        address: 'user.alice',
        range: { filename: 'm.yaml', start: { line: 3, column: 5 } },
      },
    ],
  });
});
