import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { isJsonObject, parseJson, type JsonObject } from '../../src/base/json.ts';
import { apply } from '../../src/commands/apply.ts';
import { exportManifests } from '../../src/commands/export.ts';
import { plan } from '../../src/commands/plan.ts';
import { validate } from '../../src/commands/validate.ts';
import type { SandboxSeed } from '../../src/generated/sandbox-seed.ts';
import { sandboxReleases, type SandboxRelease } from '../../src/sandbox/release.ts';
import { sandboxToken } from '../../src/sandbox/seed.ts';
import type { HttpRequest, Transport } from '../../src/service/transport.ts';
import { done, runOn, type Ran } from '../support/manifest-run.ts';
import { capture, type Setup } from '../support/run.ts';
import { sandboxTransport } from '../support/sandbox-requests.ts';
import { someReleases } from '../support/effort.ts';
import { answered } from '../support/scripted-transport.ts';
import { otherClient } from '../support/other-client.ts';

const secret = 'canary-of-grafana';
const flows = `    authorization_flow: { slug: default-provider-authorization-implicit-consent }
    invalidation_flow: { slug: default-provider-invalidation-flow }
`;
const oauth2 = (more = ''): string => `version: 1
providers:
  - name: Grafana
    type: oauth2
${flows}    redirect_uris: [https://grafana.example.com/login]
${more}`;
const withSecret = oauth2('    client_secret: ${env:GRAFANA_SECRET}\n');
const wiki = (more = ''): string => `version: 1
providers:
  - name: Wiki
    type: proxy
    mode: forward_single
    external_host: https://wiki.example.com
${flows}${more}`;

/** A whole environment in which every reference comes before the record to which it refers. */
const roll = `version: 1
applications:
  - { slug: grafana, name: Grafana, provider: { name: Grafana }, access: { groups: [{ name: staff }] } }
  - { slug: wiki, name: Wiki, provider: { name: Wiki } }
providers:
  - name: Grafana
    type: oauth2
${flows}    client_id: grafana
    client_secret: \${env:GRAFANA_SECRET}
    redirect_uris:
      - https://grafana.example.com/login
      - { matching_mode: regex, url: 'https://.*\\.grafana\\.example\\.com/login' }
    signing_key: { name: authentik Self-signed Certificate }
    property_mappings:
      - { managed: goauthentik.io/providers/oauth2/scope-openid }
      - { name: "authentik default OAuth Mapping: OpenID 'email'" }
  - name: Wiki
    type: proxy
    mode: forward_single
    external_host: https://wiki.example.com
${flows}`;

const commands = { plan, apply, validate };
const config = { 'rollcall.yaml': 'version: 1\ncapabilities: [update]\n' };
const allowed = { config: 'rollcall.yaml', allow: ['update'] };

function run(
  command: keyof typeof commands,
  send: Transport,
  text: string,
  options: object = {},
  setup: Setup = {},
): Promise<Ran> {
  const env = { ROLLCALL_TOKEN: 'a-token', GRAFANA_SECRET: secret, ...setup.env };
  return runOn(commands[command], send, text, options, {
    ...setup,
    env,
    files: { ...config, ...setup.files },
  });
}

type Service = ReturnType<typeof sandboxTransport>;

function service(seed: SandboxSeed = {}, release?: SandboxRelease): Service {
  return sandboxTransport(seed, undefined, release);
}

function held({ sandbox }: Service, type: 'oauth2' | 'proxy', name: string): JsonObject {
  const record = otherClient(sandbox).record(type, name);
  if (record === undefined) throw new Error(`there is no ${name}`);
  return record;
}

function writes(requests: readonly HttpRequest[]): string[] {
  return requests.filter(({ method }) => method !== 'GET').map(({ method, path }) => `${method} ${path}`);
}

describe.each(someReleases(sandboxReleases))('providers on release %s', (release) => {
  test('are created before the applications that refer to them, and a second run has no changes', async () => {
    const made = service({}, release);
    const planned = await run('plan', made.send, roll);
    expect(planned.stdout).toContain('provider       "Grafana" (created first)');
    expect(planned.stdout).toContain('client_secret       "(sensitive)"');
    const applied = await run('apply', made.send, roll, { concurrency: '1' });
    expect(applied).toMatchObject({ ending: 'done', stdout: expect.stringContaining('4 created') });
    const grafana = held(made, 'oauth2', 'Grafana');
    expect(grafana).toMatchObject({ client_id: 'grafana', client_secret: secret });
    expect(otherClient(made.sandbox).record('application', 'grafana')).toMatchObject({
      provider: grafana['pk'],
    });
    const again = await run('plan', made.send, roll);
    expect([again.ending, again.stdout]).toEqual(['done', expect.stringContaining('No changes.')]);
    expect([planned, applied, again].map((ran) => JSON.stringify(ran)).join()).not.toContain(secret);
  });

  test('are created by one apply of the example in docs/providers.md', async () => {
    const page = readFileSync(new URL('../../docs/providers.md', import.meta.url), 'utf8');
    const example = /```yaml\n([^]*?)```/.exec(page)?.[1] ?? '';
    const env = { GRAFANA_CLIENT_SECRET: secret };
    const made = service({ providers: [{ pk: 1, name: 'HR SAML' }] }, release);
    const { ending, stdout, stderr } = await run('apply', made.send, example, {}, { env });
    expect([ending, stdout]).toEqual(['done', expect.stringContaining('5 created')]);
    const leftOut = Array.from(
      stderr.matchAll(/^Note: `(.*)` of providers is left out: .*\n/gm),
      ([, field]) => field,
    );
    const isLater = (since: string): boolean => release.localeCompare(since, 'en', { numeric: true }) < 0;
    const later = [
      ...(isLater('2026.5') ? ['grant_types'] : []),
      ...(isLater('2024.10') ? ['invalidation_flow'] : []),
    ];
    expect(new Set(leftOut)).toEqual(new Set(later));
    expect((await run('plan', made.send, example, {}, { env })).stdout).toContain('No changes.');
  });

  test('are exported with a comment for the variable of each secret', async () => {
    const made = service({}, release);
    await run(
      'apply',
      made.send,
      ['grafana', 'GRAFANA'].reduce(
        (text, name) =>
          text +
          oauth2()
            .replace(/^version.*\n.*\n/, '')
            .replaceAll('Grafana', name),
        oauth2(),
      ),
    );
    const { context, stdout, stderr } = capture({
      url: 'https://id.example.com',
      transport: made.send,
      files: config,
    });
    await exportManifests({ output: 'yaml' } as never, context); // each test passes options that the command accepts
    const variables = ['', '_2', '_3'].map((number) => `GRAFANA_CLIENT_SECRET${number}`);
    for (const name of variables) expect(stdout()).toContain(`\n    # client_secret: \${env:${name}}\n`);
    expect(stderr()).toContain(`and set: ${variables.join(', ')}. `);
    const uncommented = stdout().replaceAll('# client_secret', 'client_secret');
    await done(
      run(
        'validate',
        made.send,
        uncommented,
        {},
        { env: Object.fromEntries(variables.map((name) => [name, `secret of ${name}`])) },
      ),
    );
  });
});

describe('an update of a provider', () => {
  test('with a changed secret is shown without its values, and confirmed separately', async () => {
    const made = service();
    await run('apply', made.send, withSecret);
    const env = { GRAFANA_SECRET: 'canary-of-another' };
    const shown = await run('plan', made.send, withSecret, allowed, { env });
    expect(shown.stdout).toContain('client_secret  (sensitive; differs from the declared secret)');
    expect(shown.stdout).toContain('logins fail until the application has the new value');
    const left = await run('apply', made.send, withSecret, { config: 'rollcall.yaml' }, { env });
    expect(left.stdout).toContain('! provider.Grafana');
    const { stdout } = await run('apply', made.send, withSecret, allowed, { env });
    expect(stdout).toContain('~ provider.Grafana  changed');
    expect(held(made, 'oauth2', 'Grafana')['client_secret']).toBe('canary-of-another');
  });

  test('of the type proxy includes the required fields, and keeps all others', async () => {
    const made = service();
    const inner =
      wiki().replace('forward_single', 'proxy') + '    internal_host: http://wiki.internal:8080\n';
    await run('apply', made.send, inner);
    const moved = wiki('    access_token_validity: minutes=5\n').replace(
      '    mode: forward_single\n',
      '    internal_host: http://wiki.internal:8080\n',
    );
    const { ending, stdout } = await run('apply', made.send, moved, allowed);
    expect([ending, stdout]).toEqual(['done', expect.stringContaining('1 changed')]);
    expect(parseJson(made.requests.findLast(({ method }) => method === 'PATCH')?.body ?? '')).toEqual({
      access_token_validity: 'minutes=5',
      mode: 'proxy',
      internal_host: 'http://wiki.internal:8080',
      basic_auth_user_attribute: '',
      basic_auth_password_attribute: '',
    });
  });

  test('is not needed if redirect URIs differ only in order and spelling', async () => {
    const made = service({}, '2026.2');
    const uris = (list: string): string => oauth2().replace('[https://grafana.example.com/login]', list);
    await run(
      'apply',
      made.send,
      uris('[https://a.example.com/, { matching_mode: regex, url: "https://b/.*" }]'),
    );
    const same = uris('[{ matching_mode: regex, url: "https://b/.*" }, { url: https://a.example.com/ }]');
    expect((await run('plan', made.send, same)).stdout).toContain('No changes.');
    const other = uris('[https://a.example.com/, { matching_mode: strict, url: "https://b/.*" }]');
    expect((await run('plan', made.send, other)).stdout).toContain('! provider.Grafana');
  });
});

describe('a create of a provider', () => {
  test('sends redirect URIs as a string after the service refused a list, and in all later requests', async () => {
    const made = service({}, '2023.10');
    const second = oauth2().replace('Grafana', 'Second').replace('version: 1\nproviders:\n', '');
    await run('apply', made.send, oauth2() + second, { concurrency: '1' });
    const sent = made.requests.flatMap(({ method, body = '' }) => {
      const fields = method === 'POST' ? parseJson(body) : undefined;
      return isJsonObject(fields ?? null) ? [Array.isArray((fields as JsonObject)['redirect_uris'])] : []; // checked above
    });
    expect(sent).toEqual([true, false, false]);
    expect(held(made, 'oauth2', 'Second')['redirect_uris']).toBe('https://grafana.example.com/login');
  });

  describe('whose name belongs to a provider of another type', () => {
    const ofOthers = { providers: [{ pk: 1, name: 'Grafana' }] };
    const refusal =
      'm.yaml:3:11: error: provider.Grafana: a provider of another type has this name: SAML Provider [name-taken]';

    test.each(someReleases(sandboxReleases))(
      'is an error of the plan, and nothing is sent: release %s',
      async (release) => {
        const made = service(ofOthers, release);
        for (const command of ['plan', 'apply'] as const) {
          const { ending, stdout, stderr } = await run(command, made.send, oauth2());
          expect([ending, stdout + stderr]).toEqual(['invalid', expect.stringContaining(refusal)]);
          expect(stdout + stderr).toContain('a new resource has the name of another record');
        }
        expect(writes(made.requests)).toEqual([]);
      },
    );

    test('with --keep-going, does not prevent creates of other resources', async () => {
      const made = service(ofOthers, '2026.2');
      const { ending, stdout } = await run('apply', made.send, roll, { keepGoing: true });
      expect(ending).toBe('incomplete');
      expect(stdout).toContain('a provider of another type has this name: SAML Provider');
      expect(stdout).toContain('+ application.wiki  created');
      expect(otherClient(made.sandbox).record('application', 'grafana')).toBeUndefined();
    });

    test('with --keep-going, also leaves the resources that depend on the provider unplanned', async () => {
      const made = service({ ...ofOthers, applications: [{ slug: 'grafana', name: 'Grafana' }] }, '2026.2');
      const { stdout } = await run('plan', made.send, roll, { keepGoing: true });
      expect(stdout).toContain('it depends on provider.Grafana, which is not planned');
      expect(stdout).not.toContain('"Grafana" (created first)');
    });

    test('is refused by the service, and ends in conflict if the token may not view all providers', async () => {
      const made = service(ofOthers, '2026.2');
      const send: Transport = async (request, signal) =>
        request.path.startsWith('/api/v3/providers/all/')
          ? answered(403, { detail: 'no' })
          : made.send(request, signal);
      const { ending, stdout } = await run('apply', send, oauth2());
      expect([ending, stdout]).toEqual([
        'incomplete',
        expect.stringContaining('The service said: name: provider with this name already exists.'),
      ]);
    });

    test('is planned again if another client created the declared provider meanwhile', async () => {
      const made = service({}, '2026.2');
      const text = oauth2().replace('login', '*');
      const send: Transport = async (request, signal) => {
        if (
          request.path.startsWith('/api/v3/providers/all/') &&
          otherClient(made.sandbox).pk('oauth2', 'Grafana') === undefined
        )
          await run('apply', made.send, text);
        return made.send(request, signal);
      };
      const { ending, stdout, stderr } = await run('apply', send, text);
      expect([ending, stdout]).toEqual(['done', expect.stringContaining('1 in sync')]);
      expect(stderr.match(/strict-pattern/g)).toHaveLength(1);
    });
  });
});

describe('an outpost', () => {
  const served = wiki() + 'outposts: [{ name: authentik Embedded Outpost, providers: [{ name: Wiki }] }]\n';
  const providersOf = ({ sandbox }: Service): unknown =>
    otherClient(sandbox).record('outpost', 'authentik Embedded Outpost')?.['providers'];

  test.each(someReleases(sandboxReleases))(
    'gets the provider created in the same run, and keeps its other providers: release %s',
    async (release) => {
      const made = service({ providers: [{ pk: 3, name: 'Of others', type: 'proxy' }] }, release);
      otherClient(made.sandbox).change('outpost', 'authentik Embedded Outpost', { providers: [3] });
      const { ending, stdout } = await run('apply', made.send, served, allowed);
      expect([ending, stdout]).toEqual(['done', expect.stringContaining('1 created, 1 changed')]);
      expect(providersOf(made)).toEqual([3, held(made, 'proxy', 'Wiki')['pk']]);
      expect((await run('plan', made.send, served)).stdout).toContain('No changes.');
    },
  );

  test('is suggested in a note if a new proxy provider belongs to no outpost', async () => {
    const made = service();
    const words = 'None of the declared outposts serves provider.Wiki, so nobody can reach it.';
    const { stdout } = await run('plan', made.send, wiki());
    expect(stdout).toContain(words);
    expect(stdout).toContain(
      'outposts: [{ name: authentik Embedded Outpost, providers: [{ name: "Wiki" }] }]',
    );
    expect((await run('apply', made.send, wiki())).stdout).toContain(words);
    expect((await run('plan', made.send, served)).stdout).not.toContain('nobody can reach');
    expect((await run('plan', made.send, oauth2())).stdout).not.toContain('nobody can reach');
    const changed = wiki().replace('https://wiki.', 'https://other.');
    const update = await run('plan', made.send, changed, allowed);
    expect(update.stdout).toContain('~ provider.Wiki');
    expect(update.stdout).not.toContain('nobody can reach');
    const part = await run('plan', service().send, wiki(), { target: ['provider.*'] });
    expect(part.stdout).not.toContain('nobody can reach');
  });

  test('can be renamed and deleted, except for the one of the service itself', async () => {
    const made = service({ providers: [{ pk: 3, name: 'Wiki', type: 'proxy' }] });
    const applied = async (entry: string, { send } = made): Promise<string> => {
      const text = `version: 1\noutposts: [{ ${entry} }]\n`;
      const both = { allow: ['update', 'delete'], capability: ['update', 'delete'] };
      const { stdout } = await run('apply', send, text, { ...allowed, ...both });
      return stdout;
    };
    await applied('name: edge, type: proxy, config: { authentik_host: https://a.example }, providers: [3]');
    expect(await applied('name: Edge, formerly: edge')).toContain('0 added, 1 changed');
    expect(await applied('name: Edge, state: absent')).toContain('1 destroyed');
    expect(otherClient(made.sandbox).record('outpost', 'Edge')).toBeUndefined();
    const own = 'authentik Embedded Outpost';
    expect(await applied(`name: ${own}, state: absent`, service())).toContain('its own outpost again');
    expect(await applied(`name: E, formerly: ${own}`, service())).toContain('another name for its own');
  });

  test('that is new is created once, with its providers', async () => {
    const made = service({}, '2025.12');
    const own = served
      .replace('authentik Embedded Outpost', 'Edge')
      .replace(
        'providers: [{',
        'type: proxy, config: { authentik_host: https://id.example.com }, providers: [{',
      );
    const { ending, stderr } = await run('apply', made.send, own);
    expect([ending, stderr]).toEqual(['done', '']);
    expect(otherClient(made.sandbox).record('outpost', 'Edge')).toMatchObject({
      providers: [held(made, 'proxy', 'Wiki')['pk']],
    });
    const lacking = served.replace('authentik Embedded Outpost', 'Other');
    const refused = await run('plan', made.send, lacking);
    const blind = service({ tokens: [{ token: sandboxToken, rights: { view_outposts: 'none' } }] });
    const unseen = await run('plan', blind.send, 'version: 1\noutposts: [{ name: Other }]\n');
    expect([refused.ending, unseen.ending, unseen.stderr]).toEqual(['invalid', 'done', '']);
    for (const field of ['type', 'config']) {
      expect(refused.stderr).toContain(`the field \`${field}\` is missing, and a new record requires it`);
      expect(unseen.stdout).toContain(`note  the service rejects a new record without \`${field}\``);
    }
  });
});

describe('a reference to a missing record is an error at its place, and the error suggests a similar name:', () => {
  test.each([
    [
      'a flow',
      'authorization_flow: { slug: default-provider-authorization-implicit-consent }',
      'authorization_flow: { slug: default-provider-authorization-implicit }',
      'no flow',
    ],
    [
      'a key',
      'signing_key: { name: authentik Self-signed Certificate }',
      'signing_key: { name: authentik Self-Signed Certificate }',
      'no certificate',
    ],
    ['a mapping', 'scope-openid', 'scope-openld', 'no property_mapping'],
  ])('%s', async (_, before, after, words) => {
    const made = service();
    const { ending, stdout, stderr } = await run('plan', made.send, roll.replace(before, after));
    expect(ending).not.toBe('done');
    expect(stdout + stderr).toContain(words);
    expect(stdout + stderr).toContain('Did you mean');
    expect(writes(made.requests)).toEqual([]);
  });
});

test('a literal secret is an error, and is never shown', async () => {
  const clear = oauth2('    client_secret: canary-in-clear\n');
  for (const command of ['validate', 'plan', 'apply'] as const) {
    const made = service();
    const { ending, stdout, stderr } = await run(command, made.send, clear);
    expect(ending).toBe('invalid');
    expect(stdout + stderr).toContain(
      'm.yaml:8:20: error: everyone who can read the manifest can read this secret',
    );
    expect(stdout + stderr).not.toContain('canary');
    expect(made.requests).toEqual([]);
  }
});

test('an empty mapping is no secret: a local connection is created, shown as hidden, and exported', async () => {
  const local = (field: string): string =>
    `version: 1\nservice_connections: [{ type: kubernetes, name: local, local: true${field} }]\n`;
  const made = service();
  const refused = await run('plan', made.send, local(''));
  expect(refused.stderr).toContain('the field `kubeconfig` is missing, and a new record requires it');
  const applied = await run('apply', made.send, local(', kubeconfig: {}'));
  expect([applied.ending, applied.stdout]).toEqual(['done', expect.stringContaining('1 created')]);
  expect((await run('plan', made.send, local(', kubeconfig: {}'))).stdout).toContain('No changes.');
  const { context, stdout } = capture({ url: 'https://id.example.com', transport: made.send });
  await exportManifests({ output: 'yaml' } as never, context); // the command accepts these options
  expect(stdout()).toMatch(/^ {4}kubeconfig: \{\}$/m);
});

test('a line with a literal secret is not quoted in reports of other problems either', async () => {
  const line =
    '{ name: A, type: oauth2, client_secret: canary-in-clear, mode: proxy, sub_mode: none, redirect_uris: [x] }';
  const { stdout, stderr } = await run('validate', service().send, `version: 1\nproviders:\n  - ${line}\n`);
  for (const code of ['secret-in-clear', 'unknown-field', 'invalid-value', 'invalid-format'])
    expect(stdout + stderr).toContain(code);
  expect(stdout + stderr).not.toContain('canary');
});

test('an error about a literal secret does not advise to leave the secret out if the service generates none', async () => {
  const stage = '{ name: c, type: captcha, public_key: a, private_key: canary-in-clear }';
  const { stdout, stderr } = await run('validate', service().send, `version: 1\nstages:\n  - ${stage}\n`);
  expect(stdout + stderr).toContain('[secret-in-clear]');
  expect(stdout + stderr).not.toContain('generates one');
});

/** A service that shows one of its own secrets in each record, as the real service does. */
function showing(made: Service): Transport {
  return async (request, signal) => {
    const exchange = await made.send(request, signal);
    if (exchange.kind !== 'answered') return exchange;
    return {
      ...exchange,
      body: exchange.body.replaceAll(/"client_secret":"[^"]*"/g, '"client_secret":"canary-of-service"'),
    };
  };
}

test.each(['text', 'json', 'markdown', 'html', 'junit', 'github'])(
  'an undeclared secret of the service is never shown: %s',
  async (output) => {
    const made = service();
    await run('apply', made.send, oauth2());
    const other = oauth2('    client_type: public\n    sub_mode: user_id\n');
    const reports = { report: ['text=r.txt', 'json=r.json', 'markdown=r.md', 'html=r.html'] };
    const shown = [
      await run('plan', showing(made), other, { ...allowed, output, ...reports, out: 'p.json' }),
      await run('plan', showing(made), oauth2('    client_secret: ${env:GRAFANA_SECRET}\n'), {
        ...allowed,
        output,
      }),
      ...(output === 'text' || output === 'json'
        ? [await run('apply', showing(made), other, { ...allowed, output, log: 'debug', logRequests: true })]
        : []),
    ];
    const all = shown.map(({ stdout, stderr, written }) => [stdout, stderr, ...written.values()].join('\n'));
    expect(all.join('\n')).not.toContain('canary-of-service');
    expect(all[0]).toContain('sub_mode');
  },
);

test('a provider declared absent counts as absent if a provider of another type has its name', async () => {
  const made = service({ providers: [{ pk: 1, name: 'Wiki' }] });
  const text = 'version: 1\nproviders: [{ name: Wiki, type: oauth2, state: absent }]\n';
  expect(await run('plan', made.send, text)).toMatchObject({
    ending: 'done',
    stdout: expect.stringContaining('No changes.'),
  });
});
