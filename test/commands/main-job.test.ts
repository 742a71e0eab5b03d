import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { apply } from '../../src/commands/apply.ts';
import { plan } from '../../src/commands/plan.ts';
import { validate } from '../../src/commands/validate.ts';
import type { SandboxSeed } from '../../src/generated/sandbox-seed.ts';
import { seedSandbox } from '../../src/sandbox/seed.ts';
import { serveSandbox, type SandboxServer } from '../../src/sandbox/server.ts';
import { done, endOf, type Ran } from '../support/manifest-run.ts';
import { answered } from '../support/scripted-transport.ts';
import { virtualClock } from '../support/virtual-clock.ts';
import { capture, type Setup } from '../support/run.ts';
import { schemaErrors } from '../support/schemas.ts';

const files = {
  'manifests/applications.yaml': [
    'version: 1',
    'applications:',
    '  - { slug: wiki, name: Wiki }',
    '  - slug: grafana',
    '    name: Grafana',
    '    provider: 1',
  ].join('\n'),
  'manifests/users.yml':
    'version: 1\nusers:\n  - { username: alice, name: Alice }\n  - { username: bob, name: Bob }\n',
};

const seed: SandboxSeed = {
  tokens: [
    { token: 'may-not-view', view_applications: 'none' },
    { token: 'may-only-view', add_applications: false },
  ],
  applications: [{ slug: 'wiki', name: 'Wiki' }],
  users: [{ username: 'alice', name: 'Alice' }],
};

let server: SandboxServer;
beforeEach(async () => {
  server = await serveSandbox(seedSandbox(seed).sandbox, { port: 0, latencyMs: 0 });
});
afterEach(() => server.close());

function runPlan(setup: Setup = {}, options: Partial<Parameters<typeof plan>[1]> = {}): Promise<Ran> {
  return endOf(capture({ contractOnly: true, files, url: server.url, ...setup }), (context) =>
    plan(['manifests'], { output: 'text', ...options }, context),
  );
}

function runApply(setup: Setup = {}, options: Partial<Parameters<typeof apply>[1]> = {}): Promise<Ran> {
  return endOf(capture({ contractOnly: true, files, url: server.url, ...setup }), (context) =>
    apply(['manifests'], { output: 'text', yes: true, ...options }, context),
  );
}

describe('plan', () => {
  test('shows missing resources, and ends with the summary line that other tools search for', async () => {
    const { stdout, stderr } = await done(runPlan());
    expect(stderr).toBe('');
    expect(stdout).toContain('  + application.grafana  manifests/applications.yaml:4\n');
    expect(stdout).toContain('  ? user.bob  manifests/users.yml:4\n');
    expect(stdout).not.toContain('application.wiki');
    expect(stdout.endsWith('Plan: 3 to add, 0 to change, 0 to destroy.\n')).toBe(true);
  });

  test.each([
    [{}, true],
    [{ quiet: true }, false],
  ])('prints the warnings of an invalid manifest, except with --quiet: %j', async (options, shown) => {
    const invalid = 'version: 1\nusers: [{ username: alice }, { username: bob, name: B, nam: B }]\n';
    const { ending, stderr } = await runPlan({ files: { 'manifests/a.yaml': invalid } }, options);
    expect(ending).toBe('invalid');
    expect(stderr).toContain('unknown field `nam`');
    expect(stderr.includes('warning: user.alice: ')).toBe(shown);
  });

  test('ends with 2 if there are changes, with --detailed-exitcode', async () => {
    expect((await runPlan({}, { detailedExitcode: true })).ending).toBe('changes');
    await runApply();
    const onlyApplications = { files: { 'manifests/a.yaml': files['manifests/applications.yaml'] } };
    await done(runPlan(onlyApplications, { detailedExitcode: true }));
  });

  test('ends as denied if the token may not view records, and reports no record as absent', async () => {
    const { ending, stdout, stderr } = await runPlan({ env: { ROLLCALL_TOKEN: 'may-not-view' } });
    expect(ending).toBe('denied');
    expect(stdout).toBe('');
    expect(stderr).toContain('the service denied access (403)');
    expect(stderr).toContain('You do not have permission to perform this action.');
    expect(stderr).not.toContain('may-not-view');
  });

  test('ends as failed at a wrong base URL, and explains that the URL is wrong', async () => {
    const { ending, stdout, stderr } = await runPlan({ env: { ROLLCALL_URL: `${server.url}/nowhere` } });
    expect(ending).toBe('failed');
    expect(stdout).toBe('');
    expect(stderr).toContain('the API is not at this URL (404)');
    expect(stderr).not.toMatch(/JSON|DOCTYPE/);
  });

  test('ends as failed if nothing listens at the port, and names every application', async () => {
    await server.close();
    const { ending, stderr } = await runPlan();
    expect(ending).toBe('failed');
    expect(stderr).toContain('the service cannot be reached: connect ECONNREFUSED');
    expect(stderr).toContain('application.grafana');
    expect(stderr).toContain('application.wiki');
    expect(stderr).toContain('2 of the resources could not be looked up. Nothing was changed.');
  });

  test('ends as invalid for an invalid manifest, before anything is sent', async () => {
    const { ending, stdout, stderr } = await runPlan({
      files: { 'manifests/a.yaml': 'version: 1\napplications: [{ slug: wiki }]\n' },
      transport: () => Promise.reject(new Error('something was sent')),
    });
    expect(ending).toBe('invalid');
    expect(stdout).toBe('');
    expect(stderr).toContain('manifests/a.yaml:2:16: error: the field `name` is missing [missing-field]');
  });

  test('prints no fields that could contain secrets of a user', async () => {
    const launch =
      'version: 1\napplications: [{ slug: t, name: T, meta_launch_url: "https://x.example/%(username)s" }]\n';
    const setup = { files: { 'manifests/a.yaml': launch } };
    await runApply(setup);
    const { stdout } = await runPlan(setup, { output: 'json' });
    expect(stdout).not.toContain('launch_url": "https://x.example/sandbox"');
    expect(stdout).not.toContain('"launch_url"');
  });
});

describe('a plan of users alone', () => {
  test('notes that nothing was requested from the service', async () => {
    const { stdout } = await runPlan({ files: { 'manifests/a.yaml': files['manifests/users.yml'] } });
    expect(stdout).toContain('No other resource is declared, so no request was sent.');
  });
});

describe('an answer of the service', () => {
  const leaky = { pk: 'p', slug: 'other', launch_url: 'https://x.example/?leak=S3CRET' };
  const one = { files: { 'manifests/a.yaml': 'version: 1\napplications: [{ slug: a, name: A }]\n' } };

  test('is not shown if it is a record that was not requested', async () => {
    const read = await runPlan({
      ...one,
      transport: async () => answered(200, leaky),
      clock: virtualClock(),
    });
    expect(read.ending).toBe('failed');
    const written = await runApply(
      {
        ...one,
        transport: async ({ method }) =>
          method === 'GET' ? answered(404, { detail: 'x' }) : answered(200, leaky),
        clock: virtualClock(),
      },
      { output: 'json' },
    );
    expect(written.stdout).toContain('"outcome": "unknown"');
    expect(read.stderr + written.stdout + written.stderr).not.toContain('S3CRET');
  });

  test('is shown with control characters escaped, in the terminal and in documents', async () => {
    const hostile = '\u001b[31m\u009b2J\u202e\u200b\u0007::error::x';
    for (const output of ['text', 'json'] as const) {
      const { stdout } = await runApply(
        {
          ...one,
          transport: async ({ method }) =>
            method === 'GET' ? answered(404, { detail: 'x' }) : answered(400, { name: [hostile] }),
        },
        { output },
      );
      expect(stdout).toContain('error::x');
      expect(stdout.replaceAll('\n', '')).not.toMatch(/\p{C}/u);
    }
  });

  test('that refuses a create and names no field is reported with its request id', async () => {
    const { stdout } = await runApply({
      ...one,
      transport: async ({ method }) =>
        method === 'GET' ? answered(404, { detail: 'x' }) : answered(400, {}, { 'x-authentik-id': 'id-1' }),
    });
    expect(stdout).toContain('the service refused the request (400)');
    expect(stdout).toContain('Request id: id-1');
  });
});

describe('apply', () => {
  test('creates missing resources, and changes nothing the second time', async () => {
    const first = await runApply();
    expect(first.ending).toBe('done');
    expect(first.stdout).toContain('Apply complete! Resources: 2 added, 0 changed, 0 destroyed.\n');
    expect(first.stdout).toContain('  + application.grafana  created (pk ');
    expect(first.stdout).toContain('  = user.alice  exists already');
    expect(first.stdout).toContain('  + user.bob  created (pk 3)\n');

    const second = await runApply();
    expect(second.ending).toBe('done');
    expect(second.stdout).toContain('Apply complete! Resources: 0 added, 0 changed, 0 destroyed.\n');
  });

  test('continues after a failure, and reports it at the line of the field', async () => {
    const bad =
      'version: 1\napplications:\n  - slug: a\n    name: A\n    provider: 99\n  - { slug: b, name: B }\n';
    const { ending, stdout } = await runApply({ files: { 'manifests/a.yaml': bad } });
    expect(ending).toBe('incomplete');
    expect(stdout).toContain('  x application.a  rejected\n  + application.b  created (pk ');
    expect(stdout).toContain(
      'manifests/a.yaml:5:15: error: application.a: the service refused `provider`: Invalid pk "99" - object does not exist. [service-refused-field]',
    );
    expect(stdout).toMatch(/Request id: [0-9a-f]{32}/);
    expect(stdout).toContain('Apply incomplete! Resources: 1 added, 0 changed, 0 destroyed, 1 rejected.\n');
  });

  test('creates no resource of a denied type, and all resources of the other type', async () => {
    const { ending, stdout } = await runApply({ env: { ROLLCALL_TOKEN: 'may-only-view' } });
    expect(ending).toBe('denied');
    expect(stdout).toContain('  x application.grafana  denied\n');
    expect(stdout).toContain('  + user.bob  created (pk 3)\n');
  });

  test('asks for no confirmation after an interruption', async () => {
    const { ending, stderr } = await runApply(
      {
        answerToPrompt: 'yes',
        signal: AbortSignal.abort('SIGINT'),
        files: { 'manifests/a.yaml': files['manifests/users.yml'] },
      },
      { yes: false },
    );
    expect(ending).toBe('interrupted');
    expect(stderr).toContain('interrupted');
    expect(stderr).toContain('Nothing was changed.');
  });

  test('creates nothing if the user does not confirm', async () => {
    const { ending, stderr } = await runApply({ answerToPrompt: 'y' }, { yes: false });
    expect(ending).toBe('failed');
    expect(stderr).toContain('Not confirmed. Nothing was created or changed.');
    expect((await runPlan()).stdout).toContain('Plan: 3 to add');
  });

  test('shows the plan before the confirmation even if stdout is a file, and only once on a terminal', async () => {
    const { stdout, stderr } = await runApply({ answerToPrompt: 'no' }, { yes: false });
    for (const shown of [stdout, stderr]) expect(shown).toContain('Plan: 3 to add, 0 to change');

    const onTerminal = capture({ contractOnly: true, files, url: server.url, answerToPrompt: 'no' });
    const { context } = onTerminal;
    const terminal = { ...context, stdout: { ...context.stdout, isTerminal: true } };
    await apply(['manifests'], { output: 'text' }, terminal);
    expect(onTerminal.stdout()).toContain('Plan: 3 to add');
    expect(onTerminal.stderr()).toBe('Not confirmed. Nothing was created or changed.\n');
  });

  test('creates if the user confirms', async () => {
    const { stdout } = await done(runApply({ answerToPrompt: 'yes' }, { yes: false }));
    expect(stdout).toContain('2 added');
  });

  test('refuses to run without a terminal and without --yes', async () => {
    await expect(runApply({}, { yes: false })).rejects.toThrow(/no terminal/);
  });

  test('starts nothing more after an interruption, and lists what it did not attempt', async () => {
    const interruption = new AbortController();
    const { context, stdout, stderr } = capture({
      contractOnly: true,
      files,
      url: server.url,
      signal: interruption.signal,
    });
    const connect: typeof context.connect = async (settings) => {
      const connection = await context.connect(settings);
      return {
        ...connection,
        send: async (request) => {
          const exchange = await connection.send(request);
          if (request.method === 'POST') interruption.abort('SIGTERM');
          return exchange;
        },
      };
    };
    const ending = await apply(
      ['manifests'],
      { output: 'text', yes: true, concurrency: '1' },
      { ...context, connect },
    );
    expect(ending).toBe('terminated');
    expect(stdout()).toMatch(/\+ application\.grafana  created/);
    expect(stdout()).toContain(
      '  . user.alice  not attempted: the run was interrupted\n  . user.bob  not attempted',
    );
    expect(stdout()).toContain('Apply incomplete!');
    expect(stderr()).toBe(
      '\nInterrupted. Finishing the changes under way; interrupt again to stop immediately.\n',
    );
  });

  test('shows progress only on a terminal', async () => {
    expect((await runApply({ terminal: true })).stderr).toContain('Applying [########################] 3/3');
    expect((await runApply({ terminal: false })).stderr).toBe('');
  });

  test('clears its progress before it writes anything else', async () => {
    const cleared = '\r\u001b[2K';
    const whole = (await runApply({ terminal: true })).stderr.split(cleared);
    expect(whole.map((part) => /[A-Z][a-z ]+(?= \[)/.exec(part)?.[0])).toEqual([
      'Looking up',
      'Applying',
      undefined,
    ]);
    expect((await runPlan({ terminal: true })).stderr.endsWith(cleared)).toBe(true);
    const denied = await runApply({ terminal: true, env: { ROLLCALL_TOKEN: 'may-not-view' } });
    expect(denied.stderr).toContain(`${cleared}error: the service denied access`);
  });

  test('shows no progress in a log', async () => {
    const { stderr } = await runApply({ terminal: true }, { verbose: true });
    expect(stderr).toContain(' POST ');
    expect(stderr).not.toContain('\r');
  });
});

describe('validate', () => {
  test('counts the resources of a valid manifest', async () => {
    const { context, stdout } = capture({ contractOnly: true, files });
    expect(await validate(['manifests'], { output: 'text' }, context)).toBe('done');
    expect(stdout()).toBe('Valid: 2 applications, 2 users.\n');
  });

  test('reports problems of rollcall.yaml and of manifests in one run', async () => {
    const { context, stdout } = capture({
      contractOnly: true,
      files: {
        'rollcall.yaml': 'version: 1\nvers: {}\n',
        'm.yaml': 'version: 1\nusers: [{ username: "${var:who}", is_active: "${var:flag}", nam: A }]\n',
        'v.yaml': '- a\n',
      },
    });
    expect(await validate(['m.yaml'], { output: 'json', vars: ['v.yaml'] }, context)).toBe('invalid');
    const { diagnostics } = JSON.parse(stdout()) as {
      diagnostics: { code: string; range: { filename: string } }[];
    };
    expect(diagnostics.map(({ code, range }) => [range.filename, code])).toEqual([
      ['rollcall.yaml', 'unknown-field'],
      ['v.yaml', 'wrong-type'],
      ['m.yaml', 'unknown-field'],
    ]);
  });

  test('prints no warnings with --quiet, but counts them', async () => {
    const warned = { 'm.yaml': 'version: 1\nusers: [{ username: alice }, { username: bob, nam: B }]\n' };
    const { context, stdout } = capture({ contractOnly: true, files: warned });
    const valid = { 'm.yaml': 'version: 1\nusers: [{ username: alice }]\n' };
    expect(await validate(['m.yaml'], { output: 'text', quiet: true }, context)).toBe('invalid');
    expect(stdout()).toContain('unknown field `nam`');
    expect(stdout()).not.toContain('warning:');
    const loud = capture({ contractOnly: true, files: valid });
    await validate(['m.yaml'], { output: 'text' }, loud.context);
    const quiet = capture({ contractOnly: true, files: valid });
    expect(await validate(['m.yaml'], { output: 'text', quiet: true }, quiet.context)).toBe('done');
    expect(loud.stdout()).toMatch(new RegExp(`warning:[^]*\n${quiet.stdout()}$`));
    expect(quiet.stdout()).toBe('Valid: 1 user; 1 warning.\n');
  });

  test('as JSON matches its schema', async () => {
    const broken = { 'a.yaml': 'version: 1\nusers: [{ username: alice, nam: A }]\n' };
    for (const given of [files, broken]) {
      const { context, stdout } = capture({ contractOnly: true, files: given });
      const ending = await validate(Object.keys(given), { output: 'json' }, context);
      const document = JSON.parse(stdout()) as { valid: boolean };
      expect(schemaErrors('validation', document)).toEqual([]);
      expect(document.valid).toBe(ending === 'done');
    }
  });

  test('ends as invalid for a missing file', async () => {
    const { context, stdout } = capture({ contractOnly: true, files });
    expect(await validate(['manifest'], { output: 'text' }, context)).toBe('invalid');
    expect(stdout()).toContain('manifest: error: no such file or folder [file-not-found]');
  });

  test('passes with warnings, which are errors with --strict', async () => {
    const warned = { 'a.yaml': 'version: 1\nusers: [{ username: alice }]\n' };
    const lenient = capture({ contractOnly: true, files: warned });
    expect(await validate(['a.yaml'], { output: 'text' }, lenient.context)).toBe('done');
    expect(lenient.stdout()).toContain(
      'warning: user.alice: the service is known to require a `name` [likely-refused]',
    );
    expect(lenient.stdout()).toContain('Valid: 1 user; 1 warning.');
    const strict = capture({ contractOnly: true, files: warned });
    expect(await validate(['a.yaml'], { output: 'text', strict: true }, strict.context)).toBe('invalid');
  });

  test.each([
    ['junit', /FORMAT=FILE/],
    ['pdf=x', /The formats are: text, json, markdown, html, junit, github/],
  ])('refuses --report %s', async (report, message) => {
    const { context } = capture({ contractOnly: true, files });
    await expect(
      validate(['manifests'], { output: 'text', report: [report] }, context),
    ).rejects.toMatchObject({
      hint: expect.stringMatching(message) as string,
    });
  });
});
