import { beforeEach, describe, expect, test } from 'vitest';
import { apply, type ApplyOptions } from '../../src/commands/apply.ts';
import { plan, type PlanOptions } from '../../src/commands/plan.ts';
import { validate } from '../../src/commands/validate.ts';
import { undefinedOnUsageError } from '../../src/base/errors.ts';
import type { Ending } from '../../src/base/exit-code.ts';
import { parseJson } from '../../src/base/json.ts';
import { maxAsPlanned } from '../../src/report/words/split-by-importance.ts';
import { fakeService, type FakeService } from '../support/fake-service.ts';
import { capture, type Setup } from '../support/run.ts';
import { schemaErrors } from '../support/schemas.ts';
import { answered } from '../support/scripted-transport.ts';
import { virtualClock } from '../support/virtual-clock.ts';
import { done } from '../support/manifest-run.ts';

const files = {
  'a.yaml':
    'version: 1\napplications: [{ slug: wiki, name: Wiki }, { slug: new, name: New }]\nusers: [{ username: alice, name: A }]\n',
};
const broken = { 'a.yaml': 'version: 1\nusers: [{ username: alice, nam: A }]\n' };

let service: FakeService;
beforeEach(() => {
  service = fakeService({ wiki: { name: 'Other' } });
});

interface Ran {
  readonly ending: Ending;
  readonly stdout: string;
  readonly stderr: string;
  readonly written: ReadonlyMap<string, string>;
}

interface Options extends Partial<Omit<PlanOptions, 'output'>> {
  readonly output?: 'text' | 'json';
}

/** Runs a command in a context in which a file named `full` cannot be written. */
async function run(
  command: (context: ReturnType<typeof capture>['context']) => Promise<Ending>,
  setup: Setup,
): Promise<Ran> {
  const { context, stdout, stderr, written } = capture({
    files,
    url: 'https://id.example.com',
    transport: service.send,
    clock: virtualClock(),
    ...setup,
  });
  const refusing =
    (write: typeof context.writeReport): typeof context.writeReport =>
    (filename, text) =>
      filename === 'full' ? Promise.reject(new Error('ENOSPC: no space left')) : write(filename, text);
  const ending = await command({
    ...context,
    writeReport: refusing(context.writeReport),
    appendFile: refusing(context.appendFile),
  });
  return { ending, stdout: stdout(), stderr: stderr(), written };
}

function runPlan(options: Options, setup: Setup = {}): Promise<Ran> {
  return run((context) => plan(['a.yaml'], { output: 'text', ...options }, context), setup);
}

function runApply(options: Partial<ApplyOptions>, setup: Setup = {}): Promise<Ran> {
  return run((context) => apply(['a.yaml'], { output: 'text', yes: true, ...options }, context), setup);
}

function runValidate(report: string[], setup: Setup = {}): Promise<Ran> {
  return run((context) => validate(['a.yaml'], { output: 'text', report }, context), setup);
}

const denied: Setup = { transport: async () => answered(403, { detail: 'No.' }) };
const formats = ['text', 'json', 'markdown', 'html', 'junit', 'github'];
const all = formats.map((format) => `${format}=${format}`);

describe('--report', () => {
  test('is written even if the input is invalid', async () => {
    for (const command of [plan, apply]) {
      const { context, written } = capture({ files, url: 'https://id.example.com' });
      const options = { output: 'text', yes: true, report: all, timeout: '0' } as const;
      await expect(command(['a.yaml'], options, context)).rejects.toThrow('--timeout cannot be "0"');
      for (const format of formats) expect(written.get(format)).toMatch(/--timeout cannot be .*0/);
    }
  });

  test.each<[string, Partial<PlanOptions>]>([
    ['--allow', { allow: ['frob'] }],
    ['--capability', { capability: ['frob'] }],
    ['--timeout', { timeout: 'x' }],
    ['--wait', { wait: 'x' }],
    ['--concurrency', { concurrency: 'x' }],
  ])('replaces an existing report but no input after a usage error: %s', async (flag, wrong) => {
    const { context, written } = capture({ files: { ...files, old: 'old' }, url: 'https://id.example.com' });
    const options = { output: 'text', report: ['text=a.yaml', 'json=old'], ...wrong } as const;
    await expect(plan(['a.yaml'], options, context)).rejects.toThrow(flag);
    expect([...written.keys()]).toEqual(['old']);
  });

  test('over an input is refused with a message, even if the command fails before it reads its inputs', async () => {
    const { context, stderr, written } = capture({ files, url: 'https://id.example.com' });
    let reads = 0;
    const readStandardInput = async (): Promise<Uint8Array> => new Uint8Array((reads += 1));
    const options = { output: 'text', report: ['text=a.yaml', 'json=new'], maxCreates: 'x' } as const;
    const reading = { ...context, files: { ...context.files, readStandardInput } };
    await expect(plan(['a.yaml', '-'], options, reading)).rejects.toThrow('--max-creates cannot be "x"');
    expect([...written.keys()]).toEqual(['new']);
    expect(stderr()).toContain(
      'the report cannot be written to a.yaml\n    It is a file which this run reads. Name another file.',
    );
    expect(reads).toBe(0);
  });

  test.each(['rollcall.yaml', 'vars.yaml', 'more.yaml', 'a.yaml', './key', 'token'])(
    'over the input %s is refused before anything is sent',
    async (target) => {
      const inputs = {
        'rollcall.yaml': 'version: 1\nvars_files: [vars.yaml]\n',
        'vars.yaml': 'name: A\n',
        'more.yaml': 'other: B\n',
        'a.yaml':
          'version: 1\nusers: [{ username: alice, name: "${var:name}", attributes: { key: "${file:key}" } }]\n',
        key: 'a-key-of-somebody',
        token: 'a-token',
      };
      const read = { tokenFile: 'token', vars: ['more.yaml'], baseline: '.before' };
      const setup = { files: inputs, past: files, env: { ROLLCALL_TOKEN: '' } };
      for (const outputs of [
        { report: [`json=${target}`, 'text=new'] },
        { out: target, report: ['text=new'] },
      ]) {
        const ran = await runPlan({ ...read, ...outputs }, setup);
        expect(ran.stderr).toContain(`an output would overwrite ${target}, which`);
        expect([ran.ending, [...ran.written.keys()]]).toEqual(['invalid', ['new']]);
      }
      await expect(
        runPlan({ ...read, report: ['json=.before/new', 'text=.before/a.yaml'] }, setup),
      ).rejects.toThrow('would overwrite .before/a.yaml, which is in the folder of the baseline');
      expect(service.requests).toEqual([]);
    },
  );

  test.each<[string, () => Promise<Ran>]>([
    ['of a plan', () => runPlan({ report: all })],
    ['of a plan that failed', () => runPlan({ report: all }, denied)],
    ['of a plan that could not be made', () => runPlan({ report: all }, { files: broken })],
    ['of an apply', () => runApply({ report: all })],
    [
      'of an apply that was not confirmed',
      () => runApply({ report: all, yes: false }, { answerToPrompt: 'no' }),
    ],
    ['of a validation', () => runValidate(all)],
    ['of a validation with errors', () => runValidate(all, { files: broken })],
  ])('writes every requested format %s', async (_, command) => {
    const { written } = await command();
    expect([...written.keys()]).toEqual(formats);
    expect(written.get('markdown')).toMatch(/^<!-- rollcall /);
    expect(written.get('html')).toMatch(/^<!doctype html>/);
    expect(written.get('junit')).toMatch(/^<\?xml /);
    expect(parseJson(written.get('json') ?? '')).toHaveProperty('format_version');
  });

  test('writes the document that -o json prints', async () => {
    const { stdout, written } = await runPlan({ output: 'json', report: ['json=a', 'json=b'] });
    expect(written.get('a')).toBe(stdout);
    expect(written.get('b')).toBe(stdout);
  });

  test.each<[string, 'plan' | 'apply', (setup: Setup) => Promise<Ran>]>([
    ['a plan', 'plan', (setup) => runPlan({ output: 'json', report: all }, setup)],
    ['an apply', 'apply', (setup) => runApply({ output: 'json', report: all }, setup)],
  ])(
    'includes the warnings of manifests in the JSON, HTML and Markdown reports of %s',
    async (_, schema, command) => {
      const warned =
        'version: 1\nusers: [{ username: alice, name: A }, { username: Alice, name: A }, { username: b, name: B }]\n';
      const { stdout, written } = await command({ files: { 'a.yaml': warned } });
      expect(JSON.parse(stdout)).toMatchObject({
        diagnostics: [
          { severity: 'warning', code: 'similar-name', address: 'user.Alice', range: { filename: 'a.yaml' } },
        ],
      });
      expect(schemaErrors(schema, JSON.parse(stdout))).toEqual([]);
      expect(written.get('html')).toContain('warnings (1)');
      expect(written.get('html')).toMatch(/<li class="amber" data-kind="warning">\n<h2>.*user\.Alice/);
      expect(written.get('markdown')).toContain(' 1 warning.\n');
      expect(written.get('markdown')).toMatch(/^a\.yaml:2:\d+: warning: user\.Alice: /m);
    },
  );

  test('of manifests with warnings prints each warning once, and calls the manifests valid', async () => {
    const warned = 'version: 1\nusers: [{ username: alice, name: A }, { username: Alice, name: A }]\n';
    const { stdout, stderr } = await runPlan({}, { files: { 'a.yaml': warned } });
    expect((stdout + stderr).match(/\[similar-name\]/g)).toHaveLength(1);
    const validated = await runValidate(['json=r'], { files: { 'a.yaml': warned } });
    expect(validated.ending).toBe('done');
    expect(JSON.parse(validated.written.get('r') ?? '')).toMatchObject({ valid: true });
  });

  test('writes to standard output if the file is -', async () => {
    const { stdout, written } = await runPlan({ report: ['github=-'] });
    expect(stdout).toContain(
      '\n::warning file=a.yaml,line=2,endLine=2,col=16,endColumn=16,title=differs::application.wiki differs in `name`%0A',
    );
    expect([...written.keys()]).toEqual([]);
  });

  test.each<[string, (report: string[]) => Promise<Ran>]>([
    ['a plan', (report) => runPlan({ report })],
    ['an apply', (report) => runApply({ report })],
    ['a validation', runValidate],
  ])('to standard output replaces the text of %s', async (_, command) => {
    for (const format of ['markdown', 'text', 'json', 'html', 'junit']) {
      service = fakeService({ wiki: { name: 'Other' } });
      const { written } = await command([`${format}=file`]);
      service = fakeService({ wiki: { name: 'Other' } });
      const { stdout, ending } = await command([`${format}=/dev/stdout`]);
      expect([format, steady(stdout), ending]).toEqual([format, steady(written.get('file')), 'done']);
    }
  });

  /** The text without the parts that depend on the clock. */
  function steady(text = ''): string {
    return text
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'T')
      .replace(/"(requests_per_second|duration_ms)": [\d.]+/g, '');
  }

  test('to standard output also shows the plan before the confirmation, on stderr', async () => {
    const { stdout, stderr } = await runApply({ report: ['json=-'], yes: false }, { answerToPrompt: 'yes' });
    expect(JSON.parse(stdout)).toHaveProperty('outcomes');
    expect(stderr).toContain('Plan: 2 to add');
  });

  test('to standard output is refused with -o json, and nothing is sent', async () => {
    for (const report of ['markdown=-', 'github=-', 'json=/dev/fd/1']) {
      const refusal = `standard output cannot hold both -o json and --report ${report}`;
      await expect(runApply({ output: 'json', report: [report] })).rejects.toThrow(refusal);
      await expect(runPlan({ output: 'json', report: [report] })).rejects.toThrow(refusal);
    }
    expect(service.requests).toEqual([]);
  });

  test.each<[string, () => Promise<Ran>, Ending]>([
    ['a plan without changes', () => runPlan({ report: ['html=full'] }), 'failed'],
    ['a plan with changes', () => runPlan({ report: ['html=full'], detailedExitcode: true }), 'failed'],
    ['a denied plan', () => runPlan({ report: ['html=full'] }, denied), 'denied'],
    ['a plan of invalid manifests', () => runPlan({ report: ['html=full'] }, { files: broken }), 'invalid'],
    ['a complete apply', () => runApply({ report: ['html=full'] }), 'failed'],
    [
      'an incomplete apply',
      () =>
        runApply(
          { report: ['html=full'] },
          {
            transport: async ({ method }) =>
              method === 'GET' ? answered(404, { detail: '' }) : answered(400, { name: ['No.'] }),
          },
        ),
      'incomplete',
    ],
    ['a validation without errors', () => runValidate(['html=full']), 'failed'],
    ['a validation with errors', () => runValidate(['html=full'], { files: broken }), 'invalid'],
  ])('reports a file that cannot be written, after %s', async (_, command, expected) => {
    const { ending, stderr } = await command();
    expect(ending).toBe(expected);
    expect(stderr).toContain('error: the report cannot be written to full\n    ENOSPC: no space left\n');
  });

  test('writes the other reports if one fails, and applies as planned', async () => {
    const { ending, written } = await runApply({ report: ['html=full', 'junit=j'] });
    expect(ending).toBe('failed');
    expect([...written.keys()]).toEqual(['j']);
    expect(service.creates()).toHaveLength(2);
  });

  test.each(['pdf=x', 'html', 'html=', '=x', 'toString=x', ''])(
    'with %j is refused before anything is sent',
    async (report) => {
      const message = `--report cannot be ${JSON.stringify(report)}`;
      await expect(runApply({ report: [report] })).rejects.toThrow(message);
      await expect(runPlan({ report: [report] })).rejects.toThrow(message);
      expect(service.requests).toEqual([]);
    },
  );
});

describe('--report github', () => {
  const env = { GITHUB_STEP_SUMMARY: 'summary' };

  test.each([
    ['is written if the run succeeds', {}, true],
    ['is not written if the inputs of the run are unknown', { env: 'nobody' }, false],
  ])('to a path that cannot be checked %s', async (_, options, isWritten) => {
    const { written } = await run(async (context) => {
      const kindOf: typeof context.files.kindOf = (path) =>
        path === 'far/r' ? Promise.reject(new Error('EACCES')) : context.files.kindOf(path);
      const to = { output: 'text', report: ['html=far/r'], ...options } as const;
      const ended = plan(['a.yaml'], to, { ...context, files: { ...context.files, kindOf } });
      return (await undefinedOnUsageError(() => ended)) ?? 'invalid';
    }, {});
    expect([...written.keys()]).toEqual(isWritten ? ['far/r'] : []);
  });

  test('appends the Markdown report to the summary of the step', async () => {
    const { written } = await runPlan({ report: ['markdown=m', 'github=-'] }, { env });
    expect(written.get('summary')).toBe(written.get('m'));
    const twice = await runPlan({ report: ['github=a', 'github=b', 'markdown=m'] }, { env });
    expect(twice.written.get('summary')).toBe(`${twice.written.get('m')}`.repeat(2));
  });

  test.each<[string, () => Promise<Ran>, string]>([
    ['of an apply', () => runApply({ report: ['github=-'] }, { env }), 'Resources: 2 added'],
    [
      'of a validation',
      () =>
        run((context) => validate(['a.yaml'], { output: 'text', report: ['github=-'] }, context), { env }),
      'Valid: 2 applications, 1 user.',
    ],
    [
      'of a failed plan',
      () => runPlan({ report: ['github=-'] }, { ...denied, env }),
      'the service denied access (403)',
    ],
  ])('appends the Markdown report %s to the summary', async (_, command, said) => {
    expect((await command()).written.get('summary')).toContain(said);
  });

  test('writes a summary only if the report is requested and the environment names a file for the summary', async () => {
    expect([...(await runPlan({ report: ['html=h'] }, { env })).written.keys()]).toEqual(['h']);
    expect([...(await runPlan({ report: ['github=g'] })).written.keys()]).toEqual(['g']);
    const empty = { GITHUB_STEP_SUMMARY: '' };
    expect([...(await runPlan({ report: ['github=g'] }, { env: empty })).written.keys()]).toEqual(['g']);
  });

  test('fails if the summary cannot be written', async () => {
    const { ending, stderr } = await runPlan(
      { report: ['github=-'] },
      { env: { GITHUB_STEP_SUMMARY: 'full' } },
    );
    expect(ending).toBe('failed');
    expect(stderr).toContain('the report cannot be written to full');
  });
});

describe('a plan with --max-creates', () => {
  test('is refused if the number of creates exceeds the limit, and accepted if the number equals the limit', async () => {
    await done(runPlan({ maxCreates: '2' }));
    await done(runApply({ maxCreates: '2' }));
    expect(service.creates()).toHaveLength(2);
    expect((await runPlan({ maxCreates: '0' })).ending).toBe('failed');
    const { stderr } = await runPlan({ maxCreates: '0', target: ['user.*'] });
    expect(stderr).toContain('the plan would create 1 resource, and');
  });

  test.each(['text', 'markdown', 'html', 'junit', 'github'])(
    'that exceeds the limit is reported with the number of creates and the limit: %s',
    async (format) => {
      const { written } = await runPlan({ maxCreates: '1', report: [`${format}=r`] });
      expect(written.get('r')).toContain('the plan would create 2 resources, and --max-creates allows 1');
    },
  );
});

test('a question about many changes follows the whole plan', async () => {
  const users = Array.from({ length: maxAsPlanned + 1 }, (_, index) => `{ username: u${index}, name: U }`);
  const many = { 'a.yaml': `version: 1\nusers: [${users.join()}]\n` };
  const asked = await runApply({ yes: false }, { files: many, answerToPrompt: 'no' });
  expect(asked.stdout.match(/^ {2}\? user\.u\d+ .*\n {6}username /gm)).toHaveLength(users.length);
  expect(service.creates()).toEqual([]);
});
