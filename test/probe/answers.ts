import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/json.ts';
import { kinds, type ResourceType } from '../../src/kinds/all.ts';
import { application } from '../../src/kinds/application.ts';
import { sameValue, type Kind } from '../../src/kinds/kind.ts';
import { user } from '../../src/kinds/user.ts';
import { readAnswer } from '../../src/service/answer.ts';
import type { Writing } from '../../src/service/client.ts';
import { withFormerPaths } from '../../src/service/former-paths.ts';
import { askRights } from '../../src/service/kind-rights.ts';
import type { Transport } from '../../src/service/transport.ts';
import { whoAmI } from '../../src/service/who-am-i.ts';
import { expected, fail, pass, skip, type Row, type Verdict } from './row.ts';
import type { Session } from './session.ts';

const required: Readonly<Partial<Record<ResourceType, JsonObject>>> = {
  application: { name: 'rollcall probe' },
  user: { name: 'rollcall probe' },
};

/** The fields of something that the probe creates. */
function entry(
  session: Session,
  { type, identity }: Kind<ResourceType>,
  of: string,
  more: JsonObject = {},
): JsonObject {
  return { [identity]: session.name(of), ...required[type], ...more };
}

/** Whether it was created, and what was sent came back. */
function createdAs(writing: Writing, kind: Kind<ResourceType>, fields: JsonObject): Verdict {
  if (writing.proof !== 'created') return expected(writing.proof, 'created');
  const { held } = writing;
  const others = Object.entries(fields).filter(
    ([field, value]) => !sameValue(kind, field, value, held.fields[field] ?? null),
  );
  return others.length === 0
    ? pass
    : fail(`came back otherwise: ${others.map(([field]) => field).join(', ')}`);
}

/** The fields that a 400 complains of. */
function complaints(body: JsonObject | undefined): string {
  return Object.keys(body ?? {})
    .toSorted()
    .join(' ');
}

const full: Readonly<Partial<Record<ResourceType, JsonObject>>> = {
  group: { is_superuser: false, attributes: { probe: { deep: [1, 'two', null] } }, roles: [] },
  application: {
    open_in_new_tab: true,
    meta_launch_url: 'https://probe.invalid/%(username)s',
    meta_description: 'made by npm run probe',
    meta_publisher: 'rollcall',
    policy_engine_mode: 'all',
    group: 'rollcall probe',
    provider: null,
    backchannel_providers: [],
  },
  user: {
    is_active: false,
    last_login: '2024-05-01T10:00:00+02:00',
    groups: [],
    email: 'probe@example.com',
    attributes: { probe: { deep: [1, 'two', null] } },
    path: 'rollcall/probe',
    type: 'external',
  },
};

function rowsOf(kind: Kind<ResourceType>): Row[] {
  const { type, identity, path, words } = kind;
  const rows: (Row | false)[] = [
    {
      name: `${words.one} that is created comes back as declared`,
      ask: async (session) => {
        const fields = entry(session, kind, 'full', full[type]);
        return createdAs(await session.create(kind, fields), kind, fields);
      },
    },
    {
      name: `${words.one} is looked up by its ${identity}`,
      ask: async (session) =>
        expected((await session.client.read(kind, session.name('full'))).proof, 'exists'),
    },
    {
      name: `${words.one} that nobody has is absent`,
      ask: async (session) =>
        expected((await session.client.read(kind, session.name('none'))).proof, 'absent'),
    },
    kind.listing.isUnique && {
      name: `a ${identity} that is taken is refused with that key alone`,
      ask: async (session) => {
        const { status, body } = await session.ask('POST', path, entry(session, kind, 'full'));
        return status === 403
          ? expected(403, 400)
          : expected(`${status} ${complaints(body)}`, `400 ${identity}`);
      },
    },
    {
      name: `the ${identity} of ${words.one} that differs in case is another`,
      ask: async (session) =>
        expected((await session.create(kind, entry(session, kind, 'Full'))).proof, 'created'),
    },
    identity !== 'name' && {
      name: `${words.one} without a name is refused, with that key alone`,
      ask: async (session) => {
        const { status, body } = await session.ask('POST', path, { [identity]: session.name('nameless') });
        return status === 403 ? expected(403, 400) : expected(`${status} ${complaints(body)}`, '400 name');
      },
    },
    {
      name: `a POST of {} to create ${words.one} is refused, and names what is missing`,
      ask: async (session) => {
        const { status, body } = await session.ask('POST', path, {});
        const missing = [...new Set([identity, 'name'])].toSorted().join(' ');
        return status === 403
          ? expected(403, 400)
          : expected(`${status} ${complaints(body)}`, `400 ${missing}`);
      },
    },
    {
      name: `a field of ${words.one} that nobody knows is ignored`,
      ask: async (session) => {
        const fields = entry(session, kind, 'colour');
        return createdAs(await session.create(kind, { ...fields, rollcall_probe: 'x' }), kind, fields);
      },
    },
    identity !== 'name' && {
      name: `blanks around the texts of ${words.one} are dropped`,
      ask: async (session) => {
        const fields = entry(session, kind, 'blanks');
        return createdAs(await session.create(kind, { ...fields, name: ' rollcall probe\n' }), kind, fields);
      },
    },
    {
      name: `a body that is no JSON is refused when ${words.one} is created`,
      ask: async (session) => {
        const { exchange, status } = await session.askText('POST', path, '{');
        return status === 403
          ? expected(403, 400)
          : expected(readAnswer(exchange, kind, '').kind, 'fields_refused');
      },
    },
    {
      name: `a wrong token may not create ${words.one}`,
      ask: async (session) => {
        const name = session.name('wrong-token');
        const fields = { name: 'x', [identity]: name };
        const { exchange } = await session.post(kind, fields, 'rollcall-probe-wrong');
        return readAnswer(exchange, kind, name).kind === 'denied' ? pass : fail('it is not denied');
      },
    },
  ];
  return rows.filter((row) => row !== false);
}

/** What the table of answers and the reading of answers rest on. */
export const answers: readonly Row[] = [
  {
    name: 'the service says which release it is',
    ask: async ({ release }) => (release ? pass : skip('GET /api/v3/admin/version/ does not say')),
  },
  // Providers need flows, and have rows of their own; outposts need providers, and certificates a certificate.
  ...kinds.flatMap((kind) =>
    kind.sort || kind.type === 'outpost' || kind.type === 'certificate' ? [] : rowsOf(kind),
  ),
  {
    name: 'a path that the API does not have is no "not found" of a record',
    ask: async (session) => {
      const { exchange } = await session.ask('GET', '/api/v3/core/rollcall-probe/');
      return expected(readAnswer(exchange, application, '').kind, 'no_such_route');
    },
  },
  {
    name: 'a slug that is taken beside another fault is refused for both',
    ask: async (session) => {
      const { status, body } = await session.ask('POST', application.path, {
        slug: session.name('full'),
        name: '',
      });
      return status === 403 ? expected(403, 400) : expected(`${status} ${complaints(body)}`, '400 name slug');
    },
  },
  {
    name: 'a crash inside a create answers 405 without JSON',
    ask: async (session) => {
      const name = session.name('crash');
      const fields = { username: name, name: 'x', attributes: { nul: 'a\u0000b' } };
      const { exchange, status } = await session.post(user, fields);
      return status === 403 ? expected(403, 405) : expected(readAnswer(exchange, user, name).kind, 'crash');
    },
  },
  {
    name: 'the service tells whose the token is, and what it may create',
    ask: async (session) => {
      const send: Transport = async ({ method, path, body }) =>
        (await session.askText(method, path, body)).exchange;
      const { finding } = await whoAmI(send);
      const { rights } = await askRights(kinds, withFormerPaths(send));
      const isTold = [...rights.values()].every(({ create }) => create !== 'unknown');
      return isTold ? expected(finding.kind, 'valid') : fail('OPTIONS does not tell what it may create');
    },
  },
  {
    name: 'a wrong token is refused everywhere',
    ask: async (session) => {
      for (const path of [application.lookUp.path('x'), '/api/v3/core/users/me/', '/api/v3/root/config/']) {
        const { status } = await session.ask('GET', path, undefined, 'rollcall-probe-wrong');
        if (status !== 401 && status !== 403) return fail(`GET ${path} answered ${status}`);
      }
      return pass;
    },
  },
  {
    name: 'without a token, the configuration is told and nothing else',
    ask: async (session) => {
      const { status: me } = await session.ask('GET', '/api/v3/core/users/me/', undefined, null);
      const { status } = await session.ask('GET', '/api/v3/root/config/', undefined, null);
      return expected(`${me} ${status}`, '403 200');
    },
  },
  {
    name: 'a filter that nobody knows is ignored: all users come back',
    ask: async (session) => {
      const { status, body } = await session.ask('GET', `${user.path}?rollcall_probe=x&page_size=1`);
      if (status === 403) return expected(403, 200);
      return countIn(body) > 0 ? pass : fail('no user came back');
    },
  },
  {
    name: 'an empty filter is none: all users come back',
    ask: async (session) => {
      const { status, body } = await session.ask('GET', `${user.path}?username=&page_size=1`);
      if (status === 403) return expected(403, 200);
      return countIn(body) > 0 ? pass : fail('no user came back');
    },
  },
  {
    name: 'a page beyond the end of a list is a 404 of JSON',
    ask: async (session) => {
      const { status, exchange } = await session.ask('GET', `${user.path}?page=1000000`);
      return status === 403 ? expected(403, 404) : expected(readAnswer(exchange, user, '').kind, 'not_found');
    },
  },
  {
    name: 'no group and no provider has a name that nobody gave',
    ask: async (session) => {
      const name = session.name('none');
      for (const path of [`/api/v3/core/groups/?name=${name}`, `/api/v3/providers/all/?search=${name}`]) {
        const { status, body } = await session.ask('GET', path);
        if (status !== 200) return expected(status, 200);
        if (countIn(body) !== 0) return fail(`${path} found ${countIn(body)}`);
      }
      return pass;
    },
  },
  {
    name: 'a change of one field of an application leaves the others',
    ask: async (session) => {
      const path = application.lookUp.path(session.name('full'));
      const { status, body } = await session.ask('PATCH', path, {
        meta_description: 'changed',
        rollcall_probe: 1,
      });
      if (status !== 200) return expected(status, 200);
      const publisher = full.application?.['meta_publisher'];
      return body?.['meta_description'] === 'changed' && body['meta_publisher'] === publisher
        ? pass
        : fail('another field changed, or this one did not');
    },
  },
  {
    name: 'a change of the attributes of a user replaces them whole',
    ask: async (session) => {
      const { body: list } = await session.ask('GET', user.lookUp.path(session.name('full')));
      const pk = firstIn(list)?.['pk'];
      if (typeof pk !== 'number') return skip('the token may not look users up');
      const { status, body } = await session.ask('PATCH', `${user.path}${pk}/`, { attributes: { other: 1 } });
      if (status !== 200) return expected(status, 200);
      return expected(JSON.stringify(body?.['attributes']), '{"other":1}');
    },
  },
  {
    name: 'what is deleted is absent, and its slug is free',
    ask: async (session) => {
      const path = application.lookUp.path(session.name('colour'));
      const { status } = await session.ask('DELETE', path);
      if (status !== 204) return expected(status, 204);
      const { proof } = await session.client.read(application, session.name('colour'));
      if (proof !== 'absent') return expected(proof, 'absent');
      const fields = entry(session, application, 'colour');
      return createdAs(await session.create(application, fields), application, fields);
    },
  },
];

function countIn(body: JsonObject | undefined): number {
  const pagination = body?.['pagination'];
  const count = isJsonObject(pagination) ? pagination['count'] : undefined;
  return typeof count === 'number' ? count : Number.NaN;
}

function firstIn(body: JsonObject | undefined): JsonObject | undefined {
  const results: JsonValue = body?.['results'] ?? null;
  const [first] = Array.isArray(results) ? (results as readonly JsonValue[]) : [];
  return isJsonObject(first) ? first : undefined;
}
