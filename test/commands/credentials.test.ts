import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Ending } from '../../src/base/exit-code.ts';
import { credentials, type CredentialsOptions } from '../../src/commands/credentials.ts';
import { sandboxReleases } from '../../src/sandbox/release.ts';
import type { SandboxSeed } from '../../src/generated/sandbox-seed.ts';
import { capture } from '../support/run.ts';
import { World } from '../support/update-world.ts';
import { uuidFrom } from '../../src/sandbox/ids.ts';
import { someReleases } from '../support/effort.ts';
import { answered } from '../support/scripted-transport.ts';
import { done } from '../support/manifest-run.ts';
import { otherClient } from '../support/other-client.ts';

const newest = sandboxReleases.at(-1);
const flow = uuidFrom('flow default-provider-authorization-implicit-consent');
const grafana = {
  name: 'Grafana OIDC',
  authorization_flow: flow,
  invalidation_flow: uuidFrom('flow default-provider-invalidation-flow'),
  redirect_uris: [],
  client_id: 'grafana',
  client_secret: 'of-grafana',
};

type Options = Partial<CredentialsOptions>;

interface Ran {
  readonly ending: Ending;
  readonly stdout: string;
  readonly stderr: string;
  readonly written: ReadonlyMap<string, string>;
  readonly world: World;
}

function worldWith(seed: SandboxSeed = {}): World {
  const world = new World(seed, newest);
  otherClient(world.sandbox).create('oauth2', grafana);
  otherClient(world.sandbox).create('application', {
    slug: 'grafana',
    name: 'Grafana',
    provider: otherClient(world.sandbox).pk('oauth2', grafana.name) ?? 0,
  });
  return world;
}

async function ran(
  addresses: readonly string[],
  options: Options,
  world: World = worldWith(),
  files: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  const captured = capture({ url: 'http://127.0.0.1:9', transport: world.send, files });
  const ending = await credentials(addresses, { format: 'dotenv', ...options }, captured.context);
  return {
    ending,
    stdout: captured.stdout(),
    stderr: captured.stderr(),
    written: captured.written,
    world,
  };
}

const address = 'provider.Grafana OIDC';
const own = 'http://localhost/application/o/grafana/';

describe('rollcall credentials', () => {
  test.each(someReleases(sandboxReleases))(
    'writes a new private file, and shows secrets nowhere else: %s',
    async (release) => {
      const world = new World({}, release);
      const { redirect_uris, ...fields } = grafana;
      otherClient(world.sandbox).create(
        'oauth2',
        release === '2023.10' ? fields : { ...fields, redirect_uris },
      );
      otherClient(world.sandbox).create('application', {
        slug: 'grafana',
        name: 'Grafana',
        provider: otherClient(world.sandbox).pk('oauth2', grafana.name) ?? 0,
      });
      const { ending, stdout, stderr, written } = await ran([address], { to: 'grafana.env' }, world);
      expect({ ending, stdout, stderr }).toEqual({
        ending: 'done',
        stdout: '',
        stderr: 'wrote  grafana.env\n',
      });
      expect(written.get('grafana.env')).toBe(`GRAFANA_OIDC_CLIENT_ID='grafana'
GRAFANA_OIDC_CLIENT_SECRET='of-grafana'
GRAFANA_OIDC_ISSUER='${own}'
GRAFANA_OIDC_DISCOVERY_URL='${own}.well-known/openid-configuration'
GRAFANA_OIDC_AUTHORIZATION_ENDPOINT='http://localhost/application/o/authorize/'
GRAFANA_OIDC_TOKEN_ENDPOINT='http://localhost/application/o/token/'
GRAFANA_OIDC_USERINFO_ENDPOINT='http://localhost/application/o/userinfo/'
GRAFANA_OIDC_END_SESSION_ENDPOINT='${own}end-session/'
GRAFANA_OIDC_JWKS_URI='${own}jwks/'
`);
      expect(world.writes()).toEqual([]);
    },
  );

  test('prints JSON with the address of every provider', async () => {
    const { written } = await ran([address], { to: 'c.json', format: 'json' });
    expect(JSON.parse(written.get('c.json') ?? '')).toMatchObject({
      format_version: '1.0',
      credentials: [{ address, client_id: 'grafana', client_secret: 'of-grafana', issuer: own }],
    });
  });

  test('prints a Kubernetes Secret with a valid name', async () => {
    const { written } = await ran([address], { to: 'c.yaml', format: 'kubernetes' });
    expect(parse(written.get('c.yaml') ?? '')).toMatchObject({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'grafana-oidc' },
      stringData: { client_secret: 'of-grafana' },
    });
  });

  test('with --all includes providers with a secret, and no public clients', async () => {
    const world = worldWith();
    otherClient(world.sandbox).create('oauth2', {
      ...grafana,
      name: 'App',
      client_id: 'app',
      client_type: 'public',
    });
    for (const name of ['Blank', 'None'])
      otherClient(world.sandbox).create('oauth2', {
        ...grafana,
        name,
        client_id: name,
        client_secret: `of-${name}`,
      });
    world.tamper = (_, answer) => {
      const exchange = answer();
      if (exchange.kind !== 'answered') return exchange;
      return { ...exchange, body: exchange.body.replace('"of-Blank"', '""').replace('"of-None"', 'null') };
    };
    otherClient(world.sandbox).create('/providers/radius/', {
      name: 'Wi-Fi',
      authorization_flow: flow,
      invalidation_flow: grafana.invalidation_flow,
      shared_secret: 'of-radius',
    });
    const { written } = await done(ran([], { all: true, to: 'c.json', format: 'json' }, world));
    expect(JSON.parse(written.get('c.json') ?? '')).toMatchObject({
      credentials: [{ address }, { address: 'provider.Wi-Fi', shared_secret: 'of-radius' }],
    });
    const named = await ran(['provider.App'], { to: 'c.json', format: 'json' }, world);
    expect(named.written.get('c.json')).not.toContain('client_secret');
  });

  test('replaces an existing file only with --replace', async () => {
    const files = { 'c.env': 'kept' };
    const refused = await ran([address], { to: 'c.env' }, worldWith(), files);
    expect(refused.ending).toBe('failed');
    expect(refused.stderr).toContain(
      'c.env exists already\n    Nothing was written. To replace the file, use --replace.',
    );
    expect(refused.written.size).toBe(0);
    const { written } = await done(
      ran([address, address], { to: 'c.env', replace: true }, worldWith(), files),
    );
    expect(written.get('c.env')?.match(/CLIENT_SECRET/g)).toHaveLength(1);
  });

  test.each<[unread: string, names: readonly string[], options: Options]>([
    ['other', [address, 'provider.other'], {}],
    ['/providers/radius/', [], { all: true }],
  ])(
    'replaces no file that may contain credentials that could not be read: %s',
    async (unread, names, all) => {
      const world = worldWith();
      world.tamper = ({ path }, answer) => (path.includes(unread) ? answered(500) : answer());
      const kept = await ran(names, { ...all, to: 'c.env', replace: true }, world, { 'c.env': 'kept' });
      expect(kept.ending).toBe('failed');
      expect(kept.stderr).toContain('The existing file may contain the credentials');
      expect(kept.written.size).toBe(0);
      const anew = await ran(names, { ...all, to: 'c.env', replace: true }, world);
      expect([anew.ending, anew.written.size]).toEqual(['incomplete', 1]);
      const { stderr } = await ran(names, { ...all, to: 'c.env' }, world, { 'c.env': 'kept' });
      expect(stderr).toContain('To replace the file, use --replace.');
    },
  );

  test('prints secrets only with --show-secrets', async () => {
    await expect(ran([address], { to: '-' })).rejects.toThrow('--to - prints secrets');
    const { stdout } = await ran([address], { to: '-', showSecrets: true });
    expect(stdout).toContain("CLIENT_SECRET='of-grafana'");
  });

  test('ends as incomplete if the provider has no application, and names the missing URLs', async () => {
    const world = new World({}, newest);
    otherClient(world.sandbox).create('oauth2', grafana);
    const { ending, stderr, written } = await ran([address], { to: 'c.env' }, world);
    expect(ending).toBe('incomplete');
    expect(stderr).toContain('it has no issuer, discovery_url, end_session_endpoint, jwks_uri');
    expect(written.get('c.env')).toContain("CLIENT_SECRET='of-grafana'");
  });

  test.each([
    ['an unknown name', 'provider.Nobody', 'failed', 'the record does not exist'],
    ['a proxy provider, which has no credentials', 'provider.Proxy', 'failed', 'has no credentials'],
  ])('fails for %s, and writes nothing', async (_, name, expected, words) => {
    const world = worldWith();
    const { authorization_flow, invalidation_flow } = grafana;
    const proxy = { name: 'Proxy', authorization_flow, invalidation_flow };
    otherClient(world.sandbox).create('proxy', {
      ...proxy,
      external_host: 'https://a.example.com',
      internal_host: 'http://a:1',
    });
    const { ending, stderr, written } = await ran([name], { to: 'c.env' }, world);
    expect(ending).toBe(expected);
    expect(stderr).toContain(words);
    expect(written.size).toBe(0);
  });

  test('names the permission that the token does not have', async () => {
    const world = worldWith();
    world.sandbox.issue({ token: 'sandbox-token', view_providers: 'none' });
    const { ending, stderr, written } = await ran([address], { to: 'c.env' }, world);
    expect(ending).toBe('denied');
    expect(stderr).toContain('The token must be allowed to view providers.');
    expect(written.size).toBe(0);
  });

  test('ends as denied if one of several records may not be read', async () => {
    const world = worldWith();
    world.tamper = (request, answer) =>
      request.path.includes('Grafana') ? answered(403, { detail: 'No.' }) : answer();
    const { ending, stderr } = await ran(['provider.Nobody', address], { to: 'c.env' }, world);
    expect(stderr).toMatch(/Nobody: the record does not exist[^]*Grafana/);
    expect(ending).toBe('denied');
  });

  test('leaves out URLs that the token may not read', async () => {
    const world = worldWith();
    world.tamper = (request, answer) =>
      request.path.endsWith('/setup_urls/') ? answered(403, { detail: 'No.' }) : answer();
    const { ending, stderr, written } = await ran([address], { to: 'c.env' }, world);
    expect(ending).toBe('incomplete');
    expect(stderr).toContain('its URLs could not be read');
    expect(written.get('c.env')?.split('\n')).toHaveLength(3);
  });

  test('names a URL that is empty as missing', async () => {
    const world = worldWith();
    world.tamper = (request, answer) =>
      request.path.endsWith('/setup_urls/') ? answered(200, { issuer: '' }) : answer();
    const { stderr, written } = await ran([address], { to: 'c.env' }, world);
    expect(stderr).toContain('it has no issuer, discovery_url');
    expect(written.get('c.env')).not.toContain('ISSUER');
  });

  test('writes a variable whose name does not begin with the digit of the record', async () => {
    const world = worldWith();
    otherClient(world.sandbox).create('oauth2', { ...grafana, name: '2nd', client_id: 'second' });
    const { written } = await ran(['provider.2nd'], { to: 'c.env' }, world);
    expect(written.get('c.env')).toContain("P2ND_CLIENT_ID='second'");
  });

  test.each([
    [[], { to: 'c' }, 'no record is named'],
    [[address], {}, 'no file is named'],
    [[address], { to: 'c', all: true }, '--all and addresses exclude each other'],
    [['user.alice'], { to: 'c' }, 'there are no credentials of user.alice'],
    [['provider.'], { to: 'c' }, 'there are no credentials of provider.'],
    [[address, 'provider.Grafana-OIDC'], { to: 'c' }, 'would both be written as GRAFANA_OIDC'],
  ])('refuses %j with the message %j', async (addresses, options, words) => {
    const world = worldWith();
    otherClient(world.sandbox).create('oauth2', { ...grafana, name: 'Grafana-OIDC', client_id: 'other' });
    await expect(ran(addresses, options, world)).rejects.toThrow(words);
  });

  test.each([
    [`a'b c`, `"a'b c"`],
    [String.raw`a"b\c`, String.raw`'a"b\c'`],
    ['$HOME', "'$HOME'"],
  ])('quotes the secret %j for shells', async (secret, quoted) => {
    const world = worldWith();
    otherClient(world.sandbox).change('oauth2', grafana.name, { client_secret: secret });
    const { written } = await ran([address], { to: 'c.env' }, world);
    expect(written.get('c.env')).toContain(`CLIENT_SECRET=${quoted}\n`);
  });

  test.each(['bell\u0007', `a'b"c`, `a'$b`, `a'\`b`, String.raw`a'b\c`])(
    'refuses the secret %j, which not all readers of dotenv files understand',
    async (secret) => {
      const world = worldWith();
      otherClient(world.sandbox).change('oauth2', grafana.name, { client_secret: secret });
      const refused = ran([address], { to: 'c.env' }, world);
      await expect(refused).rejects.toThrow('cannot be written as dotenv');
      await expect(refused).rejects.not.toThrow(secret);
      const { written } = await ran([address], { to: 'c.json', format: 'json' }, world);
      expect(JSON.parse(written.get('c.json') ?? '')).toMatchObject({
        credentials: [{ client_secret: secret }],
      });
    },
  );
});
