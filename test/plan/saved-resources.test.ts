import { expect, test } from 'vitest';
import { placeOf, type Resource } from '../../src/kinds/resource.ts';
import type { JsonObject } from '../../src/base/json.ts';
import type { SavedPlan } from '../../src/plan/saved/document.ts';
import { restored } from '../../src/plan/saved/resources.ts';
import { sensitive } from '../../src/base/sensitive.ts';
import { desired } from '../support/desired.ts';
import { memoryFiles } from '../support/memory-files.ts';
import { sentOf } from '../support/values.ts';
import { sentValue } from '../../src/kinds/fields.ts';

type References = SavedPlan['saved']['user.alice']['references'];

/** A plan that creates a user, whose references are resolved with KEY as ` padded\n`. */
function resolved(shown: JsonObject, references: References = {}): ReturnType<typeof restored> {
  const plan: SavedPlan = {
    format_version: '1.0',
    tool_version: '1.2.3',
    created_at: '2026-01-01T00:00:00Z',
    service: 'https://id.example.com',
    manifest_digest: '',
    resource_changes: [
      {
        address: 'user.alice',
        type: 'user',
        name: 'alice',
        source: { file: 'm.yaml', line: 3, column: 5 },
        presence: 'unknown',
        change: { actions: ['create'], before: null, after: shown },
        differences: [],
      },
    ],
    resource_drift: [],
    summary: { create: 0, create_if_absent: 1, delete: 0, update: 0, in_sync: 0, differs: 0, not_planned: 0 },
    saved: { 'user.alice': { places: {}, references } },
    digest: '',
  };
  return restored(plan, { files: memoryFiles({}), env: { KEY: ' padded\n', ODD: '\x85odd\x1c' }, hide: [] });
}

/** The resource of the user. */
async function aliceOf(shown: JsonObject, references: References): Promise<Resource | undefined> {
  const result = await resolved(shown, references);
  return result.kind === 'restored' ? result.plan.changes[0]?.resource : undefined;
}

const alice = { username: 'alice', name: 'Alice' };

test('a field is trimmed, and what lies deeper in attributes is kept, as in a manifest', async () => {
  const resource = await aliceOf(
    { ...alice, name: sensitive, attributes: { key: sensitive, list: [1, sensitive] } },
    {
      '/name': ['\x85', { env: 'KEY' }],
      '/attributes/key': ['x', { env: 'KEY' }],
      '/attributes/list/1': [{ env: 'KEY' }],
    },
  );
  expect(resource && sentOf(resource)).toEqual({
    username: 'alice',
    name: 'padded',
    attributes: { key: 'x padded\n', list: [1, ' padded\n'] },
  });
  expect(resource?.secrets).toEqual(['padded']);
});

test('a resource stands where its plan says that the manifest declares it', async () => {
  const { filename, ...range } = placeOf((await aliceOf(alice, {})) ?? expect.fail('it was refused'));
  expect(filename).toBe('m.yaml');
  expect(range).toEqual({ start: { line: 3, column: 5 }, end: { line: 3, column: 5 } });
});

test('a secret is known as the service stores it, in a saved plan and in a manifest', async () => {
  const planned = await aliceOf({ ...alice, name: sensitive }, { '/name': [{ env: 'ODD' }] });
  const [read] = await desired('version: 1\nusers: [{ username: alice, name: "${env:ODD}" }]\n', {
    ODD: '\x85odd\x1c',
  });
  for (const resource of [planned, read]) {
    expect(resource && sentValue(resource, 'name')).toBe('odd');
    expect(resource?.secrets).toEqual(['odd']);
  }
});

test.each<[string, JsonObject, References]>([
  ['for another user', { ...alice, username: 'mallory' }, {}],
  ['for a user whose name is a secret', { ...alice, username: sensitive }, { '/username': [{ env: 'KEY' }] }],
  ['for nobody', { name: 'Alice' }, {}],
  ['with a field that no manifest can have', { ...alice, is_superuser: true }, {}],
])('a plan that was altered to be %s is refused', async (_, shown, references) => {
  expect(await resolved(shown, references)).toMatchObject({
    kind: 'refused',
    diagnostics: [
      {
        code: 'stale-plan',
        address: 'user.alice',
        range: { filename: 'm.yaml', start: { line: 3, column: 5 } },
      },
    ],
  });
});
