import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { doctor, type DoctorOptions } from '../../src/commands/doctor.ts';
import type { SeedToken } from '../../src/generated/sandbox-seed.ts';
import { Sandbox } from '../../src/sandbox/sandbox.ts';
import { serveSandbox, type SandboxServer } from '../../src/sandbox/server.ts';
import { capture, type Setup } from '../support/run.ts';
import { schemaErrors } from '../support/schemas.ts';

const none = {
  view_applications: 'none',
  view_users: 'none',
  view_groups: 'none',
  view_providers: 'none',
  view_roles: 'none',
  view_flows: 'none',
  view_outposts: 'none',
  view_certificates: 'none',
  view_property_mappings: 'none',
  add_applications: false,
  add_users: false,
  add_groups: false,
  add_providers: false,
  add_outposts: false,
  view_bindings: 'none',
  add_bindings: false,
} as const;
const tokens = {
  everything: {},
  'everything there is': { superuser: true, username: 'admin' },
  viewing: { ...none, view_applications: 'all' },
  'one application': { ...none, view_applications: ['wiki'] },
  'adding applications': { ...none, add_applications: true },
  'adding users': { ...none, add_users: true },
  'all but users': { view_users: 'none' },
  'all but bindings': { view_bindings: 'none' },
  'all but groups': { view_groups: 'none' },
  nothing: none,
} as const satisfies Record<string, Omit<SeedToken, 'token'>>;
type TokenName = keyof typeof tokens | 'wrong';

function secretOf(name: string): string {
  return `canary-${name.replaceAll(' ', '-')}`;
}

const projects = {
  none: {},
  'applications and users': project(
    'applications: [{ slug: a, name: A }]\nusers: [{ username: a, name: A }]',
  ),
  applications: project('applications: [{ slug: a, name: A }]'),
  users: project('users: [{ username: a, name: A }]'),
  access: project('applications: [{ slug: a, name: A, access: { groups: [{ name: staff }] } }]'),
  groups: project('groups: [{ name: own }]'),
  'a member': project('groups: [{ name: own }]\nusers: [{ username: a, name: A, groups: [{ name: own }] }]'),
  'a user to delete': project('users: [{ username: a, state: absent }]'),
  broken: project('users: [{ user: a }, { username: b, name: B }]'),
  'a secret': project('users: [{ username: a, name: A, email: "${env:NOT_SET}" }]'),
};

function project(lists: string): Record<string, string> {
  return { 'rollcall.yaml': 'version: 1\nmanifests: [m.yaml]\n', 'm.yaml': `version: 1\n${lists}\n` };
}

/** A sandbox over HTTP, behind a proxy that can change requests. */
let server: SandboxServer;
type SandboxRequest = Parameters<Sandbox['handle']>[0];

let onTheWay: (request: SandboxRequest) => SandboxRequest = (request) => request;
const received: string[] = [];
beforeAll(async () => {
  const list = Object.entries(tokens).map(([name, rights]) => ({ token: secretOf(name), ...rights }));
  const sandbox = new Sandbox({ tokens: structuredClone(list) });
  const handle = (request: SandboxRequest): ReturnType<Sandbox['handle']> => {
    received.push(`${request.method} ${request.path} ${request.body}`.trim());
    return sandbox.handle(onTheWay(request));
  };
  server = await serveSandbox({ handle }, { port: 0, latencyMs: 0 });
});
afterAll(() => server.close());

interface Doctored {
  readonly ending: string;
  readonly stdout: string;
  readonly stderr: string;
  readonly document: {
    readonly checks: readonly { readonly name: string; readonly status: string; readonly summary: string }[];
    readonly beyond_contract: readonly string[];
  };
  readonly statuses: string;
  readonly requests: readonly string[];
}

async function doctored(
  token: TokenName,
  files: Setup['files'] = {},
  options: Partial<DoctorOptions> = {},
): Promise<Doctored> {
  received.length = 0;
  const { context, stdout, stderr } = capture({
    url: server.url,
    env: { ROLLCALL_TOKEN: secretOf(token) },
    files,
    columns: 80,
  });
  const ending = await doctor([], { output: 'json', ...options }, context);
  const document = (options.output === 'text' ? {} : JSON.parse(stdout())) as Doctored['document']; // the schema is checked below
  if (options.output !== 'text') expect(schemaErrors('doctor', document)).toEqual([]);
  const rights = new Set(['token', 'applications', 'users']);
  const checks = document.checks?.filter(({ name }) => rights.has(name)) ?? [];
  return {
    ending,
    stdout: stdout(),
    stderr: stderr(),
    document,
    statuses: checks.map(({ status }) => status).join(' '),
    requests: [...received],
  };
}

describe('doctor distinguishes', () => {
  test('a token that may do everything', async () => {
    expect(await doctored('everything')).toMatchObject({ ending: 'done', statuses: 'pass pass pass' });
  });

  test('a wrong token', async () => {
    const { ending, statuses, document } = await doctored('wrong');
    expect({ ending, statuses }).toEqual({ ending: 'denied', statuses: 'fail unknown unknown' });
    expect(document.checks).toContainEqual(
      expect.objectContaining({
        name: 'token',
        summary: 'the service does not accept the token (403); it said: Token invalid/expired',
        // A proxy can send the same answer.
        advice: expect.stringMatching(
          /^Every request with this token was refused. Most likely .* may refuse every request/,
        ),
      }),
    );
  });

  test('a token that was removed by a proxy', async () => {
    onTheWay = (request) => ({ ...request, headers: { ...request.headers, authorization: undefined } });
    try {
      const { ending, statuses, document } = await doctored('everything');
      expect({ ending, statuses }).toEqual({ ending: 'denied', statuses: 'fail unknown unknown' });
      expect(document.checks).toContainEqual(
        expect.objectContaining({
          name: 'token',
          summary: expect.stringContaining('the service received none'),
        }),
      );
    } finally {
      onTheWay = (request) => request;
    }
  });

  test('a valid token without permissions', async () => {
    expect(await doctored('nothing')).toMatchObject({ ending: 'denied', statuses: 'pass fail warn' });
  });

  test("a token with some rights from a superuser's token", async () => {
    const summaryOf = async (token: TokenName): Promise<string | undefined> =>
      (await doctored(token)).document.checks.find(({ name }) => name === 'applications')?.summary;
    expect(await summaryOf('one application')).toBe(
      'the token may view at least some applications; it may not create applications',
    );
    expect(await summaryOf('everything there is')).toBe(
      "the token may view and create all applications: it is a superuser's token",
    );
  });
});

test('a superuser may do everything, so doctor does not ask what the token may do', async () => {
  const asked = async (token: TokenName): Promise<boolean> =>
    (await doctored(token, projects.users)).requests.some((request) => request.startsWith('OPTIONS'));
  expect([await asked('everything'), await asked('everything there is')]).toEqual([true, false]);
});

describe('the lines of doctor', () => {
  const namesIn = ({ document }: Doctored): string[] => document.checks.map(({ name }) => name);

  test('name the declared kinds and no others', async () => {
    expect(namesIn(await doctored('everything', projects.users))).toEqual([
      'connection',
      'base-url',
      'token',
      'users',
      'release',
      'clock',
    ]);
  });

  test.each([
    ['viewing', 'none', 'done', 'pass warn warn'],
    ['viewing', 'applications', 'done', 'pass warn'],
    ['viewing', 'users', 'denied', 'pass fail'],
    ['adding users', 'none', 'done', 'pass warn warn'],
    ['adding users', 'users', 'done', 'pass warn'],
    ['adding users', 'applications', 'denied', 'pass fail'],
    ['adding users', 'broken', 'done', 'pass warn warn'],
    ['adding applications', 'none', 'denied', 'pass fail warn'],
    ['adding applications', 'users', 'denied', 'pass fail'],
    ['nothing', 'users', 'denied', 'pass fail'],
    ['nothing', 'applications', 'denied', 'pass fail'],
  ] as const)(
    'for a token that allows %s, and manifests with %s, report %s',
    async (token, declared, ending, statuses) => {
      const found = await doctored(token, projects[declared]);
      expect({ ending: found.ending, statuses: found.statuses }).toEqual({ ending, statuses });
    },
  );

  test('do not depend on secrets of the manifests', async () => {
    const { document, stderr } = await doctored('everything', projects['a secret']);
    expect(document.checks.map(({ name }) => name)).not.toContain('applications');
    expect(stderr).toBe('');
  });

  test('come with a note if the manifests are invalid', async () => {
    expect((await doctored('everything', projects.broken)).stderr).toContain('The manifests are invalid');
  });

  test('contain a warning if the token does not have a permission', async () => {
    const { stdout } = await doctored('viewing', {}, { output: 'text' });
    expect(stdout).toMatch(/^ {2}warn {2}users +the token may not view users; it may not create users$/m);
    expect(stdout).toContain('The service can be used, but see the warnings. Next: ');
    const well = await doctored('everything', {}, { output: 'text' });
    expect(well.stdout).toContain('\nAll checks passed. Next: ');
    expect(Math.max(...stdout.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(80);
  });
});

test.each([
  ['all but bindings', 'access', 'bindings'],
  ['all but groups', 'access', 'groups'],
  ['all but groups', 'groups', 'groups'],
  ['all but groups', 'a member', 'groups'],
  ['all but users', 'a user to delete', 'users'],
] as const)(
  'a list that a plan needs and the token may not view is a failed check: %s, %s',
  async (token, manifest, list) => {
    const { ending, document } = await doctored(token, projects[manifest]);
    const failed = document.checks.filter(({ status }) => status !== 'pass');
    expect([ending, failed]).toMatchObject([
      'denied',
      [
        {
          name: list,
          status: 'fail',
          advice: expect.stringContaining('A plan of the manifests needs them.'),
        },
      ],
    ]);
  },
);

test('a list that no entry needs is not requested', async () => {
  const { ending, requests } = await doctored('all but bindings', projects.applications);
  expect([ending, requests.filter((request) => request.includes('bindings'))]).toEqual(['done', []]);
});

describe('a run of doctor', () => {
  const beyond = [
    'GET /api/v3/core/users/me/',
    'GET /api/v3/admin/version/',
    'GET /api/v3/core/users/?page_size=1',
    'OPTIONS /api/v3/core/users/',
  ];

  test('adds only reads and OPTIONS requests to the three documented operations, and lists the additional requests', async () => {
    const { requests, document } = await doctored('everything', projects.users);
    expect(requests.slice(1)).toEqual(beyond);
    expect(document.beyond_contract).toEqual(beyond);
    const { stdout } = await doctored('everything', projects.users, { output: 'text' });
    expect(stdout).toContain(
      `Requests that are not sent with --contract-only:\n${beyond.map((request) => `  ${request}\n`).join('')}`,
    );
  });

  test('with --contract-only sends only the documented operations, and reports less', async () => {
    const { requests, document, statuses, ending } = await doctored('wrong', {}, { contractOnly: true });
    expect(requests).toEqual([expect.stringMatching(/^GET \/api\/v3\/core\/applications\/[-\w]+\/$/)]);
    expect(document.beyond_contract).toEqual([]);
    expect({ ending, statuses }).toEqual({ ending: 'denied', statuses: 'fail unknown unknown' });
  });
});
