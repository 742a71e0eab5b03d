import { symlinkSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  apply,
  loadManifests,
  plan,
  renderApply,
  renderManifests,
  renderPlan,
  UsageError,
  type LoadOptions,
  type Planned,
  type PlanOptions,
  type ServiceOptions,
  type ValidManifests,
} from '../../src/index.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import type { SandboxResponse } from '../../src/sandbox/http.ts';
import { sandboxToken, seedSandbox } from '../../src/sandbox/seed.ts';
import { serveSandbox, type SandboxServer } from '../../src/sandbox/server.ts';
import { temporaryFolder } from '../support/canary.ts';
import { tlsFixture } from '../support/raw-server.ts';
import { schemaErrors } from '../support/schemas.ts';
import { inFull } from '../support/effort.ts';

const secret = 'canary-library-secret';

let folder: string;
let server: SandboxServer;
/** Called with each request before the sandbox answers it. */
let onRequest: (method: string) => void;
/** In place of what the sandbox answers to a create. */
let answerToCreate: SandboxResponse | undefined;
let service: ServiceOptions;
let held: Sandbox;
beforeEach(async () => {
  folder = temporaryFolder();
  onRequest = () => {};
  answerToCreate = undefined;
  const { sandbox } = seedSandbox({ applications: [{ slug: 'here', name: 'Here' }] });
  held = sandbox;
  const watched: Pick<Sandbox, 'handle'> = {
    handle: (request) => {
      onRequest(request.method);
      return (request.method === 'POST' ? answerToCreate : undefined) ?? sandbox.handle(request);
    },
  };
  server = await serveSandbox(watched, { port: 0, latencyMs: 0 });
  service = { url: server.url, token: sandboxToken, env: {} };
});
afterEach(async () => {
  await server.close();
});

async function valid(...lines: string[]): Promise<ValidManifests> {
  writeFileSync(join(folder, 'a.yaml'), ['version: 1', ...lines].join('\n'));
  const manifests = await loadManifests(folder, { env: { SECRET: secret } });
  if (manifests.kind === 'invalid') throw new Error(renderManifests(manifests, 'text'));
  return manifests;
}

async function planned(manifests: ValidManifests, options: PlanOptions = {}): Promise<Planned> {
  const result = await plan(manifests, { ...service, ...options });
  if (result.kind === 'failed') throw new Error(renderPlan(result, 'text'));
  return result;
}

const roll = [
  'applications:',
  '  - { slug: here, name: Here }',
  '  - { slug: wiki, name: Wiki, meta_description: "${env:SECRET}" }',
  'users:',
  '  - { username: alice, name: Alice }',
];

describe('the library', () => {
  test('narrows what manifests may refer to, and closes what the environment keeps secret to them', async () => {
    const text = (reference: string): string =>
      `version: 1\nusers: [{ username: a, name: A, attributes: { x: "\${${reference}}" } }]\n`;
    writeFileSync(join(folder, 'token'), secret);
    const env = { ONE: '1', TWO: '2', COPY: secret, ROLLCALL_TOKEN_FILE: join(folder, 'token') };
    const codesOf = async (reference: string, options: LoadOptions): Promise<string[]> => {
      writeFileSync(join(folder, 'a.yaml'), text(reference));
      const { diagnostics } = await loadManifests(join(folder, 'a.yaml'), options);
      return diagnostics.map(({ code }) => code);
    };
    expect(await codesOf('env:ONE', { env, allowEnv: ['O*'] })).toEqual([]);
    expect(await codesOf('env:TWO', { env, allowEnv: ['O*'] })).toEqual(['invalid-reference']);
    expect(await codesOf('file:token', { env })).toEqual(['invalid-reference']);
    expect(await codesOf('file:a.yaml', { env, allowFiles: [] })).toEqual(['invalid-reference']);
    const named = { ...env, ROLLCALL_TOKEN: secret };
    expect(await codesOf('env:COPY', { env: named })).toEqual(['invalid-reference']);
  });

  test.each([
    ['env:SECRET', { token: secret }],
    ['file:client.key', { clientCert: 'client.pem', clientKey: 'client.key' }],
    ['file:link', { clientCert: 'client.pem', clientKey: 'client.key' }],
  ])('sends no manifest that refers to what its options keep secret: %s', async (reference, options) => {
    writeFileSync(join(folder, 'client.key'), tlsFixture('client.key'));
    writeFileSync(join(folder, 'client.pem'), tlsFixture('client.pem'));
    symlinkSync('client.key', join(folder, 'link'));
    const manifests = await valid(
      `users: [{ username: a, name: A, attributes: { x: ["\${${reference}}"] } }]`,
    );
    const paths = 'clientKey' in options && {
      clientCert: join(folder, options.clientCert),
      clientKey: join(folder, options.clientKey),
    };
    const refusal = /user\.a refers to what rollcall itself keeps secret/;
    await expect(plan(manifests, { ...service, ...options, ...paths })).rejects.toThrow(refusal);
    await expect(apply(await planned(manifests), { ...service, ...options, ...paths })).rejects.toThrow(
      refusal,
    );
  });

  test.each([
    ['a refusal', 400],
    ['a crash', 500],
    ['what is called a success', 201],
    ['a redirect', 302],
  ])('gives no secret back that %s repeats, however it is spelled', async (_what, status) => {
    const escaped = sandboxToken.replace(/[^a-z]/g, (unit) => `\\u00${unit.charCodeAt(0).toString(16)}`);
    const body = `{"pk":"${escaped}","name":["${escaped} ${btoa(sandboxToken)}"],"${escaped}":{"${secret}":1},"slug":"wiki"}`;
    const headers = { location: `https://${sandboxToken}.example.com/`, 'x-authentik-id': sandboxToken };
    const manifests = await valid(...roll);
    const made = await planned(manifests);
    answerToCreate = { status, headers, body };
    const applied = await apply(made, service);
    const shown = [
      inspect(applied, { depth: 20, showHidden: true, getters: true }),
      ...(['text', 'json', 'markdown', 'html', 'junit', 'github'] as const).map((format) =>
        renderApply(applied, format),
      ),
    ].join('\n');
    for (const leak of [sandboxToken, btoa(sandboxToken).slice(0, -4), secret, 'u002d'])
      expect(shown).not.toContain(leak);
  });

  test('reports invalid manifests by their diagnostics, and takes a variable that has no value for a mistake', async () => {
    writeFileSync(join(folder, 'a.yaml'), 'version: 1\nusers: [{ username: a, name: "${var:NAME}" }]\n');
    const invalid = await loadManifests([folder]);
    expect(invalid).toMatchObject({
      kind: 'invalid',
      filenames: [join(folder, 'a.yaml')],
      diagnostics: [{ code: 'unresolved-reference', range: { start: { line: 2, column: 30 } } }],
    });
    expect(await loadManifests(folder, { variables: { NAME: 'A' } })).toMatchObject({ kind: 'valid' });
    expect(JSON.parse(renderManifests(invalid, 'json'))).toMatchObject({ valid: false, error_count: 1 });
  });

  test('plans and applies', async () => {
    const made = await planned(await valid(...roll));
    expect(made.plan.summary).toEqual({
      create: 2,
      create_if_absent: 0,
      update: 0,
      delete: 0,
      in_sync: 1,
      differs: 0,
      not_planned: 0,
    });
    const applied = await apply(made, {
      ...service,
      concurrency: 1,
    });
    expect(applied).toMatchObject({ kind: 'complete', interrupted: false });
    expect(applied.outcomes.map(({ change, outcome }) => `${change.address} ${outcome}`)).toEqual([
      'application.here unchanged',
      'application.wiki created',
      'user.alice created',
    ]);
    expect(renderApply(applied, 'junit')).toContain('name="application.wiki"');
    expect(schemaErrors('apply', JSON.parse(renderApply(applied, 'json')))).toEqual([]);
    expect(schemaErrors('plan', JSON.parse(renderPlan(made, 'json')))).toEqual([]);
  });

  test('shows no secret of the manifests, however it is looked at', async () => {
    const manifests = await valid(...roll);
    const made = await planned(manifests);
    const applied = await apply(made, service);
    for (const each of [manifests, made, applied]) {
      const shown = inspect(each, { depth: 20, showHidden: true, getters: true }) + JSON.stringify(each);
      expect(shown).not.toContain(secret);
      expect(shown).not.toContain(sandboxToken);
    }
    expect(manifests.addresses).toEqual(['application.here', 'application.wiki', 'user.alice']);
    expect(inspect(made, { depth: 20 })).toContain('(sensitive)');
  });

  test('shows nothing that it is asked to hide, and sends it', async () => {
    const word = 'kestrel'; // sent, and in the manifest, so it is no secret
    const text = `version: 1\nusers: [{ username: al, name: A, email: ${word}@example.org }]\n`;
    writeFileSync(join(folder, 'a.yaml'), text);
    const manifests = await loadManifests(folder, { hide: ['user.email'] });
    if (manifests.kind === 'invalid') throw new Error(renderManifests(manifests, 'text'));
    const made = await planned(manifests);
    const refusal = { email: [`${word}@example.org?`], path: ['No.'] };
    answerToCreate = { status: 400, headers: {}, body: JSON.stringify(refusal) };
    const applied = await apply(made, service);
    const shown = [
      renderPlan(made, 'text'),
      renderApply(applied, 'json'),
      inspect([made, applied], { depth: 20 }),
    ].join('\n');
    expect(shown).toContain('(hidden)');
    expect(shown).not.toContain(word);
    answerToCreate = undefined;
    expect((await apply(made, service)).kind).toBe('complete');
    await expect(loadManifests(folder, { hide: ['user.username'] })).rejects.toThrow(
      '`user.username` cannot be hidden',
    );
  });

  test('takes a warning for an error where it is asked to', async () => {
    writeFileSync(join(folder, 'a.yaml'), 'version: 1\nusers: [{ username: a }]\n');
    expect(await loadManifests(folder)).toMatchObject({ kind: 'valid', diagnostics: [{}] });
    expect(await loadManifests(folder, { strict: true })).toMatchObject({ kind: 'invalid' });
  });

  test('reports the warnings of the manifests beside why there is no plan', async () => {
    const manifests = await valid('applications: [{ slug: token, name: Token }]');
    const denied = await plan(manifests, { ...service, token: 'another-token' });
    expect(renderPlan(denied, 'text')).toMatch(/warning: application\.token: [^]*\[service-denied\]/);
  });

  test('ends with the first resource that fails where it is asked to, and does not else', async () => {
    answerToCreate = { status: 400, headers: {}, body: '{"name":["No."]}' };
    const made = await planned(await valid(...roll));
    const outcomes = async (failFast: boolean): Promise<string[]> => {
      const applied = await apply(made, { ...service, concurrency: 1, failFast });
      return applied.outcomes.map(({ outcome }) => outcome);
    };
    expect(await outcomes(true)).toEqual(['unchanged', 'rejected', 'not_attempted']);
    expect(await outcomes(false)).toEqual(['unchanged', 'rejected', 'rejected']);
  });

  test('narrows the plan', async () => {
    const made = await planned(await valid(...roll), { target: ['user.*'] });
    expect(made.plan.resource_changes.map(({ address }) => address)).toEqual(['user.alice']);
    expect(await apply(made, service)).toMatchObject({
      kind: 'complete',
      outcomes: [{ outcome: 'created' }],
    });
  });

  test('reports why there is no plan', async () => {
    const manifests = await valid(...roll);
    const denied = await plan(manifests, { ...service, token: 'another-token' });
    expect(denied).toMatchObject({ kind: 'failed', diagnostics: [{ code: 'service-denied' }] });
    expect(renderPlan(denied, 'markdown')).toContain('There is no plan. Nothing was changed.');
    const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';
    const key = firstLine(renderPlan(await planned(manifests, { environment: 'live' }), 'markdown'));
    expect(key).toMatch(/^<!-- rollcall plan service=http\S+ environment=live -->$/);
    const unread = await plan(manifests, { ...service, environment: 'live', token: 'canary-wrong' });
    expect(firstLine(renderPlan(unread, 'markdown'))).toBe(key);
    expect(firstLine(renderPlan(unread, 'markdown', { commentKey: 'mine' }))).toBe(
      '<!-- rollcall plan key=mine -->',
    );
    expect(await plan(manifests, { ...service, signal: AbortSignal.abort() })).toMatchObject({
      kind: 'failed',
      diagnostics: [{ code: 'interrupted' }],
    });
  });

  test('settles what is under way when the signal aborts, and begins nothing more', async () => {
    const users = Array.from({ length: 40 }, (_, index) => `  - { username: user-${index}, name: A }`);
    const made = await planned(await valid('users:', ...users));
    const stop = new AbortController();
    onRequest = () => stop.abort();
    const applied = await apply(made, { ...service, concurrency: 4, signal: stop.signal });
    expect(applied).toMatchObject({ kind: 'incomplete', interrupted: true });
    const outcomes = applied.outcomes.map(({ outcome }) => outcome);
    expect(new Set(outcomes)).toEqual(new Set(['created', 'not_attempted']));
    expect(outcomes.filter((outcome) => outcome === 'created').length).toBeLessThanOrEqual(4);
    expect(renderApply(applied, 'text')).toContain('The run was interrupted.');
  });

  test('names where a token may come from, and no option that it does not have', async () => {
    const { url } = service;
    await expect(plan(await valid(...roll), { url, env: {} })).rejects.toMatchObject({
      message: 'no access token is given',
      hint: 'Set ROLLCALL_TOKEN, or name a file with ROLLCALL_TOKEN_FILE.',
    });
  });

  test.each<[string, PlanOptions]>([
    ['no service URL is given', { url: undefined }],
    ['the access token is empty', { token: '  ' }],
    ['timeoutSeconds cannot be 0', { timeoutSeconds: 0 }],
    ['timeoutSeconds cannot be 0.5', { timeoutSeconds: 0.5 }],
    ['waitSeconds cannot be -1', { waitSeconds: -1 }],
    ['concurrency cannot be NaN', { concurrency: Number.NaN }],
    ['shard cannot be "2/1"', { shard: '2/1' }],
    ['target and exclude leave out every resource', { exclude: ['*'] }],
    ['headers cannot set Host', { headers: { Host: 'id.example.com' } }],
    ['headers X-A cannot have this value', { headers: { 'X-A': 'one\r\nX-B: two' } }],
    ['headers has a name that no header has', { headers: { 'X A': 'b' } }],
    ['clientKey needs clientCert', { clientKey: 'key.pem' }],
    ['the file of clientCert cannot be read', { clientCert: 'none.pem' }],
    ['no declared resource has an address like user.bob', { target: ['user.bob'] }],
    ['the token would be sent to id.example.com unencrypted', { url: 'http://id.example.com' }],
  ])('rejects options that cannot be right: %s', async (message, options) => {
    const planning = plan(await valid(...roll), { ...service, ...options });
    await expect(planning).rejects.toThrow(message);
    await expect(planning).rejects.toBeInstanceOf(UsageError);
    await expect(planning).rejects.not.toMatchObject({ hint: expect.stringContaining('--') as string });
  });

  test('sends the value of a header as it is given, whatever it looks like', async () => {
    const manifests = await valid(...roll);
    const seen = new Set<string | string[] | undefined>();
    const empty = createServer(({ headers }, response) => {
      seen.add(headers['x-template']);
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"detail":"Not found."}');
    }).listen(0, '127.0.0.1');
    await once(empty, 'listening');
    const { port } = empty.address() as AddressInfo; // it listens on a port
    const url = `http://127.0.0.1:${port}`;
    const env = { HOME: '/a-folder-of-the-caller' };
    await planned(manifests, { url, env, headers: { 'X-Template': ' ${env:HOME} ' } });
    empty.close();
    expect([...seen]).toEqual(['${env:HOME}']);
  });

  test('plans no manifests that are not valid, applies no plan that failed, and knows no other formats', async () => {
    const made = await planned(await valid(...roll));
    const { diagnostics } = made.manifests;
    // As a program without types calls it.
    const untyped = { plan, apply, renderPlan } as unknown as Readonly<
      Record<'plan' | 'apply' | 'renderPlan', (...given: unknown[]) => unknown>
    >;
    const invalid = await loadManifests('no-such-file.yaml');
    expect(invalid.kind).toBe('invalid');
    for (const given of [invalid, { kind: 'valid', diagnostics }, undefined])
      await expect(untyped.plan(given, service)).rejects.toBeInstanceOf(UsageError);
    const failed = { kind: 'failed', diagnostics, manifests: made.manifests };
    for (const given of [failed, { ...made, manifests: invalid }])
      await expect(untyped.apply(given, service)).rejects.toBeInstanceOf(UsageError);
    for (const format of ['nope', 'toString'])
      expect(() => untyped.renderPlan(made, format)).toThrow(UsageError);
  });

  test('applies a plan to no other service than its own', async () => {
    const made = await planned(await valid(...roll));
    await expect(apply(made, { ...service, url: 'http://127.0.0.1:9' })).rejects.toThrow(
      `this plan was made for ${server.url}, and the service is http://127.0.0.1:9`,
    );
  });

  test.runIf(inFull)('waits for a service that does not answer yet as long as it is asked to', async () => {
    const manifests = await valid(...roll);
    await server.close();
    expect(await plan(manifests, { ...service, waitSeconds: 1 })).toMatchObject({
      kind: 'failed',
      diagnostics: [
        {
          detail: expect.stringContaining(
            'rollcall waited 1 s for the service; --wait sets how long.',
          ) as string,
        },
      ],
    });
  });

  test('takes from the environment what the options leave out', async () => {
    const env = { ROLLCALL_URL: server.url, ROLLCALL_TOKEN: sandboxToken, ROLLCALL_LOG: 'debug' };
    expect(await plan(await valid(...roll), { env })).toMatchObject({ kind: 'planned' });
  });
});

describe('names in place of ids', () => {
  const lines = [
    'applications: [{ slug: a, name: A, provider: { name: Provider 7 }, backchannel_providers: [3] }]',
    'users: [{ username: alice, name: Alice, groups: [{ name: staff }] }]',
  ];

  async function named(): Promise<ValidManifests> {
    writeFileSync(join(folder, 'a.yaml'), ['version: 1', ...lines].join('\n'));
    const manifests = await loadManifests(folder);
    if (manifests.kind === 'invalid') throw new Error(renderManifests(manifests, 'text'));
    return manifests;
  }

  test('are looked up by plan, and apply creates with the ids', async () => {
    const manifests = await named();
    const made = await planned(manifests);
    const [application, user] = made.plan.resource_changes;
    expect(application?.change.after).toMatchObject({ provider: 7, backchannel_providers: [3] });
    expect(user?.change.after).toMatchObject({ groups: ['11111111-1111-4111-8111-111111111111'] });
    expect(application?.names).toEqual({ '/provider': 'Provider 7' });
    expect(renderPlan(made, 'text')).toContain('"Provider 7" (7)');
    const again = await planned(made.manifests);
    expect(again.plan.manifest_digest).toBe(made.plan.manifest_digest);
    const applied = await apply(made, service);
    expect(applied.outcomes.map(({ outcome }) => outcome)).toEqual(['created', 'created']);
    expect(renderApply(applied, 'json')).not.toContain('Provider 7');
    const { plan: after } = await planned(manifests);
    expect(after.summary).toMatchObject({ in_sync: 2 });
  });

  test('of what the same manifests declare are filled in by apply, once it is there', async () => {
    const made = await planned(
      await valid(
        'groups: [{ name: crew }]',
        'users: [{ username: zed, name: Z, groups: [{ name: crew }] }]',
      ),
    );
    const applied = await apply(made, service);
    expect(made.plan.summary).toMatchObject({ create: 2 });
    expect(applied.outcomes.map(({ outcome }) => outcome)).toEqual(['created', 'created']);
  });

  test('that lead to no id stop their own resources only, where the plan keeps going', async () => {
    const users = ['{ username: alice, name: A }', '{ username: bob, name: B, groups: [{ name: stuff }] }'];
    const text = ['version: 1', lines[0], `users: [${users.join(', ')}]`].join('\n');
    writeFileSync(join(folder, 'a.yaml'), text);
    const manifests = await loadManifests(folder);
    if (manifests.kind === 'invalid') throw new Error(renderManifests(manifests, 'text'));
    expect((await plan(manifests, service)).kind).toBe('failed');
    const made = await planned(manifests, { keepGoing: true });
    expect(schemaErrors('plan', made.plan)).toEqual([]);
    expect(made.plan.summary).toMatchObject({ create: 2, not_planned: 1 });
    expect(renderPlan(made, 'text')).toContain('! user.bob is not planned');
    const applied = await apply(made, service);
    expect(applied.kind).toBe('incomplete');
    expect(applied.outcomes.map(({ outcome }) => outcome)).toEqual(['created', 'created', 'not_attempted']);
    expect(renderApply(applied, 'text')).toContain('there is no group named "stuff"');
  });

  test('are not sent as they stand: neither under the contract alone, nor with manifests that were not planned', async () => {
    const manifests = await named();
    await expect(plan(manifests, { ...service, contractOnly: true })).rejects.toThrow(
      'application.a has a name in place of an id',
    );
    const made = await planned(manifests);
    await expect(apply({ ...made, manifests }, service)).rejects.toThrow('was not looked up');
    const read = await loadManifests(folder, { env: {}, contractOnly: true });
    expect(read.diagnostics.map(({ code }) => code)).toEqual(['contract-only', 'contract-only']);
  });
});

describe('limits', () => {
  const switches = { capabilities: ['delete'], allow: ['delete'] };
  const goingUsers = ['users:', ...['a', 'b', 'c'].map((name) => `  - { username: ${name}, state: absent }`)];
  beforeEach(async () => {
    for (const username of ['a', 'b', 'c']) held.create('user', { username, name: 'N' });
    held.issue({ token: sandboxToken, superuser: true });
  });

  test('keep a plan from deleting more than a tenth of a kind, and nothing is sent', async () => {
    const manifests = await valid(...goingUsers);
    const failed = await plan(manifests, { ...service, ...switches });
    expect(failed).toMatchObject({ kind: 'failed', diagnostics: [{ code: 'too-many-deletes' }] });
  });

  test('are widened by `maxDeletes`, and a plan within them is applied', async () => {
    const manifests = await valid(...goingUsers);
    const made = await planned(manifests, { ...switches, maxDeletes: 3 });
    expect(await apply(made, { ...service, ...switches })).toMatchObject({
      kind: 'complete',
      outcomes: [{ outcome: 'deleted' }, { outcome: 'deleted' }, { outcome: 'deleted' }],
    });
  });

  test('can be set for creates and for changes', async () => {
    const manifests = await valid('users: [{ username: d, name: D }]');
    expect(await plan(manifests, { ...service, maxCreates: 0 })).toMatchObject({
      kind: 'failed',
      diagnostics: [{ code: 'too-many-creates' }],
    });
    const changed = await valid('users: [{ username: a, name: Another }]');
    const updating = { capabilities: ['update'], allow: ['update'], maxUpdates: 0 };
    expect(await plan(changed, { ...service, ...updating })).toMatchObject({
      kind: 'failed',
      diagnostics: [{ code: 'too-many-updates' }],
    });
  });
});

describe('changes', () => {
  const options = { capabilities: ['update'], allow: ['update'] };
  const other = ['applications:', '  - { slug: here, name: There }'];

  test('are made where both switches are on, for the plan and for apply, and then there is nothing left', async () => {
    const manifests = await valid(...other);
    const made = await planned(manifests, options);
    expect(made.plan.summary).toMatchObject({ update: 1, differs: 0 });
    expect(await apply(made, { ...service, ...options })).toMatchObject({
      kind: 'complete',
      outcomes: [{ outcome: 'updated', attempts: 1 }],
    });
    expect((await planned(manifests, options)).plan.summary).toMatchObject({
      update: 0,
      delete: 0,
      in_sync: 1,
    });
  });

  test('keep what somebody else changed since the plan', async () => {
    const made = await planned(await valid(...other), options);
    const mine = await planned(await valid('applications:', '  - { slug: here, name: Mine }'), options);
    await apply(mine, { ...service, ...options });
    expect(await apply(made, { ...service, ...options })).toMatchObject({
      kind: 'incomplete',
      outcomes: [{ outcome: 'conflict', attempts: 0 }],
    });
  });

  test('are refused without a switch, or of a plan that was copied', async () => {
    const methods: string[] = [];
    const manifests = await valid(...other);
    await expect(plan(manifests, { ...service, allow: ['update'] })).rejects.toThrow(
      'allow is update, and the capability `update` is not turned on',
    );
    const made = await planned(manifests, options);
    onRequest = (method) => methods.push(method);
    await expect(apply(made, service)).rejects.toThrow(
      'the plan would update application.here, and this call does not allow it',
    );
    const copy = { ...made, plan: structuredClone(made.plan) };
    await expect(apply(copy, { ...service, ...options })).rejects.toThrow('it is not the one that plan made');
    expect(methods).toEqual([]);
  });
});
