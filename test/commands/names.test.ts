import { describe, expect, test } from 'vitest';
import { apply } from '../../src/commands/apply.ts';
import { plan } from '../../src/commands/plan.ts';
import { validate } from '../../src/commands/validate.ts';
import type { SandboxSeed } from '../../src/generated/sandbox-seed.ts';
import { done, runOn, type Ran } from '../support/manifest-run.ts';
import { answered } from '../support/scripted-transport.ts';
import { capture } from '../support/run.ts';
import { sandboxTransport } from '../support/sandbox-requests.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const manifest = `version: 1
applications:
  - slug: grafana
    name: Grafana
    provider: { name: Grafana OIDC }
    backchannel_providers: [{ name: "100% & #1" }, { name: Wiki }]
users:
  - username: alice
    name: Alice
    groups: [{ name: staff }, { name: admins }]
`;

const ids = {
  a: '11111111-1111-4111-8111-111111111111',
  b: '22222222-2222-4222-8222-222222222222',
};

/** Two services that have the same records with different ids. */
const one: SandboxSeed = {
  providers: [
    { pk: 1, name: 'Grafana OIDC' },
    { pk: 2, name: '100% & #1' },
    { pk: 3, name: 'Wiki' },
  ],
  groups: [
    { pk: ids.a, name: 'staff' },
    { pk: ids.b, name: 'admins' },
  ],
};
const other: SandboxSeed = {
  providers: [
    { pk: 30, name: 'Wiki' },
    { pk: 10, name: 'Grafana OIDC' },
    { pk: 20, name: '100% & #1' },
  ],
  groups: [
    { pk: ids.b, name: 'staff' },
    { pk: ids.a, name: 'admins' },
  ],
};

type Service = ReturnType<typeof sandboxTransport>;

function run(
  command: 'plan' | 'apply' | 'validate',
  service: Pick<Service, 'send'>,
  text = manifest,
  options: object = {},
): Promise<Ran> {
  return runOn({ plan, apply, validate }[command], service.send, text, options);
}

/** Leaves out the read of a setting that decides who may open new applications, from release 2026.5 on. */
function withoutFlag(paths: readonly string[]): readonly string[] {
  return paths.filter((path) => path !== '/admin/settings/');
}

describe('the same manifests, applied to two services with different ids,', () => {
  test.each([
    ['one', one, { provider: 1, backchannel_providers: [2, 3] }, [ids.a, ids.b]],
    ['the other', other, { provider: 10, backchannel_providers: [20, 30] }, [ids.b, ids.a]],
  ])(
    'create records with the ids of each service, and a second plan has no changes: %s',
    async (_, seed, providers, groups) => {
      const service = sandboxTransport(seed);
      const { ending, stdout } = await run('apply', service);
      expect(ending, stdout).toBe('done');
      expect(service.sent()).toEqual([
        { slug: 'grafana', name: 'Grafana', ...providers },
        { username: 'alice', name: 'Alice', groups },
      ]);
      expect(withoutFlag(service.lookUps()).slice(1)).toEqual([
        '/providers/all/?ordering=name&page=1&page_size=100',
        '/core/groups/?include_users=false&ordering=name&name=staff&page=1&page_size=100',
        '/core/groups/?include_users=false&ordering=name&name=admins&page=1&page_size=100',
      ]);
      const again = await run('plan', service, manifest, { detailedExitcode: true });
      expect(again.ending).toBe('done');
      expect(again.stdout).toContain('No changes. Your infrastructure matches the configuration.');
    },
  );
});

test('validate sends no request, and a plan looks up the record to which a declared id refers', async () => {
  const service = sandboxTransport(one);
  expect((await run('validate', service)).stdout).toContain('Valid: 1 application, 1 user.');
  expect(service.requests).toEqual([]);
  const byId = 'version: 1\napplications: [{ slug: a, name: A, provider: 1 }]\n';
  await done(run('plan', service, byId));
  expect(withoutFlag(service.lookUps())).toEqual(['/admin/version/', '/providers/all/1/']);
});

test('a name in place of an id is an error with contract_only, and nothing is sent', async () => {
  const service = sandboxTransport(one);
  const { ending, stderr, stdout } = await run('plan', service, manifest, { contractOnly: true });
  expect(ending).toBe('invalid');
  expect(stderr + stdout).toContain('m.yaml:5:15');
  expect(stderr + stdout).toContain('[contract-only]');
  expect(service.requests).toEqual([]);
});

describe('a plan ends if a name has no id, and reports', () => {
  const service = (): Service =>
    sandboxTransport({
      ...one,
      tokens: [
        { token: 'canary-blind', view_groups: 'none', view_providers: 'none' },
        { token: 'canary-half', view_providers: ['Wiki'] },
      ],
    });
  /** The codes and the lines of the errors in a JSON report. */
  async function told(
    text: string,
    by: Pick<Service, 'send'> = service(),
  ): Promise<{ ending: string; errors: string[]; summaries: string[] }> {
    const { ending, stdout } = await run('plan', by, text, { output: 'json' });
    // The output of a run that has only diagnostics.
    const { diagnostics } = JSON.parse(stdout) as {
      diagnostics: { code: string; summary: string; range: { start: { line: number; column: number } } }[];
    };
    return {
      ending,
      errors: diagnostics.map(({ code, range: { start } }) => `${code} ${start.line}:${start.column}`),
      summaries: diagnostics.map(({ summary }) => summary),
    };
  }

  test('names of missing records at their lines', async () => {
    const text = manifest.replace('Grafana OIDC', 'Grafana OIDK').replace('staff', 'Staff');
    const { ending, errors, summaries } = await told(text);
    expect(ending).toBe('invalid');
    expect(errors).toEqual(['name-not-found 5:15', 'name-not-found 10:14']);
    expect(summaries[0]).toBe(
      'there is no provider named "Grafana OIDK", or it is not visible to this token',
    );
  });

  test('names in defaults, once for any number of entries', async () => {
    const text = `version: 1
defaults: { user: { groups: [{ name: nobody }] } }
users: [{ username: a, name: A }, { username: b, name: B }, { username: c, name: C }]
`;
    expect((await told(text)).errors).toEqual(['name-not-found 2:30']);
  });

  test('names that the token may not view, without calling them missing', async () => {
    const blind = sandboxTransport(
      { ...one, tokens: [{ token: 'canary-blind', view_groups: 'none', view_providers: 'none' }] },
      'canary-blind',
    );
    const { ending, stdout } = await run('plan', blind, manifest);
    expect(ending).toBe('incomplete');
    for (const place of ['5:15', '6:29', '6:52', '10:14', '10:31'])
      expect(stdout).toMatch(new RegExp(`error  m\\.yaml:${place}: could not look up [^]*service-denied`));
  });

  test.each([
    [
      'a token that the service does not know',
      { send: async () => answered(403, { detail: 'Token invalid/expired' }) },
      'denied',
      'error: the service does not accept the token (403) [service-denied]',
    ],
    [
      'a redirect of the service',
      { send: async () => answered(302, '', { location: 'https://elsewhere.example.com/' }) },
      'failed',
      'error: the service redirects (302) to https://elsewhere.example.com [service-unexpected]',
    ],
  ])('%s once, without a line', async (_, send, expected, words) => {
    const { ending, stderr } = await run('plan', send);
    expect(ending).toBe(expected);
    expect(stderr.split('\n').filter((line) => line.includes('error: '))).toEqual([words]);
    expect(stderr).toContain('Not looked up: application.grafana, user.alice\n');
    expect(stderr).toContain(
      'No plan for https://id.example.com: the names in the manifests could not be looked up.',
    );
  });

  test('two names, or a name and an id, of one provider', async () => {
    const text = `version: 1
applications:
  - { slug: a, name: A, provider: { name: Wiki } }
  - { slug: b, name: B, provider: 3, backchannel_providers: [2] }
  - { slug: c, name: C, backchannel_providers: [1, { name: "100% & #1" }] }
`;
    const { ending, errors, summaries } = await told(text);
    expect(ending).toBe('invalid');
    expect(errors).toEqual(['shared-provider 4:35', 'shared-backchannel-provider 5:48']);
    expect(summaries[1]).toBe('backchannel provider "100% & #1" (2) is already in `b`');
    expect((await run('plan', service(), text)).stderr).toContain(
      'No plan for https://id.example.com: some of the changes are refused. Nothing was changed.',
    );
  });

  test('names not looked up because the service asks for too long a pause', async () => {
    const busy = { send: async () => answered(429, { detail: 'Later.' }, { 'retry-after': '100000' }) };
    const { ending, stderr } = await run('plan', busy);
    expect(ending).toBe('failed');
    expect(stderr).toContain(
      'could not look up the group by its name: the service asks clients to wait (429)',
    );
    expect(stderr).toContain(
      'the names in the manifests could not be looked up. 3 more names were not looked up. Nothing was changed.',
    );
  });

  test('names with their control characters escaped', async () => {
    const text = manifest.replace('name: staff', String.raw`name: "sta\u202eff\n::error::x"`);
    const { stderr } = await run('apply', service(), text);
    expect(stderr).toContain('there is no group named "sta\\u{202e}ff\\n::error::x", or it is not visible');
    expect(stderr).toContain('Nothing was changed.');
    expect(stderr).not.toMatch(/\u202e|^::/m);
  });

  test('hidden fields without the name and without a suggestion', async () => {
    const near = { pk: '33333333-3333-4333-8333-333333333333', name: 'canary-hidden-names' };
    const text = manifest.replace('staff', 'canary-hidden-name');
    const files = {
      'm.yaml': text,
      'rollcall.yaml': 'version: 1\nhide: [user.groups]\n',
    };
    const { context, stdout, stderr } = capture({
      files,
      url: 'https://id.example.com',
      clock: virtualClock(),
      transport: sandboxTransport({ ...one, groups: [...(one.groups ?? []), near] }).send,
    });
    const ending = await plan(['m.yaml'], { output: 'text', verbose: true }, context);
    expect(ending).toBe('invalid');
    expect(stderr()).toContain('there is no group of this name, or it is not visible to this token');
    expect(stderr()).toContain('GET /api/v3/core/groups/?(hidden) 200');
    expect(stdout() + stderr()).not.toContain('canary-hidden-name');
  });

  test('hidden fields without an answer of the service that contains the name', async () => {
    const { context, stdout, stderr } = capture({
      files: { 'm.yaml': manifest, 'rollcall.yaml': 'version: 1\nhide: [user.groups]\n' },
      url: 'https://id.example.com',
      clock: virtualClock(),
      transport: async (request) =>
        request.path.startsWith('/api/v3/core/groups/?')
          ? answered(400, { name: ['canary-hidden-name'] })
          : sandboxTransport(one).send(request),
    });
    expect(await plan(['m.yaml'], { output: 'text' }, context)).not.toBe('done');
    expect(stdout() + stderr()).toContain('could not look up the group by its name');
    expect(stdout() + stderr()).not.toContain('canary-hidden-name');
  });
});
