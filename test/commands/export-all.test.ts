import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { apply } from '../../src/commands/apply.ts';
import { exportManifests } from '../../src/commands/export.ts';
import { plan } from '../../src/commands/plan.ts';
import { capture } from '../support/run.ts';
import { World } from '../support/update-world.ts';
import { someOf } from '../support/effort.ts';

test.each(someOf([['2023.10'], ['2025.12']] as const, 1))(
  'an export --all of a new service is in sync with that service: %s',
  async (release) => {
    const seed = { is_fresh: true, tokens: [{ token: 'sandbox-token', superuser: true }] };
    const world = new World(seed, release);
    const { context, stdout } = capture({ url: 'http://127.0.0.1:9', transport: world.send });
    await exportManifests({ output: 'yaml', all: true }, context);
    const lists = Object.keys(parse(stdout()) as object);
    expect(lists).toEqual(expect.arrayContaining(['flows', 'stages', 'policies', 'prompts', 'event_rules']));
    const planned = world.run(stdout());
    expect(
      await plan(['m.yaml'], { output: 'text', detailedExitcode: true }, planned.context),
      planned.stdout() + planned.stderr(),
    ).toBe('done');
    expect(planned.stdout()).toContain('No changes.');
    expect(world.writes()).toEqual([]);
  },
);

test('an export --all of one service recreates its records in a service of a later release', async () => {
  const tokens = [{ token: 'sandbox-token', superuser: true }];
  const { context, stdout } = capture({
    url: 'http://127.0.0.1:9',
    transport: new World({ is_fresh: true, tokens }, '2025.12').send,
  });
  await exportManifests({ output: 'yaml', all: true }, context);
  const world = new World({ tokens }, '2026.2');
  const applied = world.run(stdout());
  const options = { output: 'text', yes: true, allow: ['update', 'way-in'] } as const;
  expect(await apply(['m.yaml'], options, applied.context), applied.stdout() + applied.stderr()).toBe('done');
  const planned = world.run(stdout());
  await plan(['m.yaml'], { output: 'text' }, planned.context);
  expect(planned.stdout()).toContain('No changes.');
});

test('an export refuses --all with --type', async () => {
  const { context } = capture({ url: 'http://127.0.0.1:9', transport: new World().send });
  await expect(exportManifests({ output: 'yaml', all: true, type: ['flow'] }, context)).rejects.toThrow(
    '--all and --type exclude each other',
  );
});
