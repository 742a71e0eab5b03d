import { describe, expect, test } from 'vitest';
import { UsageError } from '../../src/base/errors.ts';
import type { Ending } from '../../src/base/exit-code.ts';
import { apply, type ApplyOptions } from '../../src/commands/apply.ts';
import { doctor } from '../../src/commands/doctor.ts';
import { plan, type PlanOptions } from '../../src/commands/plan.ts';
import { validate } from '../../src/commands/validate.ts';
import { formatNames } from '../../src/report/formats/all.ts';
import { fakeService } from '../support/fake-service.ts';
import type { Context } from '../../src/terminal/context.ts';
import { endOf, type Ran } from '../support/manifest-run.ts';
import { capture, type Setup } from '../support/run.ts';
import { schemaErrors } from '../support/schemas.ts';
import { answered, scriptedTransport } from '../support/scripted-transport.ts';

const url = 'https://id.example.com';
const name = `production (${url})`;

const files = {
  'rollcall.yaml': [
    'version: 1',
    'manifests: [m.yaml]',
    'environments:',
    `  production: { url: '${url}', token_env: PRODUCTION_TOKEN }`,
    `  twin: { url: '${url}', token_env: PRODUCTION_TOKEN }`,
  ].join('\n'),
  'm.yaml': [
    'version: 1',
    'applications: [{ slug: wiki, name: Wiki }]',
    'users: [{ username: bob }, { username: zoe }]',
  ].join('\n'),
};

interface Tried extends Ran {
  /** The text of a usage error. */
  readonly refusal: string;
}

const wiki = { slug: 'wiki', name: 'Other' };

async function ran(command: (context: Context) => Promise<Ending>, setup: Setup = {}): Promise<Tried> {
  const env = { PRODUCTION_TOKEN: 'canary-token' };
  const transport = fakeService({ wiki }).send;
  const given = { contractOnly: true, files, transport, env, answerToPrompt: 'no', ...setup };
  let refusal = '';
  const endOrRefusal = (context: Context): Promise<string> =>
    command(context).catch((error: unknown): Ending => {
      if (!(error instanceof UsageError)) throw error;
      refusal = `${error.message}\n${error.hint}`;
      return 'invalid';
    });
  return { ...(await endOf(capture(given), endOrRefusal)), refusal };
}

const everyReport = formatNames.map((format) => `${format}=report.${format}`);
const production = { env: 'production' };

function planned(options: Partial<PlanOptions> = {}, setup: Setup = {}): Promise<Tried> {
  return ran((context) => plan([], { output: 'text', ...production, ...options }, context), setup);
}

function applied(options: Partial<ApplyOptions> = {}, setup: Setup = {}): Promise<Tried> {
  return ran(
    (context) => apply([], { output: 'text', ...production, yes: true, ...options }, context),
    setup,
  );
}

/** The service and the environment in a document. Expects that the document matches its schema. */
function saidBy(schema: Parameters<typeof schemaErrors>[0], text = ''): object {
  const { service, environment, ...document } = JSON.parse(text) as Record<string, unknown>;
  expect(schemaErrors(schema, { service, environment, ...document })).toEqual([]);
  return { service, environment };
}

const both = { service: url, environment: 'production' };

describe('the environment and the URL of the service are shown', () => {
  test('at the beginning of a plan, even without changes', async () => {
    expect((await planned()).stdout).toMatch(`Plan for ${name}\n\n`);
    const away = scriptedTransport(answered(403, { detail: 'No.' }));
    expect((await planned({}, { transport: away.send })).stderr).toContain(`No plan for ${name}: `);
  });

  test('in the confirmation, with the number of creates', async () => {
    const { questions, ending } = await applied({ yes: false });
    expect(questions).toEqual([`Create 2 in ${name}? Only "yes" is accepted: `]);
    expect(ending).toBe('failed');
    const open = { url, env: { ROLLCALL_TOKEN: 'canary-token' } };
    expect((await ran((context) => apply([], { output: 'text' }, context), open)).questions).toEqual([
      `Create 2 in ${url}? Only "yes" is accepted: `,
    ]);
  });

  test('in every JSON document', async () => {
    expect(saidBy('plan', (await planned({ output: 'json' })).stdout)).toEqual(both);
    expect(saidBy('apply', (await applied({ output: 'json' })).stdout)).toEqual(both);
    const denied = { transport: scriptedTransport(answered(403, { detail: 'No.' })).send };
    expect(saidBy('validation', (await planned({ output: 'json' }, denied)).stdout)).toEqual(both);
    const validated = await ran((context) => validate([], { output: 'json', ...production }, context));
    expect(saidBy('validation', validated.stdout)).toEqual({ environment: 'production' });
  });

  test('by doctor', async () => {
    const examined = (output: 'json' | 'text'): Promise<Tried> =>
      ran((context) => doctor([], { output, contractOnly: true, ...production }, context));
    expect(saidBy('doctor', (await examined('json')).stdout)).toEqual(both);
    expect((await examined('text')).stdout).toMatch(`Checking ${name}\n`);
  });

  test.each([
    ['a plan', planned, {}],
    ['an apply', applied, {}],
    ['a plan of invalid manifests', planned, { files: { ...files, 'm.yaml': 'version: 1\nusers: [x]\n' } }],
    ['a plan without a token', planned, { env: {} }],
    ['an apply without a token', applied, { env: {} }],
    ['a plan with invalid settings', planned, { files: { 'rollcall.yaml': 'version: 2\n' } }],
  ] as const)('in every report of %s', async (what, run, setup) => {
    const known = /token|settings/.test(what) ? 'production' : name;
    const { written } = await run({ report: everyReport }, setup);
    const report = (format: string): string => written.get(`report.${format}`) ?? '';
    const title = what.startsWith('an apply') ? 'rollcall apply' : 'rollcall plan';
    expect(report('markdown').split('\n')[1]).toBe(`### ${title} for \`${known}\``);
    expect(report('html').replaceAll('&#58;', ':')).toContain(`<title>${title} for ${known}</title>`);
    expect(report('junit')).toContain(`<testsuites name="${title} for ${known}"`);
    expect(report('github')).toMatch(/^::(?:warning|error) .*title=\S+ \(production\)::/m);
    expect(JSON.parse(report('json'))).toMatchObject({ environment: 'production' });
    if (known === name) expect(report('text')).toContain(name);
  });
});

describe('a URL that contradicts the environment', () => {
  const elsewhere = { url: 'https://other.example.com' };

  test.each<[string, (setup: Setup) => Promise<Tried>]>([
    ['plan', (setup) => planned({ report: everyReport }, setup)],
    ['apply', (setup) => applied({ report: everyReport }, setup)],
    ['doctor', (setup) => ran((context) => doctor([], { output: 'text', ...production }, context), setup)],
  ])('stops %s before any request, with advice', async (_, run) => {
    const service = fakeService();
    const { ending, refusal, written } = await run({ ...elsewhere, transport: service.send });
    expect(ending).toBe('invalid');
    expect(refusal).toMatch(
      /^ROLLCALL_URL is https:\/\/other.*"production" is at https:\/\/id.*\nUnset ROLLCALL_URL,/,
    );
    expect(service.requests).toEqual([]);
    if (written.size > 0) expect(written.get('report.markdown')).toContain('[invalid-usage]');
  });

  test('does not affect validate', async () => {
    const run = ran((context) => validate([], { output: 'text', ...production }, context), elsewhere);
    expect(await run).toMatchObject({ ending: 'done', refusal: '' });
  });
});

describe('a saved plan with environments', () => {
  async function saved(options: Partial<PlanOptions> = {}, setup: Setup = {}): Promise<string> {
    const { written } = await planned({ out: 'plan.json', ...options }, setup);
    return written.get('plan.json') ?? expect.fail('no plan is saved');
  }

  function appliedFrom(text: string, env: string | undefined, setup: Setup = {}): Promise<Tried> {
    const options = { output: 'text', plan: 'plan.json', ...(env !== undefined && { env }) } as const;
    return ran((context) => apply([], options, context), {
      files: { ...files, 'plan.json': text },
      ...setup,
    });
  }

  const outside = { url, env: { ROLLCALL_TOKEN: 'canary-token' } };

  test('can be applied to its environment', async () => {
    const text = await saved();
    expect(saidBy('plan', text)).toEqual(both);
    const { ending, stdout } = await appliedFrom(text, 'production');
    expect({ ending, head: stdout.split('\n', 1)[0] }).toEqual({ ending: 'done', head: `Plan for ${name}` });
  });

  test.each([
    ['of production', 'production', 'twin', name, `twin (${url})`],
    ['of production', 'production', undefined, name, url],
    ['of no environment', undefined, 'production', url, name],
  ])('%s is refused for another environment, even with the same URL', async (_, of, chosen, made, here) => {
    const { env: _env, ...without } = { ...production, out: 'plan.json', output: 'text' } as const;
    const text =
      of === undefined
        ? ((await ran((context) => plan([], without, context), outside)).written.get('plan.json') ?? '')
        : await saved();
    const service = fakeService({ wiki });
    const { ending, stderr } = await appliedFrom(text, chosen, {
      transport: service.send,
      ...(chosen === undefined && outside),
    });
    expect(ending).toBe('stale');
    expect(stderr).toContain(`this plan was made for ${made}, but this run uses ${here}`);
    expect(service.requests).toEqual([]);
  });
});

describe('the first line of a Markdown comment', () => {
  const markdown = { report: ['markdown=comment.md'] };

  async function firstLine(options: object, setup: Setup = {}, run = planned): Promise<string | undefined> {
    return (await run({ ...markdown, ...options }, setup)).written.get('comment.md')?.split('\n', 1)[0];
  }

  test('contains the service, the environment and the path of rollcall.yaml', async () => {
    expect(await firstLine({ url: `${url}/` })).toBe(
      '<!-- rollcall plan service=https%3A%2F%2Fid.example.com environment=production config=rollcall.yaml -->',
    );
    const ops = { 'ops/rollcall.yaml': files['rollcall.yaml'], 'ops/m.yaml': files['m.yaml'] };
    const env = { PRODUCTION_TOKEN: 'canary-token', GITHUB_WORKSPACE: '/' };
    expect(await firstLine({ config: 'ops/rollcall.yaml' }, { files: ops, env })).toBe(
      '<!-- rollcall plan environment=production config=memory%2Fops%2Frollcall.yaml -->',
    );
    const chosen = { env: { PRODUCTION_TOKEN: 'canary-token', ROLLCALL_ENV: 'production' } };
    expect(await firstLine({ env: undefined }, chosen, applied)).toBe(
      '<!-- rollcall apply environment=production config=rollcall.yaml -->',
    );
  });

  test.each<[string, object, Setup]>([
    ['an invalid manifest', {}, { files: { ...files, 'm.yaml': 'version: 1\nusers: [x]\n' } }],
    ['an invalid rollcall.yaml', {}, { files: { 'rollcall.yaml': 'environments: [' } }],
    ['an invalid flag', { maxCreates: 'x' }, {}],
    ['a missing token', {}, { env: {} }],
    ['too many creates', { maxCreates: '0' }, {}],
    ['a denied token', {}, { transport: scriptedTransport(answered(403, { detail: 'No.' })).send }],
  ])('is the same after a failure, so that one comment replaces another: %s', async (_, options, setup) => {
    expect(await firstLine(options, setup)).toBe(await firstLine({}));
  });

  test('contains the value of --comment-key, if given, instead of the service, environment and path', async () => {
    expect(await firstLine({ commentKey: 'a roll --> of ours' })).toBe(
      '<!-- rollcall plan key=a%20roll%20%2D%2D%3E%20of%20ours -->',
    );
    const validated = ran((context) => {
      const options = { output: 'text', commentKey: 'x', ...markdown, ...production } as const;
      return validate([], options, context);
    });
    expect((await validated).written.get('comment.md')).toMatch(/^<!-- rollcall validate key=x -->\n/);
  });

  test('differs between sets of manifests, however long their names are', async () => {
    const long = 'x'.repeat(1000);
    const [one = '', other = ''] = [
      await firstLine({ commentKey: `${long}1` }),
      await firstLine({ commentKey: `${long}2` }),
    ];
    expect(one).toMatch(/^<!-- rollcall plan [0-9a-f]{64} -->$/);
    expect(other).not.toBe(one);
  });
});
