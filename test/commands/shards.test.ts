import { describe, expect, test } from 'vitest';
import { apply } from '../../src/commands/apply.ts';
import { plan } from '../../src/commands/plan.ts';
import { seedSandbox } from '../../src/sandbox/seed.ts';
import type { Transport } from '../../src/service/transport.ts';
import { done, runOn, type Ran } from '../support/manifest-run.ts';
import { times } from '../support/effort.ts';
import { capture } from '../support/run.ts';

const shards = 8;

/** A manifest with `each` applications and `each` users. */
function manifest(each: number): string {
  const numbers = Array.from({ length: each }, (_, index) => index);
  return [
    'version: 1',
    'applications:',
    ...numbers.map((number) => `  - { slug: app-${number}, name: Application ${number} }`),
    'users:',
    ...numbers.map((number) => `  - { username: user-${number}, name: User ${number} }`),
    '',
  ].join('\n');
}

interface World {
  readonly transport: Transport;
  /** The records that the runs created, in any order. */
  readonly created: () => string[];
}

/** A sandbox without HTTP that already has some of the resources. */
function world(): World {
  const { sandbox } = seedSandbox({
    applications: [
      { slug: 'app-3', name: 'Application 3' },
      { slug: 'app-4', name: 'Another name' },
    ],
    users: [{ username: 'user-5', name: 'User 5' }],
  });
  const created: string[] = [];
  return {
    created: () => created.toSorted(),
    transport: async ({ method, path, body = '' }) => {
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      const headers = { authorization: 'Bearer sandbox-token', 'content-type': 'application/json' };
      const response = sandbox.handle({ method, path, headers, body });
      if (method === 'POST' && response.status === 201) created.push(body);
      return { kind: 'answered', ...response };
    },
  };
}

function runShard(
  command: typeof apply,
  shard: string | undefined,
  text: string,
  { transport }: World,
): Promise<Ran> {
  const options = { output: 'json', ...(shard !== undefined && { shard }) };
  return runOn(command, transport, text, options, { contractOnly: true });
}

const names = Array.from({ length: shards }, (_, index) => `${index + 1}/${shards}`);

describe('shards', () => {
  test('that run in parallel have together the same result as one run of all resources', async () => {
    const count = times({ short: 20, full: 4000 });
    const text = manifest(count / 2);
    const [together, alone] = [world(), world()];
    const parts = await Promise.all(names.map((name) => runShard(apply, name, text, together)));
    const whole = await runShard(apply, undefined, text, alone);
    expect(parts.map(({ ending }) => ending)).toEqual(names.map(() => 'done'));
    expect(together.created()).toEqual(alone.created());
    expect(together.created()).toHaveLength(count - 3);

    const outcomesIn = ({ stdout }: Ran): { address: string; outcome: string }[] =>
      (JSON.parse(stdout) as { outcomes: { address: string; outcome: string }[] }).outcomes;
    const told = (outcomes: ReturnType<typeof outcomesIn>): string[] =>
      outcomes.map(({ address, outcome }) => `${address} ${outcome}`).toSorted();
    expect(told(parts.flatMap(outcomesIn))).toEqual(told(outcomesIn(whole)));
    // All shards have about the same size.
    for (const { stdout } of parts) {
      const { outcomes } = JSON.parse(stdout) as { outcomes: unknown[] };
      const share = count / shards;
      expect(Math.abs(outcomes.length - share)).toBeLessThan(5 * Math.sqrt(share));
    }
  });

  test('are described in their plan', async () => {
    const { context, stdout } = capture({
      contractOnly: true,
      files: { 'm.yaml': manifest(50) },
      url: 'http://127.0.0.1:9',
      transport: world().transport,
    });
    await plan(['m.yaml'], { output: 'text', shard: '2/8', exclude: ['user.*'] }, context);
    expect(stdout()).toMatch(/^Shard 2 of 8, without user\.\*: \d+ of the 100 declared resources\.$/m);
  });

  test('may be empty if there are few resources', async () => {
    const { stdout } = await done(runShard(apply, '1/100', manifest(1), world()));
    expect(JSON.parse(stdout)).toMatchObject({ outcomes: [] });
  });

  test('are the same on every machine and in every release', async () => {
    const { stdout } = await runShard(plan, '1/8', manifest(20), world());
    const { resource_changes } = JSON.parse(stdout) as { resource_changes: { address: string }[] };
    expect(resource_changes.map(({ address }) => address)).toMatchInlineSnapshot(`
      [
        "application.app-1",
        "application.app-14",
        "application.app-17",
        "application.app-9",
        "user.user-11",
        "user.user-16",
      ]
    `);
  });

  test.each(['0/8', '9/8', '1', '1/0', 'a/b', '-1/8', '1/8/8'])('cannot be written as %s', async (shard) => {
    await expect(runShard(apply, shard, manifest(1), world())).rejects.toMatchObject({
      hint: expect.stringContaining('I/N') as string,
    });
  });
});
