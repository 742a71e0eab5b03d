import { beforeEach, describe, expect, test } from 'vitest';
import { apply, type ApplyOptions } from '../../src/commands/apply.ts';
import { plan, type PlanOptions } from '../../src/commands/plan.ts';
import { UsageError } from '../../src/base/errors.ts';
import type { Ending } from '../../src/base/exit-code.ts';
import { parseJson } from '../../src/base/json.ts';
import { fakeService, type FakeService } from '../support/fake-service.ts';
import { capture, type Setup } from '../support/run.ts';

const files = {
  'm/apps.yaml': 'version: 1\napplications: [{ slug: wiki, name: Wiki }, { slug: new, name: New }]\n',
  'm/users.yaml': 'version: 1\nusers: [{ username: alice, name: A }, { username: bob, name: B }]\n',
};

let service: FakeService;
beforeEach(() => {
  service = fakeService({ wiki: { name: 'Wiki' } });
});

interface Ran {
  readonly ending: Ending;
  readonly stdout: string;
  readonly stderr: string;
}

const withWarnings = {
  'm/all.yaml': `version: 1
applications: [{ slug: wiki, name: Wiki, meta_launch_url: 'https://a/%(id)s' }, { slug: token, name: T }]
users: [{ username: alice, name: A, type: internal_service_account }, { username: bob, name: B, type: internal_service_account }]
`,
};

const setup = (manifests: Setup['files'] = files): Setup => ({
  contractOnly: true,
  files: manifests,
  url: 'https://id.example.com',
  transport: service.send,
});

async function runPlan(options: Partial<PlanOptions>, manifests?: Setup['files']): Promise<Ran> {
  const { context, stdout, stderr } = capture(setup(manifests));
  const ending = await plan(['m'], { output: 'text', ...options }, context);
  return { ending, stdout: stdout(), stderr: stderr() };
}

async function runApply(options: Partial<ApplyOptions>, manifests?: Setup['files']): Promise<Ran> {
  const { context, stdout, stderr } = capture(setup(manifests));
  const ending = await apply(['m'], { output: 'text', yes: true, ...options }, context);
  return { ending, stdout: stdout(), stderr: stderr() };
}

function asked(): string[] {
  return service.requests.map(({ method, path }) => `${method} ${path.replace('/api/v3/core', '')}`);
}

describe('warnings about resources', () => {
  const warned = (stderr: string): string[] =>
    Array.from(stderr.matchAll(/(?:warning|The same for): ([^\s:]+)/g), ([, address = '']) => address);
  const all = ['application.wiki', 'application.token', 'user.alice', 'user.bob'];

  test.each([
    [{}, all],
    [{ exclude: ['user.*'] }, all.slice(0, 2)],
    [{ target: ['*.alice', '*.wiki'] }, ['application.wiki', 'user.alice']],
    [{ exclude: ['user.*', '*.wiki'], quiet: true }, []],
    [{ quiet: true }, []],
  ])('are printed by plan and apply when the run is about them: %j', async (options, addresses) => {
    for (const run of [runPlan, runApply])
      expect(warned((await run(options, withWarnings)).stderr)).toEqual(addresses);
  });

  test('are in the shard of their resource only', async () => {
    const shards = await Promise.all(
      ['1/2', '2/2'].map(async (shard) => warned((await runPlan({ shard }, withWarnings)).stderr)),
    );
    expect(shards.flat().toSorted()).toEqual(all.toSorted());
  });

  test('are left out of the reports as well when the run is not about them', async () => {
    const { context, written } = capture(setup(withWarnings));
    await plan(['m'], { output: 'text', exclude: ['user.*'], report: ['github=found.txt'] }, context);
    expect(written.get('found.txt')).toContain('not-in-release');
    expect(written.get('found.txt')).not.toContain('likely-refused');
  });

  test.each([{ quiet: true }, { exclude: ['application.*'], quiet: true }])(
    'give way to errors, which are printed in any case: %j',
    async (options) => {
      const broken = {
        ...withWarnings,
        'm/z.yaml': 'version: 1\napplications: [{ slug: "a b", name: A }]\n',
      };
      const { stderr, ending } = await runPlan(options, broken);
      expect(ending).toBe('invalid');
      expect(stderr).toContain('[invalid-format]');
      expect(warned(stderr)).toEqual([]);
    },
  );
});

describe('--target and --exclude', () => {
  test('leave the others alone: they are neither looked up nor created', async () => {
    const { stdout, ending } = await runApply({ target: ['application.n*', 'user.*'], exclude: ['*.bob'] });
    expect(ending).toBe('done');
    expect(asked()).toEqual(['GET /applications/new/', 'POST /applications/', 'POST /users/']);
    expect(stdout).toContain('Apply complete! Resources: 2 added');
    expect(stdout).not.toMatch(/wiki|user\.bob/);
  });

  test.each([
    [{ target: ['application.*'] }, 'Only application.*: 2 of the 4 declared resources.'],
    [{ exclude: ['*.bob', 'user.alice'] }, 'Without *.bob, user.alice: 2 of the 4 declared resources.'],
    [
      { target: ['user.*'], exclude: ['*.bob'] },
      'Only user.*, without *.bob: 1 of the 4 declared resources.',
    ],
  ])('are said in the plan: %j', async (options, said) => {
    expect((await runPlan(options)).stdout).toMatch(`Plan for https://id.example.com\n${said}\n\n`);
    const { stdout } = await runPlan({ ...options, output: 'json' });
    expect(parseJson(stdout)).toMatchObject({ scope: { target: [], exclude: [], ...options, declared: 4 } });
  });

  test('have the digest of all that is declared, and the whole has no scope', async () => {
    const whole = parseJson((await runPlan({ output: 'json' })).stdout);
    const some = parseJson((await runPlan({ output: 'json', exclude: ['*.bob'] })).stdout);
    const all = parseJson((await runPlan({ output: 'json', target: ['*'] })).stdout);
    expect(whole).not.toHaveProperty('scope');
    expect(some).toMatchObject({ manifest_digest: digestOf(whole) });
    expect(all).toMatchObject({ manifest_digest: digestOf(whole) });
  });

  function digestOf(document: unknown): unknown {
    return typeof document === 'object' && document !== null && 'manifest_digest' in document
      ? document.manifest_digest
      : undefined;
  }

  test.each<[Partial<PlanOptions>, string, string]>([
    [
      { target: ['application.wikki'] },
      'no declared resource has an address like application.wikki',
      'Did you mean `application.wiki`?',
    ],
    [
      { exclude: ['user.alise'] },
      'no declared resource has an address like user.alise',
      'Did you mean `user.alice`?',
    ],
    [
      { target: ['*', 'nothing.like.it*'], exclude: ['neither.this?'] },
      'no declared resource has an address like nothing.like.it* or neither.this?',
      'Addresses are certificate.NAME, role.NAME, group.NAME, property_mapping.NAME, provider.NAME, outpost.NAME, application.SLUG, and user.USERNAME; * stands for any text, ? for one character.',
    ],
    [
      { target: ['user.bob'], exclude: ['*'] },
      '--target and --exclude leave out every resource',
      'Exclude less.',
    ],
  ])('are refused where they match nothing: %j', async (options, message, hint) => {
    const expected = { name: 'UsageError', message, hint };
    await expect(runPlan(options)).rejects.toMatchObject(expected);
    await expect(runApply(options)).rejects.toMatchObject(expected);
    expect(service.requests).toEqual([]);
  });

  test('do not save a manifest from being checked', async () => {
    const { context, stderr } = capture({
      ...setup(),
      files: { ...files, 'm/x.yaml': 'version: 1\nusers: [{}]\n' },
    });
    expect(await plan(['m'], { output: 'text', target: ['application.wiki'] }, context)).toBe('invalid');
    expect(stderr()).toContain('m/x.yaml:2:9: error: the field `username` is missing');
    expect(service.requests).toEqual([]);
  });
});

describe('--max-creates', () => {
  const complaint =
    'error: the plan would create 3 resources, and --max-creates allows 2 [too-many-creates]\n' +
    '    Users count too: they are not looked up, and may all be absent. Raise the limit, or narrow the plan with --target and --exclude.\n';

  test('fails a plan that would create more, users and all, and shows it', async () => {
    const { ending, stdout, stderr } = await runPlan({ maxCreates: '2' });
    expect(ending).toBe('failed');
    expect(stdout).toContain('Plan: 3 to add, 0 to change, 0 to destroy.\n');
    expect(stderr).toBe(complaint);
  });

  test('fails it also where there being changes is reported by the exit code', async () => {
    expect((await runPlan({ maxCreates: '2', detailedExitcode: true })).ending).toBe('failed');
    expect((await runPlan({ maxCreates: '3', detailedExitcode: true })).ending).toBe('changes');
  });

  test('keeps apply from creating anything', async () => {
    const { ending, stderr } = await runApply({ maxCreates: '2' });
    expect(ending).toBe('failed');
    expect(stderr).toBe(complaint);
    expect(asked().toSorted()).toEqual(['GET /applications/new/', 'GET /applications/wiki/']);
  });

  test.each([
    ['3', {}],
    ['2', { exclude: ['user.bob'] }],
    ['0', { target: ['application.wiki'] }],
  ])('of %s lets apply create as many: %j', async (maxCreates, options) => {
    expect((await runApply({ maxCreates, ...options })).ending).toBe('done');
    expect(service.creates()).toHaveLength(Number(maxCreates));
  });

  test.each(['', 'x', '-1', '1.5', '1e3', '0x10', ' 1', '1000001', '99999999999'])(
    'cannot be %j',
    async (maxCreates) => {
      const refusal = new UsageError(`--max-creates cannot be ${JSON.stringify(maxCreates)}`, '');
      await expect(runPlan({ maxCreates })).rejects.toThrow(refusal.message);
      await expect(runApply({ maxCreates })).rejects.toThrow(refusal.message);
      expect(service.requests).toEqual([]);
    },
  );
});
