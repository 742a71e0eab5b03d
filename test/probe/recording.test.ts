import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { globSync } from 'tinyglobby';
import { expect, test } from 'vitest';
import { isJsonList, isJsonObject, parseJson, textOf, type JsonValue } from '../../src/base/json.ts';
import type { SandboxSeed } from '../../src/generated/sandbox-seed.ts';
import { sandboxReleases, type SandboxRelease } from '../../src/sandbox/release.ts';
import { seedSandbox } from '../../src/sandbox/seed.ts';
import { serveSandbox } from '../../src/sandbox/server.ts';
import type { Exchange } from '../../src/service/transport.ts';
import { temporaryFolder } from '../support/canary.ts';
import { root } from '../support/cli.ts';
import { inFull, someReleases, times } from '../support/effort.ts';
import type { Recording } from '../support/recordings.ts';
import { probeCommand } from './command.ts';
import { allRows, mainRows } from './probe.ts';
import type { Row } from './row.ts';
import { overFetch } from './over-fetch.ts';
import { replay } from './replay.ts';
import type { ProbeRequest, Send } from './session.ts';
import { toSandbox } from './to-sandbox.ts';

type Answered = Exchange & { kind: 'answered' };

const token = 'Zk3/+pQ"ä7vR1xW9-tN5mL8sJ2hG6fD4aC0bE';
const url = 'https://id.qz-organisation.example/qz-path';

let files = 0;
const newFile = (): string => join(temporaryFolder(), `recording-${(files += 1)}.json`);

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly error: string;
  readonly requests: number;
}

interface Around {
  readonly ownToken?: string;
  readonly signal?: AbortSignal;
  readonly deviation?: (answer: Answered, request: ProbeRequest, count: number) => Exchange;
  readonly connect?: (baseUrl: string, token: string) => Send;
  readonly rows?: readonly Row[];
}

/** Runs the command on a sandbox, with the token of an administrator. */
async function run(
  args: readonly string[],
  sandbox = sandboxWith({}),
  {
    ownToken = token,
    signal,
    deviation = (answer) => answer,
    connect,
    rows = inFull ? allRows : mainRows,
  }: Around = {},
): Promise<Ended> {
  let [out, error, requests] = ['', '', 0];
  const ask = toSandbox(sandbox, ownToken);
  const code = await probeCommand(args, {
    token: ownToken,
    run: 'run1',
    connect: connect ?? (() => async (request) => deviation(await ask(request), request, (requests += 1))),
    print: (line) => (out += `${line}\n`),
    printError: (line) => (error += `${line}\n`),
    signal: signal ?? new AbortController().signal,
    rows,
  });
  return { code, out, error, requests };
}

function sandboxWith(seed: SandboxSeed, release?: SandboxRelease, ownToken = token) {
  const { sandbox, refused } = seedSandbox(
    { ...seed, tokens: [{ token: ownToken, username: 'qz-admin', superuser: true }, ...(seed.tokens ?? [])] },
    release,
  );
  expect(refused).toEqual([]);
  return sandbox;
}

const read = (file: string): Recording[] => JSON.parse(readFileSync(file, 'utf8')) as Recording[]; // a test checks its form

/** Every text with private data starts with this. */
const trace = /qz/i;
const traced = fc.string({ unit: 'grapheme-ascii', maxLength: 12 }).map((text) => `qz${text}`);
const tracedWord = fc.stringMatching(/^[a-z0-9]{1,10}$/).map((text) => `qz${text}`);
const tracedJson = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    traced,
    fc.integer({ min: 10_000_000 }),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.oneof(traced, tracedWord), tie('value'), { maxKeys: 3 }),
  ),
})).value;

const anySeed: fc.Arbitrary<SandboxSeed> = fc
  .uniqueArray(tracedWord, { minLength: 4, maxLength: 8 })
  .chain(([group = '', role = '', slug = '', ...usernames]) =>
    fc.record({
      groups: fc.uuid({ version: 4 }).map((pk) => [{ pk, name: group, num_pk: 12_345_678 }]),
      roles: fc.uuid({ version: 4 }).map((pk) => [{ pk, name: role }]),
      applications: fc.constant([{ slug, name: slug, meta_publisher: slug, group: slug }]),
      users: fc.tuple(
        ...['qz-admin', ...usernames].map((username) =>
          fc.record({
            username: fc.constant(username),
            name: traced.map((name) => name.trim()),
            email: fc.constant(`${username}@qz.example`),
            path: fc.constant(username),
            attributes: fc.dictionary(traced, tracedJson, { maxKeys: 3 }),
          }),
        ),
      ),
    }),
  )
  .map((seed) => ({
    ...seed,
    applications: [...seed.applications],
    users: seed.users.map((user) => ({ ...user, groups: seed.groups.map(({ pk }) => pk) })),
  }));

/** Parts that a later release, a plugin or a proxy may add to any answer. */
const anyMore = fc
  .record({
    values: fc.dictionary(
      fc.constantFrom('qz first', 'qz@x', 'owner_obj', 'groups', 'extra', 'settings', 'context', 'labels'),
      tracedJson,
      { maxKeys: 4 },
    ),
    record: fc.record({ pk: traced, name: traced, attributes: fc.dictionary(traced, tracedJson) }),
  })
  .map(({ values, record }) => ({ friends_obj: [record], friend_obj: record, ...values }));

/** The places in a file that contain private data, the token, or ids and times from answers. */
function leaks(text: string): string[] {
  const found: string[] = [];
  const look = (value: unknown, place: string): void => {
    if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value)) {
        look(key, `a key of ${place}`);
        look(inner, `${place}/${key}`);
      }
      return;
    }
    const isLeak =
      typeof value === 'string'
        ? trace.test(value) || value.includes(token.slice(0, 12))
        : typeof value === 'number' && value >= 10_000_000;
    const isMade = /[\da-f]{8}-[\da-f]{4}-|[\da-f]{32}|\dT\d\d:/.test(String(value));
    if (isLeak || (isMade && place.includes('/response/'))) found.push(`${place}: ${String(value)}`);
  };
  look(JSON.parse(text), '');
  return found;
}

test.runIf(inFull)('a recording contains no private data, token or host', async () => {
  await fc.assert(
    fc.asyncProperty(
      anySeed,
      anyMore,
      tracedJson,
      fc.constantFrom(...sandboxReleases),
      async (seed, more, refusal, release) => {
        const file = newFile();
        const sandbox = sandboxWith(seed, release);
        const deviation = (answer: Answered): Exchange => {
          const body = parseJson(answer.body);
          const added = (record: JsonValue): JsonValue =>
            isJsonObject(record)
              ? { ...more, ...(answer.status >= 400 && { refused: refusal, pk: 'qz' }), ...record }
              : record;
          const results = isJsonObject(body) && isJsonList(body['results']) ? body['results'] : undefined;
          const changed =
            results && isJsonObject(body) ? { ...body, results: results.map(added) } : added(body ?? null);
          return {
            ...answer,
            headers: {
              ...answer.headers,
              'set-cookie': 'authentik_session=qz',
              location: 'https://id.qz.example/',
              vary: answer.headers['vary'] ?? 'X-Qz',
              allow: answer.status === 404 ? 'qz' : (answer.headers['allow'] ?? ''),
            },
            body: body === undefined ? `${answer.body}<p>qz</p>` : JSON.stringify(changed),
          };
        };
        await run([url, '--record', file], sandbox, { deviation });
        expect(leaks(readFileSync(file, 'utf8'))).toEqual([]);
      },
    ),
    { numRuns: times({ short: 7, full: 50 }) },
  );
});

test.runIf(inFull)(
  'a recording masks an answer that repeats the token or the host, in any form',
  async () => {
    const secret = 'Zk3pQ7vR1xW9tN5mL8sJ2hG6fD4aC0bE';
    const forms = [
      secret,
      Buffer.from(secret).toString('base64'),
      encodeURIComponent(secret),
      `Bearer ${secret} is no good`,
    ];
    for (const form of forms) {
      const file = newFile();
      await run([url, '--record', file], sandboxWith({}, undefined, secret), {
        ownToken: secret,
        deviation: (answer) => ({
          ...answer,
          body:
            answer.status >= 400
              ? JSON.stringify({ detail: form, [form.slice(0, 12)]: [form] })
              : answer.body,
          ...(answer.status === 404 && {
            body: JSON.stringify({ detail: 'id of qz-path and qz-organisation' }),
          }),
        }),
      });
      const text = readFileSync(file, 'utf8');
      expect(text).not.toContain(secret.slice(3, 15));
      expect(text).not.toContain(Buffer.from(secret).toString('base64').slice(4, 16));
      expect(text).not.toContain('qz-');
      expect(read(file).length).toBeGreaterThan(130);
    }
  },
);

test('a recording leaves out an exchange if the request body contains the token', async () => {
  const file = newFile();
  const secret = 'rollcall probe';
  const { out } = await run([url, '--record', file], sandboxWith({}, undefined, secret), {
    ownToken: secret,
  });
  expect(readFileSync(file, 'utf8')).not.toContain(secret);
  expect(out).toMatch(
    /^\d+ exchanges were recorded in .+ \d that contained a part of the token were left out\./m,
  );
});

test('a recording keeps requests of the probe, error messages, counts and the release', async () => {
  const file = newFile();
  await run(['--record', file, url], sandboxWith({}, '2026.2'));
  const recordings = read(file);
  const named = (name: string): Recording['response'] | undefined =>
    recordings.find((recording) => recording.name === name)?.response;
  expect(named('the release')?.body).toMatchObject({ version_current: '2026.2.2', build_hash: '<TEXT>' });
  expect(named('core/users: created')).toMatchObject({
    status: 201,
    headers: {
      allow: 'GET, POST, HEAD, OPTIONS',
      'content-type': 'application/json',
      vary: 'Accept-Language, Cookie',
    },
    body: {
      pk: inFull ? 10 : 2,
      username: 'rollcall-probe-run1-users-one',
      name: 'rollcall probe',
      attributes: {},
      type: 'internal',
      uid: '<TEXT>',
      avatar: '<TEXT>',
    },
  });
  expect(named('application: the slug token (2)')?.body).toEqual({
    name: ['This field is required.'],
    slug: ["The slug 'token' is reserved and cannot be used for applications."],
  });
  expect(named('application: a slug with a dot')?.body).toMatchObject({
    slug: [expect.stringMatching(/“slug”/)],
  });
  expect(named('core/users: malformed')?.body).toEqual({
    detail: expect.stringMatching(/^JSON parse error/),
  });
  expect(named('an empty filter is ignored: all users are returned')?.body).toMatchObject({
    pagination: { current: 1, count: 2, total_pages: 2 },
  });
  expect(
    named("the service reports the token's user, and what the token may create (19)")?.body,
  ).toMatchObject({
    actions: { POST: { username: { required: true, max_length: 150, label: '<TEXT>' } } },
  });
  expect(named('application: %(username)s in a launch URL')?.body).toMatchObject({ launch_url: '<TEXT>' });
  expect(recordings.find(({ name }) => name === 'core/users: denied')?.request.headers).toEqual({
    accept: 'application/json',
    authorization: 'Bearer rollcall-probe-wrong',
    'content-type': 'application/json',
  });
});

test('a recording keeps the keys of other records, without their values', async () => {
  const file = newFile();
  const mia = { pk: 7, username: 'rollcall-probe-of-mia', name: 'Mia', attributes: { pk: 1, salary: 2 } };
  const list = {
    pagination: { count: 3, next: 'https://id.qz.example/?page=2', by: { Mia: 'first' }, isExact: true },
    results: [mia, { pk: 8, username: 'tom' }, { pk: 9, username: 'eva' }],
    groups: { Staff: ['Mia'] },
  };
  await run([url, '--record', file], undefined, {
    deviation: (answer, { method, path }) => {
      if (path.includes('/version/')) return { ...answer, body: '{"version_current":"Mia 1.0"}' };
      if (path.includes('page_size=1')) return { ...answer, body: JSON.stringify(list) };
      return method === 'POST'
        ? { ...answer, status: 400, body: '{"username":"Mia","name":["No."]}' }
        : answer;
    },
  });
  const recordings = read(file);
  expect(recordings[0]?.response.body).toEqual({ version_current: '<TEXT>' });
  const { response } = recordings.find(({ request }) => request.path.includes('page_size=1')) ?? {};
  expect(response).toMatchObject({ results_in_the_answer: 3 });
  expect(response?.body).toEqual({
    pagination: { count: 3, next: '<TEXT>', by: {}, isExact: true },
    results: [{ pk: 0, username: '<TEXT>', name: '<TEXT>', attributes: {} }],
    groups: {},
  });
  expect(recordings.find(({ request }) => request.method === 'POST')?.response.body).toEqual({
    username: '<TEXT>',
    name: ['No.'],
  });
});

test('a recording masks names in error messages unless the probe sent them', async () => {
  const file = newFile();
  const said = (text: string): string => JSON.stringify({ slug: [text] });
  const texts = [
    'Provider "Mia Muster" is taken.',
    "The name 'Mia Muster' is taken.",
    'Ask mia@corp.example about it.',
    'See https://corp.example for more.',
    'It is in /home/mia now.',
    'Traceback:\n  line 1',
    'Number 1234567 has it.',
  ];
  await run([url, '--record', file], undefined, {
    deviation: (answer, { method }, count) =>
      method === 'POST' ? { ...answer, status: 400, body: said(texts[count % texts.length] ?? '') } : answer,
  });
  expect(read(file).filter(({ request }) => request.method === 'POST').length).toBeGreaterThan(80);
  for (const { request, response } of read(file))
    if (request.method === 'POST') expect(response.body).toEqual({ slug: ['<TEXT>'] });
});

test('a recording masks user-defined keys in error messages', async () => {
  const file = newFile();
  await run([url, '--record', file], undefined, {
    deviation: (answer) =>
      answer.status === 400
        ? {
            ...answer,
            body: '{"attributes":{"Kostenstelle":["Kostenstelle is missing"]},"cost centre":["x"]}',
          }
        : answer,
  });
  const refused = read(file).find(({ response }) => response.status === 400);
  expect(refused?.response.body).toEqual({ attributes: { '<KEY>': ['<TEXT>'] }, '<KEY>': ['x'] });
});

test.each(someReleases(sandboxReleases))(
  'a sandbox of release %s repeats the answers of a recording that was made from it',
  async (release) => {
    const [seed] = fc.sample(anySeed, { numRuns: 1, seed: 3 });
    const file = newFile();
    const { code } = await run([url, '--record', file], sandboxWith(seed ?? {}, release), {
      rows: allRows,
    });
    expect(code).toBe(0);
    const recordings = read(file);
    expect(recordings.length).toBeGreaterThan(130);
    expect(new Set(recordings.map(({ name }) => name)).size).toBe(recordings.length);
    expect(replay(recordings, sandboxWith({}, release, '<ACCESS_TOKEN>'))).toEqual([]);
  },
);

test('a recording shows how a service of another release differs', async () => {
  const file = newFile();
  await run([url, '--record', file], sandboxWith({}, '2026.2'));
  const differences = replay(read(file), sandboxWith({}, '2023.10', '<ACCESS_TOKEN>')).join('\n');
  expect(differences).toMatch(/a slug of 51 characters: \.slug is only here/);
  expect(differences).toMatch(/applications: created: \.meta_icon_url is not here/);
  expect(differences).toMatch(/the slug token \(2\): \.slug is not here/);
  const changed = read(file).map((recording) => ({
    ...recording,
    response: { ...recording.response, status: recording.response.status + 1 },
  }));
  expect(replay(changed, sandboxWith({}, '2026.2', '<ACCESS_TOKEN>'))).toHaveLength(changed.length);
});

test('the sandbox answers like the services that the probe recorded', () => {
  const differences = globSync('test/recordings/probe/*.json', { cwd: root }).flatMap((file) => {
    const recordings = read(join(root, file));
    const bodies = recordings.map(({ response: { body } }) => (isJsonObject(body) ? body : {}));
    const release = textOf(bodies.find((body) => 'version_current' in body)?.['version_current']);
    const line = sandboxReleases.find((known) => release.startsWith(`${known}.`));
    if (line === undefined) return [];
    const found = replay(recordings, sandboxWith({}, line, '<ACCESS_TOKEN>'));
    return found.map((difference) => `${file}: ${difference}`);
  });
  expect(differences).toEqual([]);
});

test.runIf(inFull)('a recording made over HTTP equals a recording made without HTTP', async () => {
  const [here, there] = [newFile(), newFile()];
  await run([url, '--record', here]);
  const server = await serveSandbox(sandboxWith({}, undefined, 'an-access-token'), { port: 0, latencyMs: 0 });
  try {
    const { code } = await run([server.url, '--record', there], undefined, {
      ownToken: 'an-access-token',
      connect: overFetch,
    });
    expect(code).toBe(0);
  } finally {
    await server.close();
  }
  expect(readFileSync(there, 'utf8')).not.toContain('127.0.0.1');
  expect(read(there)).toEqual(read(here));
});

test('an interrupted recording keeps the answers so far', async () => {
  const file = newFile();
  const interruption = new AbortController();
  let early: string | undefined;
  const { code, out } = await run([url, '--record', file], undefined, {
    signal: interruption.signal,
    connect: (_, ownToken) => {
      const ask = toSandbox(sandboxWith({}), ownToken);
      return async (request) => {
        if (request.method === 'DELETE') {
          // The file already exists while the created records are being deleted.
          await expect.poll(() => existsSync(file)).toBe(true);
          early ??= readFileSync(file, 'utf8');
        }
        if (request.body?.includes('-taken')) interruption.abort();
        return ask(request);
      };
    },
  });
  expect(code).toBe(1);
  const names = read(file).map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['the release', 'what the probe created is deleted']));
  expect(names).not.toContain('core/users: created');
  expect(JSON.parse(early ?? '')).toEqual(read(file).slice(0, (JSON.parse(early ?? '') as []).length));
  expect(out).toContain(`${names.length} exchanges were recorded in ${file}.`);
});

test('a recording keeps the answers so far if the service dies', async () => {
  const file = newFile();
  const dying = (answer: Answered, _: ProbeRequest, count: number): Exchange =>
    count > 20 ? { kind: 'lost', error: new Error('closed') } : answer;
  const { code } = await run([url, '--record', file], undefined, { deviation: dying });
  expect(code).toBe(1);
  expect(read(file)).toHaveLength(20);
});

test('no recording is written if no answer arrived', async () => {
  const file = newFile();
  const { code, out } = await run([url, '--record', file], undefined, {
    deviation: () => ({ kind: 'lost', error: new Error('closed') }),
  });
  expect(code).toBe(1);
  expect(out).toContain('Nothing was recorded.');
  expect(existsSync(file)).toBe(false);
});

test('a failure to write the recording at the end is an error without a stack trace', async () => {
  const folder = join(temporaryFolder(), 'later');
  mkdirSync(folder);
  const file = join(folder, 'recording.json');
  const { code, error } = await run([url, '--record', file], undefined, {
    deviation: (answer) => {
      if (!existsSync(file)) mkdirSync(file);
      return answer;
    },
  });
  expect(code).toBe(1);
  expect(error).toBe(`probe: ${file} cannot be written: this name is a folder.\n`);
});

test('a recording may be written to an empty file', async () => {
  const file = newFile();
  writeFileSync(file, '');
  expect(await run([url, '--record', file])).toMatchObject({ code: 0 });
  expect(read(file).length).toBeGreaterThan(130);
});

test('an invalid command line of the recording is reported in one line, and nothing is sent', async () => {
  const folder = temporaryFolder();
  const [file, link] = [join(folder, 'there.json'), join(folder, 'link.json')];
  writeFileSync(file, '[]');
  symlinkSync(join(folder, 'nowhere'), link);
  const wrong: [readonly string[], string | RegExp][] = [
    [[url, '--record', file], `${file} exists already. Give --record the name of a new file.`],
    [[url, '--record', folder], `${folder} exists already.`],
    [[url, '--record', link], `${link} exists already.`],
    [[url, '--record', join(folder, 'none', 'x.json')], `there is no folder ${join(folder, 'none')}.`],
    [[url, '--record', join(file, 'x.json')], `there is no folder ${file}.`],
    [['--record', '', url], '--record needs the name of a file. Usage: '],
    [[url, '--record'], /^probe: Option '--record <value>' argument missing\. Usage: /],
    [[url, '--record', '--insecure-http'], /^probe: Option '--record' argument is ambiguous\. Usage: /],
    [[url, '--recrod', 'x.json'], /^probe: Unknown option '--recrod'\. .*Usage: /],
    [['--record', 'x.json'], 'the URL of the service is missing. Usage: '],
    [[url, url], 'there is more than one URL. Usage: '],
    [['http://id.qz.example'], 'the token would be sent to id.qz.example unencrypted.'],
  ];
  for (const [args, said] of wrong) {
    const { code, error, out, requests } = await run(args);
    expect({ code, out, requests, lines: error.split('\n').length }).toEqual({
      code: 3,
      out: '',
      requests: 0,
      lines: 2,
    });
    if (typeof said === 'string') expect(error).toContain(`probe: ${said}`);
    else expect(error).toMatch(said);
  }
  const { error, code } = await run([url], undefined, { ownToken: '' });
  expect({ error, code }).toMatchObject({
    code: 3,
    error: expect.stringMatching(/^probe: ROLLCALL_TOKEN is not set\./),
  });
});
