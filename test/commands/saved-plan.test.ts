import { beforeEach, describe, expect, test } from 'vitest';
import { apply, type ApplyOptions } from '../../src/commands/apply.ts';
import { plan, type PlanOptions } from '../../src/commands/plan.ts';
import type { Ending } from '../../src/base/exit-code.ts';
import { parseJson } from '../../src/base/json.ts';
import { done, endOf, runOn, type Ran } from '../support/manifest-run.ts';
import { sandboxTransport } from '../support/sandbox-requests.ts';
import { fakeService, type FakeService } from '../support/fake-service.ts';
import { capture, type Setup } from '../support/run.ts';
import { schemaErrors } from '../support/schemas.ts';
import { answered } from '../support/scripted-transport.ts';
import { World } from '../support/update-world.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const secret = 'CANARY-1f2e';
const url = 'https://id.example.com';

const files = {
  'm/apps.yaml': [
    'version: 1',
    'defaults: { application: { meta_publisher: "${env:PUBLISHER}" } }',
    'applications:',
    '  - { slug: wiki, name: Wiki, meta_description: "${env:NOTE}", backchannel_providers: [3, 1, 2] }',
    '  - slug: new',
    '    name: "  ${var:who} and ${env:NOTE}\t"',
    '    meta_description: "$${env:NOTE} is ${file:note.txt}, $${ and ${var:who}"',
    '    meta_launch_url: "https://x.example/%(username)s?key=${file:note.txt}"',
    '    backchannel_providers: [9, 7, 8]',
    '  - { slug: drifted, name: Declared, meta_publisher: me }',
  ].join('\n'),
  'm/users/users.yml': [
    'version: 1',
    'users:',
    '  - username: alice',
    '    name: "${file:here.txt}"',
    '    attributes:',
    '      "a/b": { "c~d": [1.5, "${env:NOTE}", { "~1": " $${x} ${env:NOTE} " }], "": "${env:NOTE}" }',
    '      "10": "${env:EMPTY}"',
    '      plain: "$${env:NOTE}"',
    '    groups: ["${env:GROUP}", 11111111-1111-4111-8111-111111111111]',
    '  - { username: "b@b/b~b", name: B }',
  ].join('\n'),
  'm/users/here.txt': `Alice ${secret}\r\n`,
  'm/note.txt': `${secret} \n`,
};

const { 'm/users/here.txt': _alice, ...withoutAlice } = files;

const env = {
  NOTE: secret,
  PUBLISHER: `${secret} and sons`,
  EMPTY: '',
  GROUP: '22222222-2222-4222-8222-222222222222',
};

const existing = {
  wiki: {
    name: 'Wiki',
    meta_description: `held ${secret}`,
    meta_publisher: 'held',
    backchannel_providers: [1, 2, 3],
  },
  drifted: { name: 'Observed', meta_publisher: 'me' },
};

let service: FakeService;
beforeEach(() => {
  service = fakeService(existing);
});

function setupFor(setup: Setup): Setup {
  return {
    url,
    transport: service.send,
    clock: virtualClock(),
    ...setup,
    files: setup.files ?? files,
    env: setup.env ?? env,
  };
}

function runPlan(options: Partial<PlanOptions> = {}, setup: Setup = {}): Promise<Ran> {
  return endOf(capture(setupFor(setup)), (context) =>
    plan(['m'], { output: 'text', out: 'plan.json', var: ['who=me'], ...options }, context),
  );
}

/** Applies a text as a saved plan, together with its manifests. */
function runApply(text: string, options: Partial<ApplyOptions> = {}, setup: Setup = {}): Promise<Ran> {
  const given = { ...setupFor(setup), files: { ...(setup.files ?? files), 'plan.json': text } };
  return endOf(capture(given), (context) =>
    apply(['m'], { output: 'text', plan: 'plan.json', var: ['who=me'], ...options }, context),
  );
}

async function savedText(options: Partial<PlanOptions> = {}): Promise<string> {
  const { written } = await done(runPlan(options));
  return written.get('plan.json') ?? '';
}

describe('a saved plan', () => {
  test('has to be made again after an incomplete apply, since it is applied only once', async () => {
    const { ending, stdout } = await runApply(
      await savedText(),
      {},
      {
        transport: async (request) =>
          request.method === 'POST' ? answered(400, { name: ['No.'] }) : service.send(request),
      },
    );
    expect(ending).toBe('incomplete');
    expect(stdout).toContain('Fix the problems that are shown, then make a new plan and apply it: ');
  });

  test('of a few changes is applied without showing the changes again, and without a message that they are too many', async () => {
    const { stdout } = await runApply(await savedText());
    expect(stdout).toContain('The changes are not shown, because the plan needs no confirmation. ');
    expect(stdout).not.toContain('Too many changes');
  });

  test('is applied with the notes of its changes', async () => {
    const { send } = sandboxTransport({ users: [{ username: 'una', name: 'Una' }] });
    const text = 'version: 1\nusers: [{ username: una, name: Una, is_active: false }]\n';
    const options = { allow: ['update'], capability: ['update'] } as const;
    const { written } = await done(runOn(plan, send, text, { ...options, out: 'plan.json' }));
    const saved = { 'plan.json': written.get('plan.json') ?? '' };
    const { stdout } = await done(
      runOn(apply, send, text, { ...options, plan: 'plan.json' }, { files: saved }),
    );
    expect(stdout).toContain('user.una: the account can no longer log in\n');
  });

  test.each([
    ['saved', { out: 'plan.json' }, 'this is a plan', 'rollcall apply --plan FILE'],
    ['printed', { output: 'json' }, 'this is a plan', 'rollcall apply --plan FILE'],
  ] as const)('is recognized if given as a manifest: %s', async (_, options, what, hint) => {
    const { written, stdout: printed } = await runPlan({ ...options });
    const text = 'output' in options ? printed : (written.get('plan.json') ?? '');
    for (const command of [plan, apply]) {
      const { context, stderr } = capture(setupFor({ files: { ...files, 'p.json': text } }));
      const requests = service.requests.length;
      expect(await command(['m', 'p.json'], { output: 'text', yes: true, var: ['who=me'] }, context)).toBe(
        'invalid',
      );
      expect(stderr()).toContain(`p.json: error: ${what}, not a manifest [not-a-manifest]\n    `);
      expect(stderr()).toContain(hint);
      expect(service.requests).toHaveLength(requests);
    }
  });

  test('given as a manifest is refused without a terminal, with advice to use --plan', async () => {
    const { context } = capture(setupFor({ files: { 'p.json': await savedText() } }));
    await expect(apply(['p.json'], { output: 'text' }, context)).rejects.toThrow(
      expect.objectContaining({ hint: expect.stringContaining('use --plan') as string }),
    );
  });

  test('sends exactly the requests of a direct apply', async () => {
    const text = await savedText();
    expect(service.creates()).toEqual([]);
    const { stdout } = await done(runApply(text));
    expect(stdout).toContain('Apply complete! Resources: 3 added, 0 changed, 0 destroyed.\n');
    const sent = service.creates();

    service = fakeService(existing);
    const direct = capture(setupFor({}));
    expect(await apply(['m'], { output: 'text', yes: true, var: ['who=me'] }, direct.context)).toBe('done');
    expect(sent).toEqual(service.creates());
    expect(sent.map((body) => parseJson(body))).toEqual([
      {
        slug: 'new',
        name: `me and ${secret}`,
        meta_description: `\${env:NOTE} is ${secret} , \${ and me`,
        meta_launch_url: `https://x.example/%(username)s?key=${secret}`,
        backchannel_providers: [9, 7, 8],
        meta_publisher: `${secret} and sons`,
      },
      {
        username: 'alice',
        name: `Alice ${secret}`,
        attributes: {
          'a/b': { 'c~d': [1.5, secret, { '~1': ` \${x} ${secret} ` }], '': secret },
          10: '',
          plain: '${env:NOTE}',
        },
        groups: ['22222222-2222-4222-8222-222222222222', '11111111-1111-4111-8111-111111111111'],
      },
      { username: 'b@b/b~b', name: 'B' },
    ]);
  });

  test('contains no secret, and neither does the output of its apply', async () => {
    const text = await savedText();
    const { stdout, stderr } = await runApply(text);
    expect(text + stdout + stderr).not.toContain('CANARY');
    expect(text).toContain('(sensitive)');
  });

  test('is shown as the original plan was, and matches the schemas', async () => {
    const { stdout: planned, written } = await runPlan();
    const text = written.get('plan.json') ?? '';
    expect(schemaErrors('plan', parseJson(text))).toEqual([]);
    const applied = await runApply(text, { compact: false });
    // The end of the apply explains how to change the remaining differences.
    const shown = planned.replace(/To change these differences.*\n\n/, '');
    expect(applied.stdout.startsWith(`${shown}\n`)).toBe(true);

    service = fakeService(existing);
    const { stdout } = await runApply(text, { output: 'json' });
    expect(schemaErrors('apply', parseJson(stdout))).toEqual([]);
    expect(parseJson(stdout)).toMatchObject({ summary: { created: 3, unchanged: 0, differs: 2 } });
  });

  test('keeps its selection', async () => {
    const text = await savedText({ target: ['application.*'], exclude: ['*.wiki'] });
    expect((await runApply(text)).stdout).toContain(
      'Only application.*, without *.wiki: 2 of the 5 declared resources.',
    );
    expect(service.creates()).toHaveLength(1);
    expect(service.requests.filter(({ path }) => path.includes('wiki'))).toEqual([]);
  });
});

describe('apply --plan', () => {
  type Changed = Setup & { readonly held?: Parameters<typeof fakeService>[0] };

  test.each<[string, Changed, string[]]>([
    [
      'if a record to create exists now',
      { held: { ...existing, new: { name: 'N' } } },
      ['application.new: it now exists'],
    ],
    ['if an existing record is gone', { held: { wiki: existing.wiki } }, ['application.drifted: it existed']],
    [
      'if a compared field has changed, with both values',
      { held: { ...existing, drifted: { name: 'Other', meta_publisher: 'me' } } },
      [
        'application.drifted: `name` has changed since the plan was made',
        'It was "Observed", and is "Other".',
      ],
    ],
    [
      'if another record has the name now',
      { held: { ...existing, wiki: { ...existing.wiki, pk: 'pk-other' } } },
      ['application.wiki: `pk` has changed', 'It was "pk-wiki", and is "pk-other".'],
    ],
    [
      'if a difference is gone',
      { held: { ...existing, drifted: { name: 'Declared', meta_publisher: 'me' } } },
      ['m/apps.yaml:10:28: error: application.drifted: `name`'],
    ],
    [
      'if a masked field no longer differs',
      { held: { ...existing, wiki: { ...existing.wiki, meta_description: secret } } },
      ['application.wiki: `meta_description` differed when the plan was made, and no longer does'],
    ],
    [
      'if an environment variable is not set',
      { env: { PUBLISHER: env.PUBLISHER, EMPTY: '', GROUP: env.GROUP } },
      ['the environment variable `NOTE` is not set'],
    ],
    ['if a file is missing', { files: withoutAlice }, ['the file `here.txt` cannot be read']],
    [
      'if the manifests have changed',
      { files: { ...files, 'm/more.yaml': 'version: 1\nusers: [{ username: zoe, name: Z }]\n' } },
      [
        'plan.json: error: the manifests differ from those of this plan',
        'Name the same manifests, with the same --var and --vars, or make a new plan.',
      ],
    ],
    [
      'if the text around a secret has changed',
      { files: { ...files, 'm/apps.yaml': files['m/apps.yaml'].replace('x.example', 'evil.example') } },
      ['plan.json: error: the manifests differ from those of this plan'],
    ],
    [
      'if the service has another origin',
      { url: 'https://other.example.com' },
      [`this plan was made for ${url}, but this run uses https://other.example.com`],
    ],
    ['if the service has another path', { url: `${url}/a` }, [`but this run uses ${url}/a`]],
  ])('is refused %s', async (name, { held, ...setup }, said) => {
    const text = await savedText();
    service = fakeService(held ?? existing);
    const { ending, stdout, stderr } = await runApply(text, {}, setup);
    // A missing variable or file is an invalid setting. All other changes make the plan stale.
    expect(ending).toBe(/is (?:not set|missing)$/.test(name) ? 'invalid' : 'stale');
    expect(stdout).toBe('');
    for (const words of said) expect(stderr).toContain(words);
    expect(stderr).toMatch(
      /\n(?:Nothing was created or changed\. Run `rollcall plan` again|Invalid: .* Nothing was sent)\.\n$/,
    );
    expect(stderr.match(/Run `rollcall plan` again/g) ?? []).toHaveLength(ending === 'stale' ? 1 : 0);
    expect(stderr).not.toContain('CANARY');
    expect(service.creates()).toEqual([]);
  });

  test('updates nothing if the plan was made without --allow update', async () => {
    const { written } = await runPlan({}, { env: { ...env, ROLLCALL_CAPABILITIES: 'update' } });
    const may = { env: { ...env, ROLLCALL_CAPABILITIES: 'update', ROLLCALL_ALLOW: 'update' } };
    await done(runApply(written.get('plan.json') ?? '', { allow: ['update'] }, may));
    expect(service.creates()).not.toEqual([]);
    expect(service.requests.filter(({ method }) => method === 'PATCH')).toEqual([]);
  });

  test.each([
    ['lockout', [], 'invalid'],
    ['open-login', ['lockout'], 'invalid'],
    ['lockout', ['lockout'], 'done'],
    ['way-in', [], 'done'],
  ] as const)('of a plan that accepts %s, with --allow %j, ends as %s', async (risk, allow, expected) => {
    const text = await savedText({ allow: [risk] });
    const { ending, stderr } = await runApply(text, { allow: [...allow] });
    expect(ending, stderr).toBe(expected);
    expect(stderr.includes(`--allow ${risk}`)).toBe(expected === 'invalid');
    expect(service.creates().length > 0).toBe(expected === 'done');
  });

  test.each([
    [false, true, 'stale'],
    [true, false, 'done'],
    [true, true, 'done'],
  ] as const)(
    'with contract_only set to %s for the plan and to %s for the apply, ends as %s',
    async (then, now, expected) => {
      const text = await savedText({ contractOnly: then });
      const { ending, stderr } = await runApply(text, { contractOnly: now });
      expect(ending, stderr).toBe(expected);
      expect(service.creates().length > 0).toBe(expected === 'done');
    },
  );

  test('is refused without a request if another major version of rollcall made the plan', async () => {
    const text = await savedText();
    service = fakeService(existing);
    const { ending, stderr } = await runApply(text.replace('"format_version": "1.', '"format_version": "2.'));
    expect(ending).toBe('stale');
    expect(stderr).toContain('plan.json: error: this plan cannot be applied: it has the format version 2.0');
    expect(service.requests).toEqual([]);
  });

  test('does not call the manifests different if another version made the plan', async () => {
    const text = (await savedText()).replace(/"tool_version": "[^"]*"/, '"tool_version": "0.0.1"');
    await done(runApply(text));
    const { ending, stderr } = await runApply(text.replace(/sha256:.{4}/, 'sha256:0000'));
    expect(ending).toBe('stale');
    expect(stderr).toContain(
      'plan.json: error: another version of rollcall made this plan, so the manifests cannot be compared with it',
    );
  });

  type Entry = { readonly address: string };

  test.each<[string, (entries: Entry[]) => Entry[], string]>([
    [
      'a forged entry',
      ([first, ...others]) => [{ ...first, address: 'application.evil' }, first as Entry, ...others],
      'application.evil: it is in the plan, and not in a plan made now',
    ],
    [
      'an entry cut out',
      (entries) => entries.filter(({ address }) => address !== 'application.new'),
      'application.new: it is not in the plan',
    ],
  ])('is refused with %s', async (_, alter, said) => {
    const saved = parseJson(await savedText()) as { readonly resource_changes: Entry[] };
    const text = JSON.stringify({ ...saved, resource_changes: alter(saved.resource_changes) });
    const { ending, stderr } = await runApply(text);
    expect(ending).toBe('stale');
    expect(stderr).toContain(said);
    expect(service.creates()).toEqual([]);
  });

  test('accepts the output of plan -o json in place of a saved plan', async () => {
    const { stdout } = await runPlan({ output: 'json' });
    await done(runApply(stdout));
  });

  test.each<[string, Partial<ApplyOptions>]>([
    ['--target', { target: ['application.*'] }],
    ['--exclude', { exclude: ['application.*'] }],
    ['--shard', { shard: '1/2' }],
  ])(
    'is refused with %s, since a saved plan already contains its selection of resources',
    async (_, options) => {
      await expect(runApply(await savedText(), options)).rejects.toThrow(
        'a saved plan already contains its selection of resources',
      );
    },
  );

  test('is refused for a missing file, or one that is not UTF-8', async () => {
    await expect(runApply('', { plan: 'nowhere.json' })).rejects.toThrow(
      'the plan cannot be read from nowhere.json',
    );
    const { context } = capture(setupFor({}));
    const read = async (): Promise<Uint8Array> => Buffer.from([...Buffer.from(await savedText()), 0xff]);
    const options = { output: 'text', plan: 'plan.json' } as const;
    await expect(apply(['m'], options, { ...context, files: { ...context.files, read } })).rejects.toThrow(
      'the plan cannot be read from plan.json',
    );
  });

  test('is refused for another environment of the same service', async () => {
    const config = `version: 1\nenvironments: { a: { url: '${url}' }, b: { url: '${url}' } }\n`;
    const setup = { files: { ...files, 'rollcall.yaml': config } };
    const { written } = await done(runPlan({ env: 'a' }, setup));
    const text = written.get('plan.json') ?? '';
    const { ending, stderr } = await runApply(text, { env: 'b' }, setup);
    expect(ending).toBe('stale');
    expect(stderr).toContain(`this plan was made for a (${url}), but this run uses b (${url})`);
    expect(stderr).toContain('Apply it with --env a, or make a new plan.');
    await done(runApply(text, { env: 'a' }, setup));
  });

  test('that removes bindings is refused unless the apply may delete', async () => {
    const world = new World({
      groups: [{ name: 'old' }, { name: 'new' }],
      applications: [{ slug: 'a', name: 'A' }],
      bindings: ['new', 'old'].map((group, order) => ({ application: 'a', group, order })),
    });
    const text =
      'version: 1\napplications: [{ slug: a, name: A, policies: [{ group: { name: new }, order: 0 }] }]\n';
    const may = { env: { ROLLCALL_CAPABILITIES: 'update,delete' } };
    const planned = await runOn(plan, world.send, text, { output: 'json', allow: ['update', 'delete'] }, may);
    const setup = { ...may, files: { 'plan.json': planned.stdout } };
    const refused = await runOn(apply, world.send, text, { plan: 'plan.json', allow: ['update'] }, setup);
    expect(refused.ending).toBe('invalid');
    expect(refused.stderr).toContain('the plan would delete bindings of it, which this run may not do');
    expect(world.writes()).toEqual([]);
    await done(runOn(apply, world.send, text, { plan: 'plan.json', allow: ['update,delete'] }, setup));
  });

  test('prints a JSON document with the reason if it is refused with -o json', async () => {
    const text = await savedText();
    service = fakeService({ drifted: existing.drifted });
    const { stdout, ending } = await runApply(text, { output: 'json' });
    expect(ending).toBe('stale');
    expect(schemaErrors('validation', parseJson(stdout))).toEqual([]);
    expect(parseJson(stdout)).toMatchObject({
      valid: false,
      diagnostics: [{ code: 'stale-plan', address: 'application.wiki' }],
    });
  });
});

describe('apply --plan without look-ups', () => {
  test.each([
    [403, { detail: 'No.' }, 'denied'],
    [500, '', 'failed'],
    [404, '<!DOCTYPE html>', 'failed'],
  ] as const)(
    'ends as a plan would after a response with status %i, and creates nothing',
    async (status, body, expected) => {
      const text = await savedText();
      let posts = 0;
      const { ending, stdout } = await runApply(
        text,
        {},
        {
          transport: async ({ method }) => {
            if (method === 'POST') posts += 1;
            return answered(status, body);
          },
        },
      );
      expect({ ending, stdout, posts }).toEqual({ ending: expected, stdout: '', posts: 0 });
    },
  );

  test('creates nothing if the plan has more creates than --max-creates allows', async () => {
    const text = await savedText();
    const { ending, stderr } = await runApply(text, { maxCreates: '2' });
    expect(ending).toBe('failed');
    expect(stderr).toContain('the plan would create 3 resources, and --max-creates allows 2');
    expect(service.creates()).toEqual([]);
  });
});

describe('plan --out', () => {
  test.each<[string, Partial<PlanOptions>, Setup, Ending]>([
    ['a read failed', {}, { transport: async () => answered(500) }, 'failed'],
    ['access was denied', {}, { transport: async () => answered(403, { detail: 'No.' }) }, 'denied'],
    ['there are too many creates', { maxCreates: '2' }, {}, 'failed'],
    ['the manifests are invalid', { var: [] }, {}, 'invalid'],
    ['the run was interrupted', {}, { signal: AbortSignal.abort('SIGTERM') }, 'terminated'],
  ])('writes nothing if %s', async (_, options, setup, expected) => {
    const { ending, written } = await runPlan(options, setup);
    expect(ending).toBe(expected);
    expect([...written.keys()]).toEqual([]);
  });

  test('fails if the file cannot be written, and still shows the plan', async () => {
    const { context, stdout, stderr } = capture(setupFor({}));
    const ending = await plan(
      ['m'],
      { output: 'text', out: 'x/plan.json', var: ['who=me'], detailedExitcode: true },
      { ...context, writePrivateFile: () => Promise.reject(new Error('there is a link')) },
    );
    expect(ending).toBe('failed');
    expect(stdout()).toContain('Plan: 3 to add');
    expect(stderr()).toBe('error: the plan cannot be saved to x/plan.json\n    there is a link\n');
  });

  test('saves a plan without creates too', async () => {
    const nothing = await savedText({ target: ['application.drifted'] });
    const { stdout } = await done(runApply(nothing));
    expect(stdout).toContain('Apply complete! Resources: 0 added');
  });
});

test('a saved plan reports that a value with a secret in it no longer differs', async () => {
  const real = sandboxTransport({});
  const text = (more: string): string =>
    `version: 1\nusers: [{ username: una, name: Una, attributes: { token: "\${env:NOTE}", ${more} } }]\n`;
  const config = { 'rollcall.yaml': 'version: 1\ncapabilities: [update]\n' };
  const options = { config: 'rollcall.yaml', allow: ['update'] };
  await done(runOn(apply, real.send, text('level: 1'), options, { files: config, env }));
  const { written } = await runOn(
    plan,
    real.send,
    text('level: 2'),
    { ...options, out: 'plan.json' },
    { files: config, env },
  );
  await done(runOn(apply, real.send, text('level: 2'), options, { files: config, env }));
  const saved = { ...config, 'plan.json': written.get('plan.json') ?? '' };
  const given = { ...options, plan: 'plan.json' };
  const { stderr } = await runOn(apply, real.send, text('level: 2'), given, { files: saved, env });
  expect(stderr).toContain('user.una: `attributes` differed when the plan was made, and no longer does');
});

test('a report of apply --plan does not replace the plan under another name', async () => {
  const text = 'version: 1\nusers: [{ username: u, name: U }]\n';
  const { send } = sandboxTransport({});
  const { written } = await runOn(plan, send, text, { out: 'plan.json' });
  const saved = { 'plan.json': written.get('plan.json') ?? '' };
  const given = { plan: 'plan.json', report: ['json=./plan.json'] };
  await expect(runOn(apply, send, text, given, { files: saved })).rejects.toThrow(
    'an output would overwrite ./plan.json, which this run reads',
  );
});
