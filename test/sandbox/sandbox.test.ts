import { describe, expect, test } from 'vitest';
import { askSandbox, type SandboxAnswer } from '../support/ask-sandbox.ts';
import type { SandboxSeed } from '../../src/generated/sandbox-seed.ts';
import { parseJson } from '../../src/base/json.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { loadSeed, sandboxToken, seedSandbox } from '../../src/sandbox/seed.ts';
import { serveSandbox } from '../../src/sandbox/server.ts';
import { sourceFile } from '../../src/base/source.ts';

function ask(sandbox: Sandbox, method: string, path: string, body = '', token?: string): SandboxAnswer {
  return askSandbox(sandbox, method, `/core/${path}`, body, token);
}

function post(
  sandbox: Sandbox,
  list: 'applications' | 'users',
  fields: object,
  token?: string,
): SandboxAnswer {
  return ask(sandbox, 'POST', `${list}/`, JSON.stringify(fields), token);
}

function seeded(seed: SandboxSeed = {}): Sandbox {
  return seedSandbox(seed).sandbox;
}

describe('the sandbox', () => {
  test('silently removes a backchannel provider from its former application', () => {
    const sandbox = seeded();
    post(sandbox, 'applications', { slug: 'a', name: 'A', backchannel_providers: [1, 2, 3] });
    post(sandbox, 'applications', { slug: 'b', name: 'B', backchannel_providers: [2, 4] });
    expect(ask(sandbox, 'GET', 'applications/a/').body['backchannel_providers']).toEqual([1, 3]);
    expect(ask(sandbox, 'GET', 'applications/b/').body['backchannel_providers']).toEqual([2, 4]);
  });

  test.each([
    ['all', { a: 200, b: 200, c: 404 }],
    ['none', { a: 403, b: 403, c: 403 }],
    [['a'], { a: 200, b: 404, c: 404 }],
    [[], { a: 404, b: 404, c: 404 }],
  ] as const)('shows a token only the records that it may view: %j', (visible, statuses) => {
    const sandbox = seeded({
      tokens: [
        {
          token: 'limited',
          view_applications: visible === 'all' || visible === 'none' ? visible : [...visible],
        },
      ],
      applications: [
        { slug: 'a', name: 'A' },
        { slug: 'b', name: 'B' },
      ],
    });
    for (const [slug, status] of Object.entries(statuses))
      expect([slug, ask(sandbox, 'GET', `applications/${slug}/`, '', 'limited').status]).toEqual([
        slug,
        status,
      ]);
  });

  test.each([
    [{ add_applications: false }, { applications: 403, users: 201 }],
    [{ add_users: false }, { applications: 201, users: 403 }],
    [{ view_applications: 'none' }, { applications: 201, users: 201 }],
  ] as const)(
    'lets a token create only the records that it may create: %j',
    (rights, { applications, users }) => {
      const sandbox = seeded({ tokens: [{ token: 'limited', ...rights }] });
      expect(post(sandbox, 'applications', { slug: 'a', name: 'A' }, 'limited').status).toBe(applications);
      expect(post(sandbox, 'users', { username: 'a', name: 'A' }, 'limited').status).toBe(users);
    },
  );

  test.each(['\0', 'x\0y', '\ud800', '\udfff'])(
    'answers with a crash for %j in attributes, and stores nothing',
    (text) => {
      const sandbox = seeded();
      const user = { username: 'a', name: 'A' };
      for (const attributes of [{ key: text }, { [text]: 1 }, { list: [{ deep: text }] }])
        expect(post(sandbox, 'users', { ...user, attributes })).toMatchObject({ status: 405, text: '' });
      expect(post(sandbox, 'users', { ...user, attributes: { key: '\u{1f600}' } }).status).toBe(201);
    },
  );
});

describe('a seed of the sandbox', () => {
  test('with an invalid value is reported at its place', () => {
    const text = [
      'applications:',
      '  - { slug: a, name: A }',
      '  - { slug: a, name: B }',
      'users:',
      '  - { username: u, name: U, email: nobody }',
    ].join('\n');
    expect(loadSeed(sourceFile('seed.yaml', text))).toMatchObject([
      { code: 'invalid-value', range: { start: { line: 3, column: 13 } } },
      { code: 'invalid-value', range: { start: { line: 5, column: 36 } } },
    ]);
  });

  test('with a misspelt field is reported with its name', () => {
    expect(loadSeed(sourceFile('seed.yaml', 'users: [{ usrname: a, name: A }]\n'))).toMatchObject([
      { detail: 'This field is required. Write `username` in place of `usrname`.' },
    ]);
  });

  test.each([
    [
      'tokens: [{ token: a, rights: { add_stage: false } }]',
      'there is no right `add_stage`',
      'Did you mean `add_stages`?',
    ],
    [
      'tokens: [{ token: a, rights: { view_unheard_of_things: none } }]',
      'there is no right `view_unheard_of_things`',
      'Write rights such as',
    ],
    [
      'tokens: [{ token: a, rights: { view_stages: no } }]',
      '`view_stages` must be all, none',
      'true or false',
    ],
    [
      'providers: [{ pk: 1, name: a }, { pk: 1, name: b }]',
      'does not accept this `pk`',
      'Another entry has this pk.',
    ],
    [
      'groups: [{ pk: 5C5C9E1A-0000-4000-8000-00000000000A, name: a }, { pk: 5c5c9e1a-0000-4000-8000-00000000000a, name: b }]',
      'does not accept this `pk`',
      'Another entry has this pk.',
    ],
  ])('with an unknown right or a repeated id is rejected: %s', (text, summary, detail) => {
    expect(loadSeed(sourceFile('seed.yaml', `${text}\n`))).toMatchObject([
      { summary: expect.stringContaining(summary), detail: expect.stringContaining(detail) },
    ]);
  });

  test('with a repeated id gets no advice to write the field that the entry has', () => {
    const seed = sourceFile('seed.yaml', 'providers: [{ pk: 1, name: a }, { pk: 1, name: b }]\n');
    expect(loadSeed(seed)).toMatchObject([{ detail: 'Another entry has this pk.' }]);
  });

  test('can have attributes of users that only later releases know', () => {
    const seed: SandboxSeed = { object_attributes: [{ key: 'room', is_required: true }] };
    const attributes = '/core/object_attributes/';
    const statusIn = (release: '2025.12' | '2026.8'): number =>
      askSandbox(seedSandbox(seed, release).sandbox, 'GET', attributes).status;
    expect([statusIn('2025.12'), statusIn('2026.8')]).toEqual([404, 200]);
  });

  test('can use the same id in two lists', () => {
    const pk = '5c5c9e1a-0000-4000-8000-00000000000a';
    const text = `groups: [{ pk: ${pk}, name: a }]\nroles: [{ pk: ${pk}, name: a }]\n`;
    expect(loadSeed(sourceFile('seed.yaml', text))).toMatchObject({ refused: [] });
  });

  test('determines the order of records by their ids, not by their places', () => {
    const providers = [5, 2, 3].map((pk) => ({ pk, name: `P${pk}` }));
    const application = { slug: 'a', name: 'A', backchannel_providers: [3, 5, 2] };
    const sandbox = seeded({ providers, applications: [application] });
    expect(ask(sandbox, 'GET', 'applications/a/').body['backchannel_providers']).toEqual([2, 3, 5]);
  });

  test('that is valid determines the records that the sandbox serves', () => {
    const loaded = loadSeed(sourceFile('seed.yaml', 'applications: [{ slug: a, name: A }]\n'));
    if (Array.isArray(loaded)) expect.fail(JSON.stringify(loaded));
    else expect(ask(loaded.sandbox, 'GET', 'applications/a/').status).toBe(200);
  });

  test('passes its first token to a command, or the default token if it has none', () => {
    expect(seedSandbox({ tokens: [{ token: 'own' }, { token: 'other' }] }).token).toBe('own');
    expect(seedSandbox({}).token).toBe(sandboxToken);
  });

  test('can restrict the sandbox to the three documented operations', () => {
    const { sandbox } = seedSandbox({ documented_only: true, applications: [{ slug: 'a', name: 'A' }] });
    const statuses = [
      ['GET', 'applications/a/', ''],
      ['POST', 'users/', '{"username":"u","name":"U"}'],
      ['POST', 'applications/', '{"slug":"b","name":"B"}'],
      ['PATCH', 'applications/a/', '{"name":"B"}'],
      ['GET', 'users/', ''],
      ['GET', 'groups/', ''],
    ] as const;
    expect(statuses.map(([method, path, body]) => ask(sandbox, method, path, body).status)).toEqual([
      200, 201, 201, 405, 405, 404,
    ]);
  });
});

describe('the sandbox over HTTP', () => {
  test('shows its own address in the URLs of a provider', async () => {
    const provider = { pk: 1, name: 'P', type: 'oauth2' } as const;
    const sandbox = seeded({ providers: [provider], applications: [{ slug: 'a', name: 'A', provider: 1 }] });
    const server = await serveSandbox(sandbox, { port: 0, latencyMs: 0 });
    const response = await fetch(`${server.url}/api/v3/providers/oauth2/1/setup_urls/`, {
      headers: { authorization: `Bearer ${sandboxToken}` },
    });
    expect(await response.json()).toMatchObject({ issuer: `${server.url}/application/o/a/` });
    await server.close();
  });

  test('sends the length of its answer in bytes, in any script', async () => {
    const server = await serveSandbox(
      seeded({ applications: [{ slug: 'a', name: 'Ünïcode ラベル \u{1f600}' }] }),
      {
        port: 0,
        latencyMs: 0,
      },
    );
    const response = await fetch(`${server.url}/api/v3/core/applications/a/`, {
      headers: { authorization: `Bearer ${sandboxToken}` },
    });
    const text = await response.text();
    expect(Number(response.headers.get('content-length'))).toBe(Buffer.byteLength(text));
    expect(parseJson(text)).toMatchObject({ name: 'Ünïcode ラベル \u{1f600}' });
    await server.close();
  });
});
