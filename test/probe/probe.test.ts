import { describe, expect, test } from 'vitest';
import { isJsonObject, parseJson, textOf, type JsonObject } from '../../src/base/json.ts';
import { sandboxToken, seedSandbox } from '../../src/sandbox/seed.ts';
import { sandboxReleases, type SandboxRelease } from '../../src/sandbox/release.ts';
import type { Exchange } from '../../src/service/transport.ts';
import { probeService, type Probed } from './probe.ts';
import { prefix, type ProbeRequest, type Send } from './session.ts';
import { toSandbox } from './to-sandbox.ts';

type Deviation = (
  exchange: Exchange & { kind: 'answered' },
  request: ProbeRequest,
  body: JsonObject,
) => Exchange;

interface Told extends Probed {
  /** Every request, in order. */
  readonly requests: readonly ProbeRequest[];
  readonly failed: readonly string[];
  readonly skipped: readonly string[];
}

const unchanged: Deviation = (exchange) => exchange;

interface Circumstances {
  readonly ownToken?: string;
  readonly signal?: AbortSignal;
  /** The release that the sandbox is. */
  readonly release?: SandboxRelease;
}

/** Probes a sandbox, whose answers may be made to deviate. */
async function probed(
  deviation = unchanged,
  { ownToken = sandboxToken, signal, release }: Circumstances = {},
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
  const found = await probeService(send, 'run1', signal && { signal });
  const rowsThat = (kind: string): string[] =>
    found.results.flatMap(({ row, verdict }) => (verdict.kind === kind ? [row] : []));
  return { ...found, requests, failed: rowsThat('fail'), skipped: rowsThat('skip') };
}

test.each(sandboxReleases)('a sandbox of release %s answers all as rollcall expects', async (release) => {
  const { failed, skipped, left, results } = await probed(unchanged, { release });
  expect({ failed, skipped, left }).toEqual({ failed: [], skipped: [], left: [] });
  expect(results.length).toBeGreaterThan(90);
});

test('no two questions have one name', async () => {
  const { results } = await probed();
  expect(new Set(results.map(({ row }) => row)).size).toBe(results.length);
});

test('what is created, changed and deleted has the name of the probe, and nothing is left of it', async () => {
  let there = 0;
  const { requests } = await probed((exchange, { method, path, body = '' }, record) => {
    // What is bound goes with what it is bound to.
    if (path.includes('/bindings/')) return exchange;
    if (method === 'POST' && exchange.status === 201) {
      there += 1;
      expect(textOf(record['slug'] ?? record['username'] ?? record['key'] ?? record['name'])).toMatch(
        new RegExp(`^${prefix}run1-`),
      );
      expect(body).toContain(prefix);
    }
    if (method === 'DELETE' && exchange.status === 204) there -= 1;
    return exchange;
  });
  expect(there).toBe(0);
  const paths = requests
    .filter(({ method }) => method === 'DELETE' || method === 'PATCH')
    .map(({ path }) => path);
  expect(
    paths.filter(
      (path) =>
        !path.includes(prefix) &&
        !/\/(?:(?:users|providers\/(?:oauth2|proxy))\/\d+|(?:groups|roles|object_attributes|bindings)\/[-\da-f]{36})\/$/.test(
          path,
        ),
    ),
  ).toEqual([]);
});

test('a token without rights is kept apart from a service that deviates', async () => {
  const { failed, skipped, left } = await probed(unchanged, { ownToken: 'weak' });
  expect(failed).toEqual([]);
  expect(skipped.length).toBeGreaterThan(80);
  expect(left).toEqual([]);
});

test('an interruption ends it, and what was created is deleted all the same', async () => {
  const interruption = new AbortController();
  const { results, requests, left } = await probed(
    (exchange) => {
      if (exchange.status === 201) interruption.abort();
      return exchange;
    },
    { signal: interruption.signal },
  );
  expect(results.length).toBeLessThan(5);
  expect(requests.at(-1)).toMatchObject({ method: 'DELETE' });
  expect(left).toEqual([]);
});

test('what could not be deleted is reported', async () => {
  const { left } = await probed((exchange, { method }) =>
    method === 'DELETE' ? { ...exchange, status: 403, body: '{"detail":"no"}' } : exchange,
  );
  expect(left).toEqual(
    expect.arrayContaining(['application rollcall-probe-run1-full', 'user rollcall-probe-run1-full']),
  );
});

describe('a service that deviates is reported by the row that rests on it', () => {
  const isCreate = ({ method, path }: ProbeRequest, list: string): boolean =>
    method === 'POST' && path.endsWith(`/${list}/`);
  const answering = (exchange: Exchange & { kind: 'answered' }, status: number, body: unknown): Exchange => ({
    ...exchange,
    status,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

  test.each<[what: string, row: RegExp, Deviation, release?: SandboxRelease]>([
    [
      'takes a slug of 51 characters',
      /a slug of 51 characters$/,
      (exchange, request, body) => {
        return isCreate(request, 'applications') && /"slug":"[^"]{51}"/.test(request.body ?? '')
          ? answering(exchange, 400, { name: body['name'] })
          : exchange;
      },
    ],
    [
      'reserves slugs',
      /the slug token$/,
      (exchange, request, body) =>
        request.body?.includes('"token"')
          ? answering(exchange, 400, { ...body, slug: ['reserved'] })
          : exchange,
    ],
    [
      'has no such scheme',
      /launch URL "ftps:/,
      (exchange, request, body) =>
        request.body?.includes('ftps:')
          ? answering(exchange, 400, { ...body, meta_launch_url: ['Enter a valid URL.'] })
          : exchange,
    ],
    [
      'takes any scheme',
      /launch URL "javascript:/,
      (exchange, request, body) =>
        request.body?.includes('javascript:') ? answering(exchange, 400, { name: body['name'] }) : exchange,
    ],
    [
      'keeps an icon before its time',
      /the field meta_icon/,
      (exchange, request, body) =>
        request.body?.includes('fa-circle')
          ? answering(exchange, 201, { ...body, meta_icon: 'fa://fa-circle' })
          : exchange,
    ],
    [
      'drops a field',
      /an application that is created comes back as declared/,
      (exchange, _, body) =>
        exchange.status === 201 && 'slug' in body
          ? answering(exchange, 201, { ...body, meta_publisher: '' })
          : exchange,
    ],
    [
      'names a second key where a slug is taken',
      /a slug that is taken is refused with that key alone/,
      (exchange, _, body) =>
        exchange.status === 400 && 'slug' in body && !('name' in body)
          ? answering(exchange, 400, { ...body, name: ['x'] })
          : exchange,
    ],
    [
      'answers 409 where a username is taken',
      /a username that is taken is refused/,
      (exchange, request, body) =>
        isCreate(request, 'users') && 'username' in body && exchange.status === 400
          ? answering(exchange, 409, body)
          : exchange,
    ],
    [
      'answers a page for what is not there',
      /an application that nobody has is absent/,
      (exchange) => (exchange.status === 404 ? answering(exchange, 404, '<!DOCTYPE html>') : exchange),
    ],
    [
      'answers JSON where there is no such path',
      /is no "not found" of a record/,
      (exchange) => (exchange.status === 404 ? answering(exchange, 404, { detail: 'Not found.' }) : exchange),
    ],
    [
      'answers 500 where it crashes',
      /a crash inside a create/,
      (exchange) => (exchange.status === 405 ? answering(exchange, 500, '') : exchange),
    ],
    [
      'lets a wrong token in',
      /a wrong token is refused everywhere/,
      (exchange, { path, token }) =>
        path.endsWith('/config/') && token !== undefined ? answering(exchange, 200, {}) : exchange,
    ],
    [
      'refuses an unknown filter',
      /a filter that nobody knows is ignored/,
      (exchange, { path }) =>
        path.includes('rollcall_probe=')
          ? answering(exchange, 200, { pagination: { count: 0 }, results: [] })
          : exchange,
    ],
    [
      'ignores the filter by name',
      /a user is looked up by its username/,
      (exchange, { path }, body) =>
        path.includes('username=rollcall')
          ? answering(exchange, 200, {
              ...body,
              pagination: { count: 2 },
              results: [
                { pk: 1, username: 'a' },
                { pk: 2, username: 'b' },
              ],
            })
          : exchange,
    ],
    [
      'resets what was not changed',
      /leaves the others/,
      (exchange, { method }, body) =>
        method === 'PATCH' ? answering(exchange, 200, { ...body, meta_publisher: '' }) : exchange,
    ],
    [
      'merges attributes',
      /replaces them whole/,
      (exchange, { method, path }, body) =>
        method === 'PATCH' && path.includes('/users/')
          ? answering(exchange, 200, { ...body, attributes: { probe: {}, other: 1 } })
          : exchange,
    ],
    [
      'keeps blanks',
      /blanks around the texts of a user/,
      (exchange, request, body) =>
        isCreate(request, 'users') && exchange.status === 201 && request.body?.includes('\\n')
          ? answering(exchange, 201, { ...body, name: ' rollcall probe\n' })
          : exchange,
    ],
    [
      'takes an e-mail address of any form',
      /the e-mail address "probe"/,
      (exchange, request, body) =>
        request.body?.includes('"email":"probe"')
          ? answering(exchange, 400, { name: body['name'] })
          : exchange,
    ],
    [
      'fills an unknown template in',
      /%\(rollcall\)s/,
      (exchange, request, body) =>
        request.body?.includes('%(rollcall)s')
          ? answering(exchange, 201, { ...body, launch_url: 'https://probe.invalid/x' })
          : exchange,
    ],
    [
      'drops icons',
      /the field meta_icon/,
      (exchange, request, body) =>
        request.body?.includes('fa-circle') ? answering(exchange, 201, { ...body, meta_icon: '' }) : exchange,
      '2025.12',
    ],
    [
      'knows no roles',
      /the field roles/,
      (exchange, request, body) =>
        request.body?.includes('"roles"')
          ? answering(exchange, 201, { ...body, roles: undefined })
          : exchange,
      '2026.2',
    ],
    [
      'refuses ssh',
      /launch URL "ssh:/,
      (exchange, request, body) =>
        request.body?.includes('ssh:')
          ? answering(exchange, 400, { ...body, meta_launch_url: ['Enter a valid URL.'] })
          : exchange,
      '2026.2',
    ],
    [
      'takes a slug that is reserved',
      /the slug revoke$/,
      (exchange, request, body) =>
        request.body?.includes('"revoke"') ? answering(exchange, 400, { name: body['name'] }) : exchange,
      '2025.12',
    ],
    [
      'fills in what it no longer knows',
      /%\(id\)s/,
      (exchange, request, body) =>
        request.body?.includes('%(id)s')
          ? answering(exchange, 201, { ...body, launch_url: 'https://probe.invalid/7' })
          : exchange,
      '2025.12',
    ],
    [
      'is a later release than its answers are',
      /a slug of 51 characters$/,
      (exchange, { path }, body) =>
        path.includes('/version/')
          ? answering(exchange, 200, { ...body, version_current: '2026.2.2' })
          : exchange,
    ],
  ])('%s', async (_, row, deviation, release) => {
    const { failed } = await probed(deviation, release && { release });
    expect(failed).toContainEqual(expect.stringMatching(row));
  });
});

test('where the service does not say its release, what depends on it is skipped', async () => {
  const { failed, skipped } = await probed((exchange, { path }) =>
    path.includes('/version/') ? { ...exchange, status: 404, body: '' } : exchange,
  );
  expect(failed).toEqual([]);
  expect(skipped.join('\n')).toMatch(/a slug of 51[^]*the slug token[^]*ssh:[^]*meta_icon[^]*%\(id\)s/);
});
