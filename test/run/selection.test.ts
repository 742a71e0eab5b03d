import { describe, expect, test } from 'vitest';
import { apply } from '../../src/commands/apply.ts';
import { plan } from '../../src/commands/plan.ts';
import { isJsonList, isJsonObject, parseJson, textOf } from '../../src/base/json.ts';
import { runOn, type Ran } from '../support/manifest-run.ts';
import { World } from '../support/update-world.ts';

const text = (name: string): string => `version: 1
groups:
  - { name: org }
  - { name: crew, parents: [{ name: org }] }
  - { name: other }
users: [{ username: alice, name: ${name}, groups: [{ name: crew }] }]
`;

function addressesIn({ stdout }: Ran): readonly string[] {
  const document = parseJson(stdout) ?? null;
  const changes = isJsonObject(document) ? (document['resource_changes'] ?? null) : null;
  return (isJsonList(changes) ? changes : []).map((change) =>
    isJsonObject(change) ? textOf(change['address']) : '',
  );
}

async function addressesOf(options: object, world = new World({}, '2026.2')): Promise<readonly string[]> {
  return addressesIn(await runOn(plan, world.send, text('A'), { output: 'json', ...options }));
}

describe('the resources of a run', () => {
  test('include those to which the selected ones refer, directly or indirectly', async () => {
    expect(await addressesOf({ target: ['user.*'] })).toEqual(['group.org', 'group.crew', 'user.alice']);
  });

  test('do not include dependencies that --exclude names', async () => {
    const world = new World({ groups: [{ name: 'org' }] }, '2026.2');
    const options = { target: ['user.*'], exclude: ['group.org'] };
    expect(await addressesOf(options, world)).toEqual(['group.crew', 'user.alice']);
  });

  test('do not include dependencies of another shard', async () => {
    const groups = ['org', 'crew', 'other'].map((name) => ({ name }));
    const shards = [1, 2, 3, 4].map((shard) =>
      addressesOf({ shard: `${shard}/4` }, new World({ groups }, '2026.2')),
    );
    expect((await Promise.all(shards)).flat().toSorted()).toEqual([
      'group.crew',
      'group.org',
      'group.other',
      'user.alice',
    ]);
  });

  test('with --changed-only, include unchanged dependencies, and are the same in an apply of the saved plan', async () => {
    const world = new World({}, '2026.2');
    const setup = { past: { 'm.yaml': text('Old') } };
    const options = { output: 'json', baseline: '.before', changedOnly: true };
    const planned = await runOn(plan, world.send, text('A'), options, setup);
    expect(addressesIn(planned)).toEqual(['group.org', 'group.crew', 'user.alice']);
    const files = { 'plan.json': planned.stdout };
    const saved = { plan: 'plan.json' };
    const applied = await runOn(apply, world.send, text('A'), saved, { files });
    expect(applied.stdout).toContain('3 created');
    expect(world.writes()).toHaveLength(3);
  });
});
