import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { apply, plan, UsageError, validate, type ApplyOptions } from '../src/index.ts';
import { formatNames } from '../src/report/formats/all.ts';
import type { SandboxResponse } from '../src/sandbox/http.ts';
import type { Sandbox } from '../src/sandbox/sandbox.ts';
import { sandboxToken, seedSandbox } from '../src/sandbox/seed.ts';
import { serveSandbox, type SandboxServer } from '../src/sandbox/server.ts';
import { nodeService } from '../src/terminal/node-context.ts';
import { temporaryFolder } from './support/canary.ts';
import { someOf } from './support/effort.ts';
import { tlsFixture } from './support/raw-server.ts';
import { schemaErrors } from './support/schemas.ts';

const secret = 'canary-library-secret';

let folder: string;
let server: SandboxServer;
/** Called with the method of each request before the sandbox answers it. */
let onRequest: (method: string) => void;
/** An answer to a create that replaces the sandbox's own. */
let answerToCreate: SandboxResponse | undefined;
let service: ApplyOptions;
beforeEach(async () => {
  folder = temporaryFolder();
  onRequest = () => {};
  answerToCreate = undefined;
  const { sandbox } = seedSandbox({ applications: [{ slug: 'here', name: 'Here' }] });
  const watched: Pick<Sandbox, 'handle'> = {
    handle: (request) => {
      onRequest(request.method);
      return (request.method === 'POST' ? answerToCreate : undefined) ?? sandbox.handle(request);
    },
  };
  server = await serveSandbox(watched, { port: 0, latencyMs: 0 });
  service = { url: server.url, token: sandboxToken, env: { SECRET: secret } };
});
afterEach(async () => {
  await server.close();
});

function manifest(...lines: string[]): string[] {
  writeFileSync(join(folder, 'a.yaml'), ['version: 1', ...lines].join('\n'));
  return [join(folder, 'a.yaml')];
}

const roll = [
  'applications:',
  '  - { slug: here, name: Here }',
  '  - { slug: wiki, name: Wiki, meta_description: "${env:SECRET}" }',
  'users:',
  '  - { username: alice, name: Alice }',
];

describe('the library', () => {
  test('plans the other resources if one has an unknown name, with keepGoing only', async () => {
    const paths = manifest(...roll.slice(0, 2), '  - { slug: odd, name: Odd, provider: { name: nobody } }');
    const endings = [false, true].map(
      async (keepGoing) => (await plan(paths, { ...service, keepGoing })).ending,
    );
    expect(await Promise.all(endings)).toEqual(['invalid', 'incomplete']);
  });

  test('plans and applies, and returns the documents of the commands', async () => {
    const paths = manifest(...roll);
    const planned = await plan(paths, service);
    expect(planned).toMatchObject({ ending: 'done', plan: { summary: { create: 2, in_sync: 1 } } });
    expect(schemaErrors('plan', planned.plan)).toEqual([]);
    const applied = await apply(paths, service);
    expect(applied.ending).toBe('done');
    expect(applied.run?.outcomes.map(({ address, outcome }) => `${address} ${outcome}`)).toEqual([
      'application.here unchanged',
      'application.wiki created',
      'user.alice created',
    ]);
    expect(schemaErrors('apply', applied.run)).toEqual([]);
    expect(JSON.parse(await applied.report('json'))).toEqual(applied.run);
    expect((await plan(paths, service)).plan?.summary).toMatchObject({ create: 0, in_sync: 3 });
  });

  test('reports why manifests are invalid, without a plan', async () => {
    const paths = manifest('users: [{ username: a, name: "${var:NAME}" }]');
    const expected = {
      ending: 'invalid',
      diagnostics: [{ code: 'unresolved-reference', range: { start: { line: 2, column: 30 } } }],
    };
    expect(await validate(paths)).toMatchObject(expected);
    const planned = await plan(paths, service);
    expect(planned).toMatchObject(expected);
    expect(planned.plan).toBeUndefined();
    expect((await apply(paths, service)).run).toBeUndefined();
    expect(await validate(paths, { variables: { NAME: 'A' } })).toMatchObject({ ending: 'done' });
  });

  test.each<[string, ApplyOptions, string, string, lines?: readonly string[]]>([
    ['the token is wrong', { token: 'another-token' }, 'denied', 'service-denied'],
    ['it would create too many', { maxCreates: 1 }, 'failed', 'too-many-creates'],
    [
      'it would delete too many',
      { maxDeletes: 0, capabilities: ['delete'], allow: ['delete'] },
      'failed',
      'too-many-deletes',
      ['applications: [{ slug: here, state: absent }]'],
    ],
    ['the signal is aborted', { signal: AbortSignal.abort() }, 'interrupted', 'interrupted'],
    ['the confirmation is refused', { confirm: () => false }, 'failed', 'not-confirmed'],
  ])('reports why nothing was started if %s', async (_, options, ending, code, lines = roll) => {
    const applied = await apply(manifest(...lines), { ...service, ...options });
    expect(applied).toMatchObject({ ending, diagnostics: [{ code }] });
    expect(applied.run).toBeUndefined();
    expect(await applied.report('text')).toContain(`[${code}]`);
  });

  test('calls `confirm` with the plan, but only if there are changes', async () => {
    const asked: unknown[] = [];
    const confirm: ApplyOptions['confirm'] = ({ summary }) => asked.push(summary.create) > 0;
    expect((await apply(manifest(...roll), { ...service, confirm })).ending).toBe('done');
    expect((await apply(manifest(...roll), { ...service, confirm })).ending).toBe('done');
    expect(asked).toEqual([2]);
  });

  test.each(['no', 1, undefined])('writes nothing if `confirm` answers %j', async (answer) => {
    const options: unknown = { ...service, confirm: async () => answer };
    const applied: unknown = Reflect.apply(apply, undefined, [manifest(...roll), options]);
    await expect(applied).rejects.toThrow('the answer of confirm must be a boolean');
    const { plan: planned } = await plan(manifest(...roll), service);
    expect(planned?.summary.create).toBe(2);
  });

  test('completes changes under way when the signal aborts, and starts no more', async () => {
    const users = Array.from({ length: 40 }, (_, index) => `  - { username: user-${index}, name: A }`);
    const stop = new AbortController();
    onRequest = (method) => {
      if (method === 'POST') stop.abort();
    };
    const options = { ...service, concurrency: 4, signal: stop.signal };
    const { ending, run } = await apply(manifest('users:', ...users), options);
    expect(ending).toBe('interrupted');
    const outcomes = run?.outcomes.map(({ outcome }) => outcome) ?? [];
    expect(new Set(outcomes)).toEqual(new Set(['created', 'not_attempted']));
    expect(outcomes.filter((outcome) => outcome === 'created').length).toBeLessThanOrEqual(4);
  });

  test('updates existing records if `capabilities` and `allow` both include updates', async () => {
    const options = { ...service, capabilities: ['update'], allow: ['update'] };
    const paths = manifest('applications:', '  - { slug: here, name: There }');
    expect((await apply(paths, service)).run?.outcomes).toMatchObject([{ outcome: 'differs' }]);
    expect((await apply(paths, options)).run?.outcomes).toMatchObject([{ outcome: 'updated' }]);
    await expect(plan(paths, { ...service, allow: ['update'] })).rejects.toThrow(
      'allow needs the capability `update`, which is not turned on',
    );
  });

  test.each<[string, ApplyOptions]>([
    ['no service URL is given', { url: undefined }],
    ['the access token is empty', { token: '  ' }],
    ['timeoutSeconds cannot be 0.5', { timeoutSeconds: 0.5 }],
    ['concurrency cannot be NaN', { concurrency: Number.NaN }],
    ['shard cannot be "2/1"', { shard: '2/1' }],
    ['headers cannot set Host', { headers: { Host: 'id.example.com' } }],
  ])('rejects with a UsageError: %s', async (message, options) => {
    const rejection = plan(manifest(...roll), { ...service, ...options });
    await expect(rejection).rejects.toThrow(UsageError);
    await expect(rejection).rejects.toThrow(message);
  });

  // These values are not of the types of the options: programs in JavaScript have no types.
  test.each<[given: readonly unknown[], message: string, hint: string]>([
    [[['a.yaml'], { maxCreate: 1 }], 'there is no option "maxCreate"', 'Did you mean `maxCreates`?'],
    [[['a.yaml'], { capability: ['update'] }], 'there is no option "capability"', '`capabilities`?'],
    [[['a.yaml'], { undeclared: true }], 'there is no option "undeclared"', 'The options are: config,'],
    [[['a.yaml'], { maxCreates: '1' }], 'maxCreates must be a whole number from 0', 'is of type string.'],
    [[['a.yaml'], { maxCreates: -1 }], 'maxCreates cannot be -1', 'Pass a whole number from 0.'],
    [[['a.yaml'], { maxDeletes: 1.5 }], 'maxDeletes cannot be 1.5', 'Pass a whole number from 0.'],
    [[['a.yaml'], { target: 'user.*' }], 'target must be an array of strings', 'of type string.'],
    [[['a.yaml'], { allow: [1] }], 'allow must be an array of strings', 'The given value is an array.'],
    [[['a.yaml'], { headers: { 'X-A': 1 } }], 'headers must be an object of strings', 'of type object.'],
    [[['a.yaml'], { token: null }], 'token must be a string', 'The given value is null.'],
    [[['a.yaml'], { signal: {} }], 'signal must be an AbortSignal', 'of type object.'],
    [['a.yaml'], 'paths must be an array of strings', 'of type string.'],
    [[['a.yaml'], null], 'options must be an object', 'The given value is null.'],
    [[['a.yaml'], 'quick'], 'options must be an object', 'of type string.'],
  ])('each function rejects %j with a UsageError that names the option', async (given, message, hint) => {
    for (const run of [validate, plan, apply]) {
      const error = await Reflect.apply(run, undefined, given).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(UsageError);
      expect(error).toMatchObject({ message, hint: expect.stringContaining(hint) });
    }
  });

  test.each<[given: readonly unknown[], message: string, hint: string]>([
    [['sarif'], 'there is no format "sarif"', 'Choose one of: text, json, markdown, html, junit, github.'],
    [['markdwn'], 'there is no format "markdwn"', 'Did you mean `markdown`?'],
    [['markdown', { commentkey: {} }], 'there is no option "commentkey"', 'Did you mean `commentKey`?'],
    [['markdown', { commentKey: 'a' }], 'commentKey must be an object', 'of type string.'],
    [[], 'format must be a string', 'of type undefined.'],
  ])('a report rejects %j with a UsageError', async (given, message, hint) => {
    const { report } = await validate(manifest(...roll), service);
    const error = await Reflect.apply(report, undefined, given).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UsageError);
    expect(error).toMatchObject({ message, hint: expect.stringContaining(hint) });
  });

  test('uses the clock and the network that the caller passes', async () => {
    const sent: string[] = [];
    const connect: typeof nodeService.connect = async (settings) => {
      const { send, close } = await nodeService.connect(settings);
      const counted: typeof send = (request, signal) => (sent.push(request.path), send(request, signal));
      return { send: counted, close };
    };
    const clock = { now: () => Date.UTC(2030, 0), sleep: async () => {} };
    const { plan: planned } = await plan(manifest(...roll), { ...service, world: { connect, clock } });
    expect(planned?.created_at).toBe('2030-01-01T00:00:00.000Z');
    expect(sent).toContain('/api/v3/core/applications/here/');
  });
});

describe('the secrets of manifests and of the library', () => {
  const answers: readonly [what: string, status: number | undefined][] = [
    ['a success with another body', 201],
    ['a success', undefined],
    ['a refusal', 400],
    ['a crash', 500],
    ['a redirect', 302],
  ];
  test.each(someOf(answers, 1))(
    'are not shown in any form after %s that repeats them',
    async (_what, status) => {
      const escaped = sandboxToken.replace(/[^a-z]/g, (unit) => `\\u00${unit.charCodeAt(0).toString(16)}`);
      const body = `{"pk":"${escaped}","name":["${escaped} ${btoa(sandboxToken)}"],"${escaped}":{"${secret}":1},"slug":"wiki"}`;
      const headers = { location: `https://${sandboxToken}.example.com/`, 'x-authentik-id': sandboxToken };
      if (status !== undefined) answerToCreate = { status, headers, body };
      const applied = await apply(manifest(...roll), service);
      let shown = inspect(applied, { depth: 20, showHidden: true, getters: true }) + JSON.stringify(applied);
      for (const format of formatNames) shown += await applied.report(format);
      for (const leak of [sandboxToken, btoa(sandboxToken).slice(0, -4), secret, 'u002d'])
        expect(shown).not.toContain(leak);
    },
  );

  test.each([
    ['env:SECRET', { token: secret }],
    ['file:client.key', { clientCert: 'client.pem', clientKey: 'client.key' }],
    ['file:link', { clientCert: 'client.pem', clientKey: 'client.key' }],
  ])(
    'cause an error in a manifest that refers to the token or the client key of the library: %s',
    async (reference, options) => {
      writeFileSync(join(folder, 'client.key'), tlsFixture('client.key'));
      writeFileSync(join(folder, 'client.pem'), tlsFixture('client.pem'));
      symlinkSync('client.key', join(folder, 'link'));
      const paths = manifest(`users: [{ username: a, name: A, attributes: { x: ["\${${reference}}"] } }]`);
      const own =
        'clientKey' in options
          ? { clientCert: join(folder, options.clientCert), clientKey: join(folder, options.clientKey) }
          : options;
      expect(await plan(paths, { ...service, ...own })).toMatchObject({
        ending: 'invalid',
        diagnostics: [{ code: 'invalid-reference' }],
      });
    },
  );
});
