import { constants } from 'node:buffer';
import { describe, expect, test, vi } from 'vitest';
import { apply } from '../../src/commands/apply.ts';
import { plan } from '../../src/commands/plan.ts';
import { reportMerge } from '../../src/commands/report-merge.ts';
import type { Ending } from '../../src/base/exit-code.ts';
import { seedSandbox } from '../../src/sandbox/seed.ts';
import type { Transport } from '../../src/service/transport.ts';
import { times } from '../support/effort.ts';
import { capture } from '../support/run.ts';
import { schemaErrors } from '../support/schemas.ts';

const shards = 8;

/** A manifest of so many applications and as many users. */
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
  /** What the service has been made to hold, in any order. */
  readonly created: () => string[];
}

/** The sandbox, without HTTP in between; it holds some of the resources already. */
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

interface Ran {
  readonly ending: Ending;
  readonly stdout: string;
  readonly stderr: string;
}

async function applyShard(shard: string | undefined, text: string, { transport }: World): Promise<Ran> {
  const { context, stdout, stderr } = capture({
    files: { 'm.yaml': text },
    url: 'http://127.0.0.1:9',
    transport,
  });
  const ending = await apply(['m.yaml'], { output: 'json', yes: true, ...(shard && { shard }) }, context);
  return { ending, stdout: stdout(), stderr: stderr() };
}

async function planShard(shard: string | undefined, text: string, { transport }: World): Promise<Ran> {
  const { context, stdout, stderr } = capture({
    files: { 'm.yaml': text },
    url: 'http://127.0.0.1:9',
    transport,
  });
  const ending = await plan(['m.yaml'], { output: 'json', ...(shard && { shard }) }, context);
  return { ending, stdout: stdout(), stderr: stderr() };
}

async function merge(
  files: Readonly<Record<string, string>>,
  options: Partial<Parameters<typeof reportMerge>[1]> = {},
): Promise<Ran> {
  const { context, stdout, stderr } = capture({ files });
  const ending = await reportMerge(Object.keys(files), { output: 'json', ...options }, context);
  return { ending, stdout: stdout(), stderr: stderr() };
}

const names = Array.from({ length: shards }, (_, index) => `${index + 1}/${shards}`);

/** What is not the same in two runs: times, ids, and how the requests went. */
function withoutTimes(document: string): unknown {
  return JSON.parse(document, (key, value: unknown) =>
    ['started_at', 'created_at', 'duration_ms', 'pace', 'pk', 'attempts', 'request_id'].includes(key)
      ? undefined
      : value,
  );
}

describe('shards', () => {
  test('of many resources, side by side, come to the same as one run', async () => {
    const count = times({ short: 1000, full: 20_000 });
    const text = manifest(count / 2);
    const [together, alone] = [world(), world()];
    const parts = await Promise.all(names.map((name) => applyShard(name, text, together)));
    const whole = await applyShard(undefined, text, alone);
    expect(parts.map(({ ending }) => ending)).toEqual(names.map(() => 'done'));
    expect(together.created()).toEqual(alone.created());
    expect(together.created()).toHaveLength(count - 3);

    const merged = await merge(
      Object.fromEntries(parts.map(({ stdout }, index) => [`shard-${index}.json`, stdout])),
    );
    expect(merged.ending).toBe('done');
    expect(withoutTimes(merged.stdout)).toEqual(withoutTimes(whole.stdout));
    expect(schemaErrors('apply', JSON.parse(merged.stdout))).toEqual([]);
    // Each has its share, give or take.
    for (const { stdout } of parts) {
      const { outcomes } = JSON.parse(stdout) as { outcomes: unknown[] };
      const share = count / shards;
      expect(Math.abs(outcomes.length - share)).toBeLessThan(5 * Math.sqrt(share));
    }
  });

  test('of a plan are merged into the plan of one run, in any order, and reported as it', async () => {
    const text = manifest(50);
    const parts: Record<string, string> = {};
    for (const name of names.toReversed()) parts[name] = (await planShard(name, text, world())).stdout;
    const whole = await planShard(undefined, text, world());
    const merged = await merge(parts, { report: ['markdown=plan.md', 'html=plan.html'] });
    expect(withoutTimes(merged.stdout)).toEqual(withoutTimes(whole.stdout));
    const asText = await merge(parts, { output: 'text' });
    expect(asText.stdout).toMatch(/Plan: 98 to add, 0 to change, 0 to destroy\.\n$/);
    expect(asText.stdout).not.toContain('Shard');
  });

  test('of a plan with a kind that this rollcall does not know are not merged', async () => {
    const parts = await Promise.all(['1/2', '2/2'].map((shard) => planShard(shard, manifest(50), world())));
    const [one = '', other = ''] = parts.map(({ stdout }) => stdout);
    const files = { 'one.json': one, 'other.json': other.replaceAll('user', 'robot') };
    await expect(merge(files)).rejects.toThrow('other.json is not a document that goes with the others');
  });

  test('tell each warning once when they are merged', async () => {
    const text = `${manifest(5)}  - { username: User-1, name: User }\n`;
    const parts: Record<string, string> = {};
    for (const name of names) parts[name] = (await planShard(name, text, world())).stdout;
    const whole = await planShard(undefined, text, world());
    const merged = await merge(parts);
    expect(withoutTimes(merged.stdout)).toEqual(withoutTimes(whole.stdout));
    const similar = { code: 'similar-name', address: 'user.User-1' };
    expect(JSON.parse(merged.stdout)).toMatchObject({ diagnostics: [similar] });
    // What is about no resource is told by every shard.
    const ofAll = { severity: 'warning', code: 'no-time-zone', summary: 'of all', detail: '' };
    for (const [name, part] of Object.entries(parts)) {
      const document = JSON.parse(part) as { diagnostics: object[] };
      parts[name] = JSON.stringify({ ...document, diagnostics: [ofAll, ...document.diagnostics] });
    }
    const { diagnostics } = JSON.parse((await merge(parts)).stdout) as { diagnostics: object[] };
    expect(diagnostics).toHaveLength(2);
    expect(diagnostics).toContainEqual(ofAll);
  });

  test('say in their plan which part of the roll they are', async () => {
    const { context, stdout } = capture({
      files: { 'm.yaml': manifest(50) },
      url: 'http://127.0.0.1:9',
      transport: world().transport,
    });
    await plan(['m.yaml'], { output: 'text', shard: '2/8', exclude: ['user.*'] }, context);
    expect(stdout()).toMatch(/^Shard 2 of 8, without user\.\*: \d+ of the 100 declared resources\.$/m);
  });

  test('of a small roll may have nothing to do', async () => {
    const { ending, stdout } = await applyShard('1/100', manifest(1), world());
    expect(ending).toBe('done');
    expect(JSON.parse(stdout)).toMatchObject({ outcomes: [] });
  });

  test('are the same on every machine and in every release', async () => {
    const { stdout } = await planShard('1/8', manifest(20), world());
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

  test.each(['0/8', '9/8', '1', '1/0', 'a/b', '-1/8', '1/8/8'])('cannot be %s', async (shard) => {
    await expect(applyShard(shard, manifest(1), world())).rejects.toMatchObject({
      hint: expect.stringContaining('I/N') as string,
    });
  });
});

describe('report merge', () => {
  const text = manifest(20);

  async function reports(count: number): Promise<Record<string, string>> {
    const files: Record<string, string> = {};
    const service = world();
    for (let index = 1; index <= count; index += 1)
      files[`${index}.json`] = (await applyShard(`${index}/${count}`, text, service)).stdout;
    return files;
  }

  test.each([1, 2, 3])('names the shard that is missing: %i', async (missing) => {
    const all = await reports(3);
    const others = Object.entries(all).filter(([name]) => name !== `${missing}.json`);
    expect(await merge(Object.fromEntries(others))).toEqual({
      ending: 'failed',
      stdout: '',
      stderr: `error: shard ${missing} of 3 is missing\n`,
    });
  });

  test('names the shard that is there twice', async () => {
    const files = await reports(2);
    const merged = await merge({ ...files, 'again.json': files['2.json'] ?? '' });
    expect(merged).toMatchObject({ ending: 'failed', stdout: '' });
    expect(merged.stderr).toBe('error: again.json and 2.json are both of shard 2\n');
  });

  test.each([
    [
      'of other manifests',
      (document: object) => ({ ...document, manifest_digest: `sha256:${'0'.repeat(64)}` }),
      /another manifest_digest/,
    ],
    [
      'for another service',
      (document: object) => ({ ...document, service: 'https://other.example' }),
      /another service/,
    ],
    [
      'of a run that was not sharded',
      (document: object) => ({ ...document, scope: undefined }),
      /is not of a shard/,
    ],
    [
      'of another count',
      (document: object) => ({
        ...document,
        scope: { target: [], exclude: [], declared: 40, shard: { index: 2, count: 5 } },
      }),
      /one of 5 shards/,
    ],
  ])('refuses a report %s', async (_, change, message) => {
    const files = await reports(2);
    files['2.json'] = JSON.stringify(change(JSON.parse(files['2.json'] ?? '') as object));
    const merged = await merge(files);
    expect(merged).toMatchObject({ ending: 'failed', stdout: '' });
    expect(merged.stderr).toMatch(message);
  });

  test.each([
    ['what is no JSON', 'not json', /no JSON document/],
    [
      'another document',
      '{"valid":false}',
      /does not .*goes with|is not a document that goes with the others/,
    ],
  ])('refuses %s', async (_, content, message) => {
    const files = await reports(2);
    await expect(merge({ ...files, '2.json': content })).rejects.toThrow(message);
  });

  test.each([
    ['rejected', 'incomplete'],
    ['conflict', 'incomplete'],
    ['unknown', 'incomplete'],
    ['not_attempted', 'incomplete'],
    ['denied', 'denied'],
    ['exists', 'done'],
  ])('ends as the worst of its shards, one of which holds what is %s', async (outcome, expected) => {
    const files = await reports(2);
    const worse = (files['2.json'] ?? '')
      .replace('"outcome": "created"', `"outcome": "${outcome}"`)
      .replace(/"created": (\d+)/, (_match, count: string) => `"created": ${Number(count) - 1}`)
      .replace(`"${outcome}": 0`, `"${outcome}": 1`);
    expect((await merge({ ...files, '2.json': worse })).ending).toBe(expected);
  });

  test.each(['1.json', '2.json'])('is interrupted where one of its shards was: %s', async (name) => {
    const files = await reports(2);
    const interrupted = (files[name] ?? '').replace('"interrupted": false', '"interrupted": true');
    const { ending, stdout } = await merge({ ...files, [name]: interrupted });
    expect(ending).toBe('interrupted');
    expect(JSON.parse(stdout)).toMatchObject({ interrupted: true });
  });

  test('shows what did not come about', async () => {
    const files = await reports(2);
    const refused = (files['2.json'] ?? '')
      .replace('"outcome": "created"', '"outcome": "rejected"')
      .replace(/"created": (\d+)/, (_match, count: string) => `"created": ${Number(count) - 1}`)
      .replace('"rejected": 0', '"rejected": 1');
    const merged = await merge({ ...files, '2.json': refused }, { output: 'text' });
    expect(merged.ending).toBe('incomplete');
    expect(merged.stdout).toMatch(/^ {2}x (application|user)\.\S+ {2}rejected$/m);
    expect(merged.stdout).toContain('Apply incomplete! Resources: 36 added');
  });
});

test('no more of a document is read than can be made a text', async () => {
  const read = vi.fn<(path: string, maxBytes: number) => Promise<Uint8Array>>(async () => Buffer.from('{'));
  const { context } = capture({});
  const files = { ...context.files, read };
  await expect(reportMerge(['zero'], { output: 'json' }, { ...context, files })).rejects.toThrow(
    'zero holds no JSON document',
  );
  expect(read.mock.lastCall?.[1]).toBeLessThanOrEqual(constants.MAX_STRING_LENGTH);
});
