import { describe, expect, test } from 'vitest';
import { isJsonObject, parseJson, textOf, type JsonObject } from '../../src/base/json.ts';
import { sandboxToken, seedSandbox } from '../../src/sandbox/seed.ts';
import { sandboxReleases, type SandboxRelease } from '../../src/sandbox/release.ts';
import type { Exchange } from '../../src/service/transport.ts';
import { kinds } from '../../src/kinds/all.ts';
import { createdKinds } from '../support/written-type.ts';
import { claimsAbout } from './claims.ts';
import { allRows, claimsOf, mainRows, probeService, shownClaims, type ProbeResults } from './probe.ts';
import type { Row, Verdict } from './row.ts';
import { prefix, Session, type ProbeRequest, type Send } from './session.ts';
import { toSandbox } from './to-sandbox.ts';
import { inFull, someReleases } from '../support/effort.ts';

type Deviation = (
  exchange: Exchange & { kind: 'answered' },
  request: ProbeRequest,
  body: JsonObject,
) => Exchange;

interface Told extends ProbeResults {
  readonly requests: readonly ProbeRequest[];
  readonly failed: readonly string[];
  readonly skipped: readonly string[];
}

const unchanged: Deviation = (exchange) => exchange;

interface Circumstances {
  readonly ownToken?: string;
  readonly signal?: AbortSignal;
  readonly release?: SandboxRelease;
  readonly rows?: readonly Row[];
}

/** Probes a sandbox, some of whose answers may be changed. */
async function probed(
  deviation = unchanged,
  { ownToken = sandboxToken, signal, release, rows = inFull ? allRows : mainRows }: Circumstances = {},
): Promise<Told> {
  const { sandbox } = seedSandbox(
    {
      tokens: [
        {
          token: 'weak',
          add_applications: false,
          add_users: false,
          view_applications: 'none',
          view_users: 'none',
        },
      ],
    },
    release,
  );
  const requests: ProbeRequest[] = [];
  const ask = toSandbox(sandbox, ownToken);
  const send: Send = async (request) => {
    requests.push(request);
    const answer = await ask(request);
    const json = parseJson(answer.body);
    return deviation(answer, request, isJsonObject(json) ? json : {});
  };
  const found = await probeService(send, 'run1', { rows, ...(signal && { signal }) });
  const rowsThat = (kind: string): string[] =>
    found.results.flatMap(({ row, verdict, claim }) =>
      verdict.kind === kind && (kind === 'fail' || !claim) ? [row] : [],
    );
  return { ...found, requests, failed: rowsThat('fail'), skipped: rowsThat('skip') };
}

test.each(someReleases(sandboxReleases))(
  'a sandbox of release %s passes the whole probe',
  async (release) => {
    const { failed, skipped, notDeleted, results } = await probed(unchanged, { release, rows: allRows });
    expect({ failed, skipped, notDeleted }).toEqual({ failed: [], skipped: [], notDeleted: [] });
    expect(results.length).toBeGreaterThan(90);
  },
);

const [oldest] = sandboxReleases;

test.each<[claim: string, type: string, row: (kind: (typeof kinds)[number]) => object, why: RegExp]>([
  [
    'unique',
    '/core/groups/',
    ({ listing }) => ({ listing: { ...listing, isUnique: true } }),
    /expected 400 name, but it was 201/,
  ],
  [
    'found',
    '/rbac/roles/',
    ({ lookUp }) => ({ lookUp: { ...lookUp, path: () => '/api/v3/rbac/roles/?search=none' } }),
    /absent/,
  ],
  [
    'defaults',
    '/core/users/',
    ({ fields }) => ({ fields: { ...fields, type: { default: 'external' } } }),
    /^type: "internal"$/,
  ],
  ['sparse', '/providers/proxy/', ({ update }) => ({ update: { ...update, requiredInUpdates: [] } }), /400/],
  [
    'hidden',
    '/providers/oauth2/',
    ({ fields }) => ({ fields: { ...fields, client_secret: {} } }),
    /client_secret/,
  ],
])('the probe reports a row with a wrong claim: %s', async (claim, path, row, why) => {
  const kind = kinds.find((one) => one.path.endsWith(path)) ?? expect.fail();
  const { sandbox } = seedSandbox({}, oldest);
  const session = new Session(toSandbox(sandbox, sandboxToken), 'run1');
  await session.askRelease();
  const planted = Object.defineProperties(
    {},
    { ...Object.getOwnPropertyDescriptors(kind), ...Object.getOwnPropertyDescriptors(row(kind)) },
  );
  const verdicts = new Map<string | undefined, Verdict>();
  for (const { claim: of, ask } of claimsAbout(planted as typeof kind))
    verdicts.set(of?.claim, await ask(session));
  expect(verdicts.get(claim)).toMatchObject({ kind: 'fail', why: expect.stringMatching(why) });
  expect(verdicts.get('created')).toEqual({ kind: 'pass' });
});

test("the probe's table has a line for each kind, and one sign for each claim about that kind", async () => {
  const { results } = await probed(unchanged, { release: oldest, rows: allRows });
  const claims = claimsOf(results);
  const [head = '', ...lines] = shownClaims(claims);
  expect(head.trim().split(/ +/)).toContain('unique');
  expect(lines).toHaveLength(createdKinds.length);
  expect(lines.join('').replaceAll(/[^+!.]/g, '')).toHaveLength(claims.length);
  expect(claims).toContainEqual({ kind: '/rbac/roles/', claim: 'unique', verdict: 'holds' });
  const ofGroups = claims.find(({ kind, claim }) => kind === '/core/groups/' && claim === 'unique');
  expect(ofGroups).toMatchObject({
    verdict: 'not tried',
    why: expect.stringContaining('a second record is created'),
  });
});

test("the probe's questions have unique names", async () => {
  const { results } = await probed();
  expect(new Set(results.map(({ row }) => row)).size).toBe(results.length);
});

test("records of the probe have the probe's name, and all are deleted", async () => {
  let there = 0;
  const made = new Set<string | undefined>();
  const { requests } = await probed((exchange, { method, path, body = '' }, record) => {
    const kind = kinds.find((one) => path === one.path || path === one.formerPath?.path);
    const id = path === kind?.formerPath?.path ? kind.formerPath.id : kind?.family.id;
    if (method === 'POST' && exchange.status === 201) made.add(textOf(record[id ?? 'pk']));
    // A binding is deleted together with its target.
    if (path.includes('/bindings/')) return exchange;
    if (method === 'POST' && exchange.status === 201) {
      there += 1;
      expect(textOf(record[kind?.identity ?? ''])).toMatch(new RegExp(`^${prefix}run1-`));
      expect(body).toContain(prefix);
    }
    if (method === 'DELETE' && exchange.status === 204) there -= 1;
    return exchange;
  });
  expect(there).toBe(0);
  const paths = requests
    .filter(({ method }) => method === 'DELETE' || method === 'PATCH')
    .map(({ path }) => path);
  expect(paths.filter((path) => !path.includes(prefix) && !made.has(path.split('/').at(-2)))).toEqual([]);
});

test('the probe distinguishes a token without rights from a service that deviates', async () => {
  const { failed, skipped, notDeleted } = await probed(unchanged, { ownToken: 'weak' });
  expect(failed).toEqual([]);
  expect(skipped.length).toBeGreaterThan(50);
  expect(notDeleted).toEqual([]);
});

test('an interruption ends the probe after it has deleted its records', async () => {
  const interruption = new AbortController();
  const { results, requests, notDeleted } = await probed(
    (exchange) => {
      if (exchange.status === 201) interruption.abort();
      return exchange;
    },
    { signal: interruption.signal },
  );
  expect(results.length).toBeLessThan(5);
  expect(requests.at(-1)).toMatchObject({ method: 'DELETE' });
  expect(notDeleted).toEqual([]);
});

test('records that the probe could not delete are reported', async () => {
  const { notDeleted } = await probed((exchange, { method }) =>
    method === 'DELETE' ? { ...exchange, status: 403, body: '{"detail":"no"}' } : exchange,
  );
  expect(notDeleted).toEqual(
    expect.arrayContaining(['application rollcall-probe-run1-taken', 'user rollcall-probe-run1-attributes']),
  );
});

/** Decides whether the answer to a request is changed. */
type When = (request: ProbeRequest, exchange: Exchange & { kind: 'answered' }, body: JsonObject) => boolean;

describe('the probe reports a service that', () => {
  const sends =
    (string: string): When =>
    ({ body }) =>
      body?.includes(string) ?? false;
  const asksFor =
    (string: string): When =>
    ({ path }) =>
      path.includes(string);
  const isMissing: When = (_, { status }) => status === 404;
  /** A refusal that blames a field that rollcall does not expect. */
  const accepted = JSON.stringify({ name: ['x'] });

  test.each<[name: string, row: RegExp, When, status: number, body: object | string, SandboxRelease?]>([
    [
      'accepts a slug of 51 characters',
      /a slug of 51 characters$/,
      ({ body = '' }) => /"slug":"[^"]{51}"/.test(body),
      400,
      accepted,
    ],
    ['reserves a slug too early', /the slug token$/, sends('"token"'), 400, { slug: ['reserved'] }],
    [
      'refuses the scheme ftps',
      /launch URL "ftps:/,
      sends('ftps:'),
      400,
      { meta_launch_url: ['Enter a valid URL.'] },
    ],
    ['accepts the scheme javascript', /launch URL "javascript:/, sends('javascript:'), 400, accepted],
    [
      'stores an icon in a release that ignores icons',
      /applications: later/,
      sends('"meta_icon"'),
      200,
      { meta_icon: 'rollcall-probe' },
    ],
    [
      'names a second field for a taken slug',
      /applications: unique/,
      (_, { status }, body) => status === 400 && 'slug' in body && !('name' in body),
      400,
      { name: ['x'] },
    ],
    [
      'answers 409 for a taken username',
      /users: unique/,
      ({ method }, { status }, body) => method === 'POST' && status === 400 && 'username' in body,
      409,
      {},
    ],
    ['answers a web page for an absent record', /applications: absent/, isMissing, 404, '<!DOCTYPE html>'],
    [
      'answers JSON for a missing path',
      /differs from "not found" for a record/,
      isMissing,
      404,
      { detail: 'Not found.' },
    ],
    ['answers 500 for a crash', /a crash inside a create/, (_, { status }) => status === 405, 500, ''],
    [
      'accepts a wrong token',
      /a wrong token is refused everywhere/,
      ({ path, token }) => path.endsWith('/config/') && token !== undefined,
      200,
      {},
    ],
    [
      'refuses an unknown filter',
      /an unknown filter is ignored/,
      asksFor('rollcall_probe='),
      200,
      { pagination: { count: 0 }, results: [] },
    ],
    [
      'ignores the filter by name',
      /users: found/,
      asksFor('username=rollcall'),
      200,
      {
        pagination: { count: 2 },
        results: [
          { pk: 1, username: 'a' },
          { pk: 2, username: 'b' },
        ],
      },
    ],
    [
      'resets unsent fields in an update',
      /applications: fields/,
      ({ method, body }) => method === 'PATCH' && !body?.includes('meta_publisher'),
      200,
      { meta_publisher: '' },
    ],
    [
      'merges attributes',
      /replaces all of them/,
      ({ method, path }) => method === 'PATCH' && path.includes('/users/'),
      200,
      { attributes: { probe: {}, other: 1 } },
    ],
    [
      'keeps blanks around a string',
      /users: trimmed/,
      ({ method, body }) => method === 'PATCH' && body?.includes('\\n') === true,
      200,
      { name: ' rollcall probe\n' },
    ],
    [
      'accepts an invalid e-mail address',
      /the e-mail address "probe"/,
      sends('"email":"probe"'),
      400,
      accepted,
    ],
    [
      'replaces an unknown template field',
      /%\(rollcall\)s/,
      sends('%(rollcall)s'),
      201,
      { launch_url: 'https://probe.invalid/x' },
    ],
    ['ignores icons', /applications: fields/, sends('"meta_icon"'), 200, { meta_icon: '' }, '2025.12'],
    ['has no roles', /groups: fields/, sends('"roles"'), 200, { roles: undefined }, '2026.2'],
    [
      'refuses the scheme ssh',
      /launch URL "ssh:/,
      sends('ssh:'),
      400,
      { meta_launch_url: ['Enter a valid URL.'] },
      '2026.2',
    ],
    ['accepts a reserved slug', /the slug revoke$/, sends('"revoke"'), 400, accepted, '2025.12'],
    [
      'replaces a template field of earlier releases',
      /%\(id\)s/,
      sends('%(id)s'),
      201,
      { launch_url: 'https://probe.invalid/7' },
      '2025.12',
    ],
    [
      'reports a later release than its answers belong to',
      /a slug of 51 characters$/,
      asksFor('/version/'),
      200,
      { version_current: '2026.2.2' },
    ],
  ])('%s', async (_, row, when, status, changed, release) => {
    const { failed } = await probed(
      (exchange, request, body) =>
        when(request, exchange, body)
          ? {
              ...exchange,
              status,
              body: typeof changed === 'string' ? changed : JSON.stringify({ ...body, ...changed }),
            }
          : exchange,
      release && { release },
    );
    expect(failed).toContainEqual(expect.stringMatching(row));
  });
});

test('the probe skips questions that depend on the release if the release is unknown', async () => {
  const { failed, skipped } = await probed((exchange, { path }) =>
    path.includes('/version/') ? { ...exchange, status: 404, body: '' } : exchange,
  );
  expect(failed).toEqual([]);
  expect(skipped.join('\n')).toMatch(/a slug of 51[^]*the slug token[^]*ssh:[^]*%\(id\)s/);
});
