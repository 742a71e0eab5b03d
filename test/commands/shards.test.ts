import { constants } from 'node:buffer';
import { describe, expect, test, vi } from 'vitest';
import { apply } from '../../src/commands/apply.ts';
import { plan } from '../../src/commands/plan.ts';
import { reportMerge } from '../../src/commands/report-merge.ts';
import { formatNames } from '../../src/report/formats/all.ts';
import type { Ending } from '../../src/base/exit-code.ts';
import { seedSandbox } from '../../src/sandbox/seed.ts';
import type { Transport } from '../../src/service/transport.ts';
import { times } from '../support/effort.ts';
import { capture } from '../support/run.ts';
import { schemaErrors } from '../support/schemas.ts';
import { answered, lost } from '../support/scripted-transport.ts';

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
    contractOnly: true,
    files: { 'm.yaml': text },
    url: 'http://127.0.0.1:9',
    transport,
  });
  const ending = await apply(['m.yaml'], { output: 'json', yes: true, ...(shard && { shard }) }, context);
  return { ending, stdout: stdout(), stderr: stderr() };
}

async function planShard(shard: string | undefined, text: string, { transport }: World): Promise<Ran> {
  const { context, stdout, stderr } = capture({
    contractOnly: true,
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
  const { context, stdout, stderr } = capture({ contractOnly: true, files });
  const ending = await reportMerge(Object.keys(files), { output: 'json', ...options }, context);
  return { ending, stdout: stdout(), stderr: stderr() };
}

/** A service that refuses a field of one, breaks off over another, and lets no one see a third. */
function faulty(): World {
  const { transport, created } = world();
  return {
    created,
    transport: async (request) => {
      const { method, body = '' } = request;
      if (method === 'POST' && body.includes('app-7"')) return answered(400, { name: ['No "such" <name>.'] });
      if (method === 'POST' && body.includes('user-3"')) return lost;
      return transport(request);
    },
  };
}

/** A report without what no other run has alike, and without the lines of the manifest, which documents do not hold. */
function comparable(report = ''): string {
  return report
    .replaceAll(/^ +\d* \|.*\n/gm, '')
    .replaceAll(/Begun at .* s\./g, '')
    .replaceAll(/pk [\w-]+/g, 'pk')
    .replaceAll(
      /"(?:pk|started_at|duration_ms|attempts|limit|ceiling|requests|requests_per_second|request_id)": .*/g,
      '',
    );
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
    const count = times({ short: 50, full: 4000 });
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
    const inPlace = await merge(parts, { output: 'text', report: ['json=-'] });
    expect(withoutTimes(inPlace.stdout)).toEqual(withoutTimes(whole.stdout));
  });

  test('of a plan with a kind that this rollcall does not know are not merged', async () => {
    const parts = await Promise.all(['1/2', '2/2'].map((shard) => planShard(shard, manifest(50), world())));
    const [one = '', other = ''] = parts.map(({ stdout }) => stdout);
    const files = { 'one.json': one, 'other.json': other.replaceAll('user', 'robot') };
    expect(await merge(files)).toMatchObject({
      ending: 'failed',
      stdout: '',
      stderr: expect.stringContaining('other.json is not a document that goes with the others'),
    });
  });

  test('report each warning once when they are merged', async () => {
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
      contractOnly: true,
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

  test.each<[string, (list: unknown[], others: readonly unknown[]) => void, RegExp]>([
    ['was taken out of', (list) => list.splice(3, 1), /its summary does not count what it lists/],
    ['is twice in', (list) => list.push(list[0]), /(application|user)\.\S+ is in it twice/],
    [
      'of another shard is in',
      (list, [other]) => list.splice(0, 1, other),
      /(application|user)\.\S+ is not of this shard/,
    ],
  ])('refuses a document where one %s what it lists', async (_, change, message) => {
    const service = world();
    for (const list of ['outcomes', 'resource_changes'] as const) {
      const run = list === 'outcomes' ? applyShard : planShard;
      const files: Record<string, string> = {};
      for (const index of [1, 2]) files[`${index}.json`] = (await run(`${index}/2`, text, service)).stdout;
      const [one, two] = Object.values(files).map(
        (file) => JSON.parse(file) as Record<typeof list, unknown[]>,
      );
      change(two?.[list] ?? [], one?.[list] ?? []);
      for (const output of ['json', 'text'] as const) {
        const merged = await merge({ ...files, '2.json': JSON.stringify(two) }, { output });
        expect(merged).toMatchObject({ ending: 'failed', stdout: '' });
        expect(merged.stderr).toMatch(/^error: 2\.json was altered since it was written: [^\n]+\n$/);
        expect(merged.stderr).toMatch(message);
      }
    }
  });

  test('refuses documents that have fewer than are declared, though each counts what it lists', async () => {
    const files = await reports(2);
    const shard = JSON.parse(files['2.json'] ?? '') as {
      outcomes: { outcome: string }[];
      summary: Record<string, number>;
    };
    const [gone] = shard.outcomes.splice(0, 1);
    if (gone) shard.summary[gone.outcome] = (shard.summary[gone.outcome] ?? 0) - 1;
    for (const output of ['json', 'text'] as const)
      expect(await merge({ ...files, '2.json': JSON.stringify(shard) }, { output })).toEqual({
        ending: 'failed',
        stdout: '',
        stderr:
          'error: the shards have 39 resources, and the manifests declare 40: one of them was altered since it was written\n',
      });
  });

  test.each([
    ['half a document', '{"format_version":', '2.json holds no whole JSON document'],
    ['nothing', '', '2.json holds no whole JSON document'],
    ['another document', '{"valid":false}', '2.json is not a document that goes with the others'],
    [
      'a plan',
      '{"format_version":"1.0","resource_changes":[]}',
      '2.json is not a document that goes with the others',
    ],
    [
      'why there is no result',
      '{"valid":false,"diagnostics":[{"summary":"the service denied\\u0007 access"}]}',
      '2.json holds no result, only why there is none: the service denied\\u{7} access',
    ],
  ])('refuses %s in place of a result', async (_, content, message) => {
    const merged = await merge({ ...(await reports(2)), '2.json': content });
    expect(merged).toMatchObject({ ending: 'failed', stdout: '' });
    expect(merged.stderr).toContain(`error: ${message}`);
  });

  test.each([
    ['started_at', '"2026-06-30T23:59:60Z"'],
    ['type', '"robot"'],
    ['code', '"\\u001b[2J"'],
  ])('refuses a document whose %s nothing of ours can be', async (key, value) => {
    const files = await reports(2);
    const strange = (files['2.json'] ?? '').replaceAll(
      new RegExp(`"${key}": "[^"]*"`, 'g'),
      `"${key}": ${value}`,
    );
    const withCode = strange.replace(
      '"diagnostics": []',
      `"diagnostics": [{"severity":"warning","code":${key === 'code' ? value : '"differs"'},"summary":"","detail":""}]`,
    );
    expect((await merge({ ...files, '2.json': withCode })).ending).toBe('failed');
  });

  test('needs files that can be read, and documents to join', async () => {
    const { context } = capture({ contractOnly: true });
    const none = reportMerge(['gone.json'], { output: 'json' }, context);
    await expect(none).rejects.toThrow('gone.json');
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

  test.each([
    ['1.json', 'SIGINT', 'interrupted'],
    ['1.json', 'SIGTERM', 'terminated'],
    ['2.json', 'SIGHUP', 'hung_up'],
    ['2.json', undefined, 'interrupted'],
  ])('is interrupted where one of its shards was: %s by %s', async (name, signal, ending) => {
    const files = await reports(2);
    const facts = { interrupted: true, ...(signal && { interrupted_by: signal }) };
    const interrupted = JSON.stringify({ ...(JSON.parse(files[name] ?? '') as object), ...facts });
    const merged = await merge({ ...files, [name]: interrupted });
    expect(merged.ending).toBe(ending);
    expect(JSON.parse(merged.stdout)).toMatchObject(facts);
    expect((await merge({ ...files, [name]: interrupted }, { output: 'text' })).stdout).toContain(
      'The run was interrupted.',
    );
  });

  test('fails where a report cannot be written', async () => {
    const files = await reports(2);
    const { context, stdout } = capture({ contractOnly: true, files });
    const writeReport = async (): Promise<never> => Promise.reject(new Error('ENOSPC'));
    const options = { output: 'text', report: ['html=full'] } as const;
    expect(await reportMerge(Object.keys(files), options, { ...context, writeReport })).toBe('failed');
    expect(stdout()).toContain('Apply complete!');
  });

  test('writes of applies what one run would have written, in every format', async () => {
    const roll = manifest(12);
    const files: Record<string, string> = {};
    const [together, alone] = [faulty(), faulty()];
    const report = formatNames.map((format) => `${format}=${format}`);
    const env = { GITHUB_WORKSPACE: '/' };
    const reported = { report, commentKey: 'the roll' };
    for (let index = 1; index <= 3; index += 1)
      files[`${index}.json`] = (await applyShard(`${index}/3`, roll, together)).stdout;
    const run = capture({
      contractOnly: true,
      files: { 'm.yaml': roll },
      url: 'http://127.0.0.1:9',
      transport: alone.transport,
      env,
    });
    const whole = await apply(['m.yaml'], { output: 'json', yes: true, ...reported }, run.context);
    const { context, written } = capture({ contractOnly: true, files, env });
    const ending = await reportMerge(Object.keys(files), { output: 'text', ...reported }, context);
    expect([ending, whole]).toEqual(['incomplete', 'incomplete']);
    for (const format of formatNames)
      expect([format, comparable(written.get(format))]).toEqual([
        format,
        comparable(run.written.get(format)),
      ]);
    expect(written.get('junit')).toContain('failures="2"');
    // The working directory is /memory.
    expect(written.get('junit')).toContain('file="memory/m.yaml"');
  });

  test('says of saved plans what to do next, and by what signal they were interrupted', async () => {
    const roll = 'version: 1\nusers: [{ username: alice, name: Alice }]\n';
    const setup = {
      contractOnly: true,
      files: { 'm.yaml': roll },
      url: 'http://127.0.0.1:9',
      transport: world().transport,
    };
    const planned = capture(setup);
    await plan(['m.yaml'], { output: 'text', shard: '1/1', out: 'plan.json' }, planned.context);
    const files = { 'plan.json': planned.written.get('plan.json') ?? '' };
    const run = capture({ ...setup, files, signal: AbortSignal.abort('SIGTERM') });
    expect(await apply([], { output: 'json', plan: 'plan.json' }, run.context)).toBe('terminated');
    expect(JSON.parse(run.stdout())).toMatchObject({
      interrupted_by: 'SIGTERM',
      saved_plan: true,
      outcomes: [{ outcome: 'not_attempted', stopped_by: 'interrupted' }],
    });
    const merged = await merge({ '1.json': run.stdout() }, { output: 'text' });
    expect(merged).toMatchObject({
      ending: 'terminated',
      stdout: expect.stringMatching(
        /not attempted: the run was interrupted\n[^]*Make a new plan and apply it/,
      ),
    });
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
    expect(merged.stdout).not.toMatch(/^ {2}\+ /m);
  });
});

describe('of more resources than fit into memory', () => {
  const stderr =
    'error: more than 20 resources would have to be told: read the shards one by one, or of an apply only the text without --report, which tells what is left to do\n';

  async function mergeAtMost(
    most: number,
    files: Readonly<Record<string, string>>,
    options: Parameters<typeof reportMerge>[1],
  ): Promise<Ran> {
    const captured = capture({ contractOnly: true, files });
    const ending = await reportMerge(Object.keys(files), options, captured.context, most);
    return { ending, stdout: captured.stdout(), stderr: captured.stderr() };
  }

  async function documents(run: typeof applyShard, service: World): Promise<Record<string, string>> {
    const files: Record<string, string> = {};
    for (const shard of ['1/2', '2/2'])
      files[`${shard.slice(0, 1)}.json`] = (await run(shard, manifest(20), service)).stdout;
    return files;
  }

  test('an apply is merged to a text, as it is of fewer, and to nothing else', async () => {
    const files = await documents(applyShard, faulty());
    const ofFewer = await merge(files, { output: 'text' });
    expect(ofFewer.ending).toBe('incomplete');
    expect(ofFewer.stdout).toMatch(/^3[0-9] created, .*1 rejected/m);
    expect(await mergeAtMost(20, files, { output: 'text' })).toEqual(ofFewer);
    for (const options of [{ output: 'json' }, { output: 'text', report: ['markdown=apply.md'] }] as const)
      expect(await mergeAtMost(20, files, options)).toEqual({ ending: 'failed', stdout: '', stderr });
    expect(await mergeAtMost(40, files, { output: 'json' })).toEqual(await merge(files));
  });

  test('a plan is not merged', async () => {
    const files = await documents(planShard, world());
    for (const output of ['json', 'text'] as const)
      expect(await mergeAtMost(20, files, { output })).toEqual({ ending: 'failed', stdout: '', stderr });
  });
});

test('no more of a document is read than can be made a text', async () => {
  const read = vi.fn<(path: string, maxBytes: number) => Promise<Uint8Array>>(async () => Buffer.from('{'));
  const { context } = capture({ contractOnly: true });
  const files = { ...context.files, read };
  expect(await reportMerge(['zero'], { output: 'json' }, { ...context, files })).toBe('failed');
  expect(read.mock.lastCall?.[1]).toBeLessThanOrEqual(constants.MAX_STRING_LENGTH);
});
