import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  isJsonList,
  isJsonObject,
  parseJson,
  textOf,
  type JsonObject,
  type JsonValue,
} from '../../src/base/json.ts';
import { Sandbox } from '../../src/sandbox/sandbox.ts';
import { factsOf, hasFacts } from '../../src/kinds/facts.ts';
import { referenceOf, referredLists } from '../../src/kinds/references.ts';
import { sandboxToken, seedSandbox } from '../../src/sandbox/seed.ts';
import { readKinds, type KindExchange } from '../support/recorded-kinds.ts';
import { notAlike } from './not-alike.ts';
import { otherClient } from '../support/other-client.ts';

const token = 'admin';

/** The sandbox's ids, by the recorded ids. */
class Ids {
  readonly #ours = new Map<string, JsonValue>();

  note(theirs: JsonValue | undefined, ours: JsonValue | undefined): void {
    if (theirs !== undefined && ours !== undefined) this.#ours.set(textOf(theirs), ours);
  }

  /** Notes all ids that two answers show for the same record, under any key. */
  noteAll(theirs: JsonObject, ours: JsonObject): void {
    for (const name of [
      'pk',
      'pbm_uuid',
      'policybindingmodel_ptr_id',
      'connector_uuid',
      'token_uuid',
      'brand_uuid',
    ])
      this.note(theirs[name], ours[name]);
  }

  inPath(path: string): string {
    return path.replaceAll(/(?<=[/=])[^/=?]+(?=\/|$)/g, (part) => textOf(this.#ours.get(part) ?? part));
  }

  inBody(value: JsonValue): JsonValue {
    if (isJsonList(value)) return value.map((item) => this.inBody(item));
    if (!isJsonObject(value))
      return typeof value === 'string' && value.length === 36 ? (this.#ours.get(value) ?? value) : value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => {
        const isId = /^(?:provider|providers|user)$/.test(key) && !isJsonObject(item);
        const ids = isJsonList(item)
          ? item.map((id) => this.#ours.get(textOf(id)) ?? id)
          : this.#ours.get(textOf(item));
        return [key, (isId && ids) || this.inBody(item)];
      }),
    );
  }
}

/** Creates the records to which recorded requests refer, by their recorded ids. */
function surroundings(sandbox: Sandbox, ids: Ids): (records: readonly Base[]) => void {
  return (records) => {
    for (const [path, theirs, body] of records) {
      const made = otherClient(sandbox).create(path, ids.inBody(body) as JsonObject); // a mapped object is still an object
      if (!('record' in made)) throw new Error(`${path} ${JSON.stringify(body)}: ${JSON.stringify(made)}`);
      ids.noteAll(theirs, made.record);
    }
  };
}

type Base = readonly [path: string, theirs: JsonObject, body: JsonObject];

const flow = '99ddbff0-73a0-4b42-900d-a4439b62ed3b';
const named = (name: string): JsonObject => ({ name, slug: name, title: 'Rec' });
const first: readonly Base[] = [
  [
    '/core/users/',
    { pk: 3 },
    { username: 'akadmin', name: 'authentik Default Admin', email: 'root@example.com' },
  ],
  ['/flows/instances/', { pk: flow }, { ...named('rec-base-flow'), designation: 'authorization' }],
  [
    '/flows/instances/',
    { pk: 'c43a64d6-0a97-4bfb-a6d9-3f69e43ccb64' },
    { ...named('rec-base-invalidation'), designation: 'invalidation' },
  ],
  ['/core/applications/', { pk: '62204614-7fb3-4d32-bb55-ce4b3ba01a19' }, named('rec-base-app')],
  [
    '/endpoints/agents/connectors/',
    { connector_uuid: '3376f86a-ae4b-49e9-83b1-cd6ad1ba7cf4' },
    { name: 'rec-base-connector' },
  ],
  ['/stages/deny/', { pk: '034ff6c6-a6f3-4aea-baed-c8f8f847a481' }, { name: 'rec-base-stage' }],
  [
    '/crypto/certificatekeypairs/',
    { pk: '7c7acbd9-aac2-4349-a4f8-10e6f451b80e' },
    { name: 'rec-base-cert', certificate_data: 'rec' },
  ],
  ['/rbac/roles/', { pk: 'd53fa10f-13f4-43e4-8aa0-d3bfd8cedfa6' }, { name: 'rec-base-role' }],
  ['/core/groups/', { pk: '69054f4c-62f5-4fea-894c-6d3883f3fc77' }, { name: 'rec-base-group' }],
  [
    '/stages/prompt/prompts/',
    { pk: '9bd8eead-fe13-4221-b943-7f1faaddfbe1' },
    { name: 'rec-base-prompt', field_key: 'rec', label: 'rec', type: 'text' },
  ],
  ['/policies/dummy/', { pk: 'c30bfa16-b008-4d4a-9f31-5d11e9ce26ad' }, { name: 'rec-base-policy' }],
  [
    '/sources/plex/',
    { pk: '45db817b-69be-4942-a07c-cf19380b894e' },
    { ...named('rec-base-source'), plex_token: 'rec' },
  ],
  [
    '/providers/oauth2/',
    { pk: 1 },
    {
      name: 'rec-base-oauth2',
      authorization_flow: flow,
      invalidation_flow: 'c43a64d6-0a97-4bfb-a6d9-3f69e43ccb64',
      redirect_uris: [],
    },
  ],
  ['/providers/rac/', { pk: 2 }, { name: 'rec-base-rac', authorization_flow: flow }],
];

/** The initial records of the recording's second part. Those of the first part had been deleted before. */
const second: readonly Base[] = [
  ['/core/groups/', { pk: '4f57b3de-6c97-4136-8eec-8cc8e0f1e09f' }, { name: 'rec-base-group' }],
  [
    '/flows/instances/',
    {
      pk: 'f7ed9f2e-6d38-4838-9e06-9af4ca6c3b07',
      policybindingmodel_ptr_id: '16a5d030-f174-4d46-a2dd-536baf44aa87',
    },
    { ...named('rec-base-flow'), designation: 'authorization' },
  ],
  [
    '/flows/instances/',
    { pk: '5b67bdc7-9891-46cb-b114-d4e91c0f146d' },
    { ...named('rec-base-invalidation'), designation: 'invalidation' },
  ],
  [
    '/providers/proxy/',
    { pk: 12 },
    {
      name: 'rec-base-proxy',
      authorization_flow: 'f7ed9f2e-6d38-4838-9e06-9af4ca6c3b07',
      invalidation_flow: '5b67bdc7-9891-46cb-b114-d4e91c0f146d',
      external_host: 'https://rec.example.com/',
      mode: 'forward_single',
    },
  ],
];
const scope = (of: string, managed: string): Base => [
  '/propertymappings/provider/scope/',
  {},
  {
    name: `authentik default OAuth Mapping: ${of}`,
    scope_name: managed.replace(/.*-/, ''),
    expression: 'return {}',
    managed: `goauthentik.io/providers/${managed}`,
  },
];
const fromTheStart: readonly Base[] = [
  ['/core/brands/', {}, { domain: 'authentik-default', default: true }],
  scope("OpenID 'openid'", 'oauth2/scope-openid'),
  scope("OpenID 'email'", 'oauth2/scope-email'),
  scope("OpenID 'profile'", 'oauth2/scope-profile'),
  scope('Application Entitlements', 'oauth2/scope-entitlements'),
  scope('Proxy outpost', 'proxy/scope-proxy'),
  ['/core/groups/', {}, { name: 'authentik Admins', is_superuser: true }],
];

const secondBegins = '/core/brands/: what an empty POST demands';

const uuid = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g;
const time = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;

/** A value without ids, times and random parts. */
function comparable(value: JsonValue, key = ''): JsonValue {
  if (isJsonList(value)) {
    const items = value.map((item) => comparable(item, key));
    return items.every((item) => isJsonObject(item) && 'action' in item)
      ? items.toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)))
      : items;
  }
  if (isJsonObject(value))
    return Object.fromEntries(
      Object.entries(value)
        .filter(([name]) => name !== 'results_truncated_to')
        .map(([name, item]) => [name, comparable(item, name)]),
    );
  if (
    /^(?:pk|num_pk|uid)$/.test(key) ||
    (typeof value === 'number' && /^(?:user|provider|providers)$/.test(key))
  )
    return 'id';
  if (typeof value !== 'string') return value;
  return value
    .replace('<EXPRESSION>', '')
    .replaceAll(uuid, 'id')
    .replaceAll(time, 'time')
    .replace(/^[A-Za-z\d]{40,}$/, 'made')
    .replace(/^https?:\/\/(?:127\.0\.0\.1|localhost)[:\d]*/, 'origin');
}

interface Compared {
  readonly name: string;
  readonly theirs: string;
  readonly ours: string;
}

function replayed(): Compared[] {
  const sandbox = new Sandbox({}, '2025.12');
  const ids = new Ids();
  const add = surroundings(sandbox, ids);
  add([...fromTheStart, ...first]);
  otherClient(sandbox).change('/core/groups/', 'authentik Admins', {
    users: [otherClient(sandbox).pk('/core/users/', 'akadmin') ?? 0],
  });
  sandbox.issue({ token, username: 'akadmin', superuser: true });
  return readKinds().map((exchange) => {
    if (exchange.name === secondBegins) {
      for (const [path, , body] of first.slice(1).toReversed())
        otherClient(sandbox).delete(path, textOf(body['slug'] ?? body['name']));
      add(second);
    }
    return compared(sandbox, ids, exchange);
  });
}

function compared(
  sandbox: Sandbox,
  ids: Ids,
  { name, method, path, sent, status, answer = null }: KindExchange,
): Compared {
  const response = sandbox.handle({
    method,
    path: ids.inPath(path),
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: sent === undefined ? '' : JSON.stringify(ids.inBody(sent)),
  });
  const body = parseJson(response.body) ?? null;
  if (status === 201 && isJsonObject(answer) && isJsonObject(body)) ids.noteAll(answer, body);
  const whole = (of: JsonValue, as: number): string =>
    JSON.stringify(sorted(comparable({ status: as, body: of })));
  return { name, theirs: whole(answer, status), ours: whole(body, response.status) };
}

function sorted(value: JsonValue): JsonValue {
  if (isJsonList(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sorted(item)]),
  );
}

test('the sandbox answers like the recording of 2025.12.4 for every kind, except in the listed cases', () => {
  const all = replayed();
  const different = all.filter(({ theirs, ours }) => theirs !== ours).map(({ name }) => name);
  expect(different).toEqual(Object.keys(notAlike));
  expect([all.length, all.length - different.length]).toEqual([926, 902]);
  expect(readFileSync(new URL('../../docs/sandbox.md', import.meta.url), 'utf8')).toContain('902 of 926');
});

/** The answers of 2023.10.7 to the smallest create of a kind, to a second such create, and to an empty change. */
interface Summary {
  readonly path: `/${string}/`;
  readonly minimal: number;
  readonly createdWith: JsonObject;
  readonly again: number;
  readonly againSays?: JsonObject;
  readonly patchNothing: number;
  readonly patchNothingSays?: JsonObject | '';
}

const summaries = JSON.parse(
  readFileSync(new URL('../recordings/2023.10/kinds.json', import.meta.url), 'utf8'),
) as Summary[]; // the file has this form

/** The records that this release requires. A proxy stands for all providers. */
const before2024 = [...first.slice(1), ...second.slice(-1)].filter(
  ([path]) => path !== '/providers/oauth2/' && hasFacts(path) && factsOf('2023.10', path),
);

function makeIn(sandbox: Sandbox, path: string, body: JsonObject): JsonObject {
  const of = Object.entries(body).map(
    ([name, value]) => [name, referredIn(sandbox, path, name, value)] as const,
  );
  const made = otherClient(sandbox).create(path, Object.fromEntries(of));
  if (!('record' in made)) throw new Error(`${path} ${JSON.stringify(made)}`);
  return made.record;
}

/** The value of a field. Recorded references are replaced by records of the sandbox. */
function referredIn(sandbox: Sandbox, path: string, name: string, value: JsonValue): JsonValue {
  const facts = factsOf('2023.10', path)?.fields[name];
  const list = facts && referenceOf(path, name, facts)?.list;
  if (isJsonList(value))
    return value.map((item) => (list === undefined ? item : referredIn(sandbox, path, name, item)));
  if (list === undefined || value === null) return value;
  const of = before2024.find(([at]) =>
    at.startsWith(list === 'bindables' ? '/core/app' : referredLists[list].replace('all/', '')),
  );
  return of === undefined
    ? value
    : (otherClient(sandbox).pk(of[0], textOf(of[2]['slug'] ?? of[2]['name'])) ?? value);
}

test.each(summaries.map((summary) => [summary.path, summary] as const))(
  'the sandbox answers a duplicate create and an empty update of %s as 2023.10.7 did in a recording',
  (path, { minimal, createdWith, again, againSays, patchNothing, patchNothingSays }) => {
    const { sandbox } = seedSandbox({ is_fresh: true }, '2023.10');
    for (const [list, , body] of before2024) makeIn(sandbox, list, body);
    const fields = Object.fromEntries(
      Object.entries(createdWith).map(([name, value]) => [name, referredIn(sandbox, path, name, value)]),
    );
    const ask = (method: string, at: string, body: JsonObject): readonly [number, JsonValue] => {
      const headers = { authorization: `Bearer ${sandboxToken}`, 'content-type': 'application/json' };
      const response = sandbox.handle({ method, path: `/api/v3${at}`, headers, body: JSON.stringify(body) });
      return [response.status, parseJson(response.body) ?? null];
    };
    const [status, made] = ask('POST', path, fields);
    expect([status, made]).toEqual([minimal, expect.anything()]);
    const secondly = ask('POST', path, fields);
    expect(secondly).toEqual([again, againSays ?? expect.anything()]);
    const key =
      ['slug', 'identifier', 'pk', 'tenant_uuid'].find((name) => isJsonObject(made) && name in made) ?? '';
    const one = isJsonObject(made) ? `${path}${textOf(made[key])}/` : path;
    const patched = ask('PATCH', one, {});
    expect(patched).toEqual([patchNothing, patchNothing === 200 ? made : patchNothingSays || null]);
  },
);
