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
  broken: project('users: [{ user: a }]'),
};

function project(lists: string): Record<string, string> {
  return { 'rollcall.yaml': 'version: 1\nmanifests: [m.yaml]\n', 'm.yaml': `version: 1\n${lists}\n` };
}

/** Serves a sandbox; what stands in front of it may change the requests. */
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
  const { context, stdout } = capture({
    url: server.url,
    env: { ROLLCALL_TOKEN: secretOf(token) },
    files,
    columns: 80,
  });
  const ending = await doctor({ output: 'json', ...options }, context);
  const document = (options.output === 'text' ? {} : JSON.parse(stdout())) as Doctored['document']; // held against its schema
  if (options.output !== 'text') expect(schemaErrors('doctor', document)).toEqual([]);
  const rights = new Set(['token', 'view-applications', 'create-applications', 'create-users']);
  const checks = document.checks?.filter(({ name }) => rights.has(name)) ?? [];
  return {
    ending,
    stdout: stdout(),
    document,
    statuses: checks.map(({ status }) => status).join(' '),
    requests: [...received],
  };
}

describe('doctor keeps apart', () => {
  test('a token that may do everything', async () => {
    expect(await doctored('everything')).toMatchObject({ ending: 'done', statuses: 'pass pass pass pass' });
  });

  test('a wrong token', async () => {
    const { ending, statuses, document } = await doctored('wrong');
    expect({ ending, statuses }).toEqual({ ending: 'denied', statuses: 'fail unknown unknown unknown' });
    expect(document.checks).toContainEqual(
      expect.objectContaining({
        name: 'token',
        summary: 'the service does not accept the token (403); it said: Token invalid/expired',
        // What is in front of the service may do so too.
        advice: expect.stringMatching(/^Whatever else was asked .* Most likely .* may refuse every request/),
      }),
    );
  });

  test('a token that was taken away on the way', async () => {
    onTheWay = (request) => ({ ...request, headers: { ...request.headers, authorization: undefined } });
    try {
      const { ending, statuses, document } = await doctored('everything');
      expect({ ending, statuses }).toEqual({ ending: 'denied', statuses: 'fail unknown unknown unknown' });
      expect(document.checks).toContainEqual(
        expect.objectContaining({ name: 'token', summary: expect.stringContaining('saw no token') }),
      );
    } finally {
      onTheWay = (request) => request;
    }
  });

  test('a token without rights, which is valid all the same', async () => {
    expect(await doctored('nothing')).toMatchObject({ ending: 'denied', statuses: 'pass fail warn warn' });
  });

  test('a token that may view one application from none', async () => {
    const { statuses, document } = await doctored('one application');
    expect(statuses).toBe('pass pass warn warn');
    expect(document.checks).toContainEqual(
      expect.objectContaining({
        name: 'view-applications',
        summary: 'the token may view applications, or some of them: nothing tells which',
      }),
    );
  });
});

describe('what is read beyond the documented operations', () => {
  const checksIn = ({ document }: Doctored): string[] =>
    document.checks
      .filter(({ name }) => /^view-(?!applications)/.test(name))
      .map(({ name, status, summary }) => `${status} ${name}: ${summary}`);

  test('warns of no list that the manifests neither declare nor name', async () => {
    const found = checksIn(await doctored('viewing', projects.applications));
    expect(found).toContain('pass view-flows: the token may not view flows; the manifests need none');
    expect(found).toContain(
      'pass view-oauth2-providers: the token may not view OAuth2 providers; the manifests need none',
    );
    expect(found).toContain('warn view-providers: the token may not view providers');
  });

  test('is held against what the token may, list by list', async () => {
    expect(checksIn(await doctored('everything'))).toEqual([
      'pass view-groups: the token may view groups, or some of them: nothing tells which',
      'pass view-oauth2-providers: the token may view OAuth2 providers, or some of them: nothing tells which',
      'pass view-proxy-providers: the token may view proxy providers, or some of them: nothing tells which',
      'pass view-outposts: the token may view outposts, or some of them: nothing tells which',
      'pass view-users: the token may view users, or some of them: nothing tells which',
      'pass view-providers: the token may view providers, or some of them: nothing tells which',
      'pass view-roles: the token may view roles, or some of them: nothing tells which',
      'pass view-flows: the token may view flows, or some of them: nothing tells which',
      'pass view-certificates: the token may view certificates, or some of them: nothing tells which',
      'pass view-property-mappings: the token may view property mappings, or some of them: nothing tells which',
      'pass view-bindings: the token may view bindings, or some of them: nothing tells which',
    ]);
    const viewing = await doctored('viewing');
    expect(checksIn(viewing)).toEqual([
      'warn view-groups: the token may not view groups',
      'warn view-oauth2-providers: the token may not view OAuth2 providers',
      'warn view-proxy-providers: the token may not view proxy providers',
      'warn view-outposts: the token may not view outposts',
      'warn view-users: the token may not view users',
      'warn view-providers: the token may not view providers',
      'warn view-roles: the token may not view roles',
      'warn view-flows: the token may not view flows',
      'warn view-certificates: the token may not view certificates',
      'warn view-property-mappings: the token may not view property mappings',
      'warn view-bindings: the token may not view bindings',
    ]);
    const advice = viewing.document.checks.find(({ name }) => name === 'view-users');
    expect(advice).toMatchObject({
      advice: expect.stringMatching(
        /^Plans do not show which users are there\. Give .* view users/,
      ) as string,
    });
  });

  test('is not asked about with --contract-only', async () => {
    expect(checksIn(await doctored('everything', {}, { contractOnly: true }))).toEqual([]);
  });
});

describe('the capability `update`', () => {
  const on = { 'rollcall.yaml': 'version: 1\ncapabilities: [update]\n' };
  const checksIn = ({ document }: Doctored): string[] =>
    document.checks
      .filter(({ name }) => name.startsWith('capabilit'))
      .map(({ name, status, summary }) => `${status} ${name}: ${summary}`);

  test('that is on passes for a superuser alone: nothing tells of others', async () => {
    expect(checksIn(await doctored('everything', on))).toEqual([
      expect.stringMatching(
        /^unknown capability-update: is on; whether the token may change something shows/,
      ),
    ]);
    expect(checksIn(await doctored('everything there is', on))).toEqual([
      expect.stringMatching(/^pass capability-update: is on/),
      expect.stringMatching(/^pass capabilities: off, and the token could use: delete \(/),
    ]);
  });

  test('that is off is named to a superuser', async () => {
    expect(checksIn(await doctored('everything'))).toEqual([]);
    expect(checksIn(await doctored('everything there is'))).toEqual([
      expect.stringMatching(/^pass capabilities: off, and the token could use: update \(/),
    ]);
  });
});

describe('a right that is missing', () => {
  test.each([
    ['viewing', 'none', 'done', 'pass pass warn warn'],
    ['viewing', 'applications', 'done', 'pass pass warn pass'],
    ['viewing', 'applications and users', 'done', 'pass pass warn warn'],
    ['viewing', 'users', 'denied', 'pass pass pass fail'],
    ['adding users', 'none', 'done', 'pass warn warn pass'],
    ['adding users', 'users', 'done', 'pass pass pass pass'],
    ['adding users', 'applications', 'denied', 'pass fail fail pass'],
    ['adding users', 'broken', 'done', 'pass warn warn pass'],
    ['adding applications', 'none', 'denied', 'pass fail pass warn'],
    ['adding applications', 'users', 'denied', 'pass pass pass fail'],
    ['nothing', 'users', 'denied', 'pass pass pass fail'],
    ['nothing', 'applications', 'denied', 'pass fail fail pass'],
  ] as const)(
    'of a token for %s, where the manifests declare %s: %s',
    async (token, declared, ending, statuses) => {
      const found = await doctored(token, projects[declared]);
      expect({ ending: found.ending, statuses: found.statuses }).toEqual({ ending, statuses });
    },
  );

  test('is a warning to a person as well, and the end says so', async () => {
    const { stdout } = await doctored('viewing', {}, { output: 'text' });
    expect(stdout).toMatch(/^ {2}warn {2}create-users +the token may not create users$/m);
    expect(stdout).toContain('The service can be used, but see the warnings. Next: ');
    const well = await doctored('everything', {}, { output: 'text' });
    expect(well.stdout).toContain('\nAll is well. Next: ');
    expect(Math.max(...stdout.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(80);
  });
});

describe('what doctor asks', () => {
  const beyond = [
    'GET /api/v3/core/users/me/',
    'OPTIONS /api/v3/core/groups/',
    'POST /api/v3/core/groups/ {}',
    'OPTIONS /api/v3/providers/oauth2/',
    'POST /api/v3/providers/oauth2/ {}',
    'OPTIONS /api/v3/providers/proxy/',
    'POST /api/v3/providers/proxy/ {}',
    'OPTIONS /api/v3/outposts/instances/',
    'POST /api/v3/outposts/instances/ {}',
    'OPTIONS /api/v3/core/applications/',
    'POST /api/v3/core/applications/ {}',
    'OPTIONS /api/v3/core/users/',
    'POST /api/v3/core/users/ {}',
    'OPTIONS /api/v3/policies/bindings/',
    'GET /api/v3/admin/version/',
    'GET /api/v3/core/groups/?page_size=1',
    'GET /api/v3/providers/oauth2/?page_size=1',
    'GET /api/v3/providers/proxy/?page_size=1',
    'GET /api/v3/outposts/instances/?page_size=1',
    'GET /api/v3/core/users/?page_size=1',
    'GET /api/v3/providers/all/?page_size=1',
    'GET /api/v3/rbac/roles/?page_size=1',
    'GET /api/v3/flows/instances/?page_size=1',
    'GET /api/v3/crypto/certificatekeypairs/?page_size=1',
    'GET /api/v3/propertymappings/all/?page_size=1',
    'GET /api/v3/policies/bindings/?page_size=1',
  ];

  test('goes beyond the three operations, which it says', async () => {
    const { requests, document } = await doctored('everything');
    expect(requests.slice(1)).toEqual(beyond);
    expect(document.beyond_contract).toEqual(beyond);
    const { stdout } = await doctored('everything', {}, { output: 'text' });
    expect(stdout).toContain(
      `--contract-only would not:\n${beyond.map((request) => `  ${request}\n`).join('')}`,
    );
  });

  test('does not go beyond them with --contract-only, and reports less', async () => {
    const { requests, document, statuses, ending } = await doctored('wrong', {}, { contractOnly: true });
    expect(requests).toEqual([expect.stringMatching(/^GET \/api\/v3\/core\/applications\/[-\w]+\/$/)]);
    expect(document.beyond_contract).toEqual([]);
    expect({ ending, statuses }).toEqual({ ending: 'denied', statuses: 'fail unknown unknown unknown' });
  });

  test('creates nothing: what it posts lacks all that a record must have', async () => {
    const { requests } = await doctored('everything', projects['applications and users']);
    expect(requests.filter((request) => !/^(GET|OPTIONS) |^POST \S+ \{\}$/.test(request))).toEqual([]);
  });
});
