import { isJsonObject, textOf, type JsonObject } from '../../src/base/json.ts';
import { defaultKinds } from '../../src/kinds/all.ts';
import { application } from '../../src/kinds/application.ts';
import { user } from '../../src/kinds/user.ts';
import { classifyRecordAnswer } from '../../src/service/answer.ts';
import { withFormerPaths } from '../../src/service/former-paths.ts';
import { readKindRights } from '../../src/service/kind-rights.ts';
import type { Transport } from '../../src/service/transport.ts';
import { whoAmI } from '../../src/service/who-am-i.ts';
import { expectEqual, fail, pass, skip, type Row } from './row.ts';
import type { Answered, Session } from './session.ts';

/** The fields that a 400 names. */
function complaints(body: JsonObject | undefined): string {
  return Object.keys(body ?? {})
    .toSorted()
    .join(' ');
}

/** Creates a user or an application for one question. */
async function created(session: Session, kind: typeof user, of: string): Promise<Answered> {
  return session.post(kind, { [kind.identity]: session.name(of), name: 'rollcall probe' });
}

/** What the table of answers, and the code that reads answers, assume of the service. */
export const answers: readonly Row[] = [
  {
    name: 'the service reports its release',
    ask: async ({ release }) => (release ? pass : skip('GET /api/v3/admin/version/ does not report it')),
  },
  {
    name: 'the answer for a path that the API does not have differs from "not found" for a record',
    ask: async (session) => {
      const { exchange } = await session.ask('GET', '/api/v3/core/rollcall-probe/');
      return expectEqual(classifyRecordAnswer(exchange, application, '').kind, 'no_such_route');
    },
  },
  {
    name: 'a taken slug and another fault are both reported',
    ask: async (session) => {
      await created(session, application, 'taken');
      const taken = { slug: session.name('taken'), name: '' };
      const { status, body } = await session.ask('POST', application.path, taken);
      return status === 403
        ? expectEqual(403, 400)
        : expectEqual(`${status} ${complaints(body)}`, '400 name slug');
    },
  },
  {
    name: 'a crash inside a create answers 405 without JSON',
    ask: async (session) => {
      const name = session.name('crash');
      const fields = { username: name, name: 'x', attributes: { nul: 'a\u0000b' } };
      const { exchange, status } = await session.post(user, fields);
      return status === 403
        ? expectEqual(403, 405)
        : expectEqual(classifyRecordAnswer(exchange, user, name).kind, 'crash');
    },
  },
  {
    name: "the service reports the token's user, and what the token may create",
    ask: async (session) => {
      const send: Transport = async ({ method, path, body }) =>
        (await session.askText(method, path, body)).exchange;
      const finding = await whoAmI(send);
      const rights = await readKindRights(defaultKinds, withFormerPaths(send));
      const isTold = [...rights.values()].every(({ create }) => create !== 'unknown');
      return isTold
        ? expectEqual(finding.kind, 'valid')
        : fail('OPTIONS does not report what the token may create');
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
    name: 'without a token, the service shows only its configuration',
    ask: async (session) => {
      const { status: me } = await session.ask('GET', '/api/v3/core/users/me/', undefined, null);
      const { status } = await session.ask('GET', '/api/v3/root/config/', undefined, null);
      return expectEqual(`${me} ${status}`, '403 200');
    },
  },
  {
    name: 'an unknown filter is ignored: all users are returned',
    ask: async (session) => {
      const { status, body } = await session.ask('GET', `${user.path}?rollcall_probe=x&page_size=1`);
      if (status === 403) return expectEqual(403, 200);
      return countIn(body) > 0 ? pass : fail('no user was returned');
    },
  },
  {
    name: 'an empty filter is ignored: all users are returned',
    ask: async (session) => {
      const { status, body } = await session.ask('GET', `${user.path}?username=&page_size=1`);
      if (status === 403) return expectEqual(403, 200);
      return countIn(body) > 0 ? pass : fail('no user was returned');
    },
  },
  {
    name: 'a page beyond the end of a list is a 404 with JSON',
    ask: async (session) => {
      const { status, exchange } = await session.ask('GET', `${user.path}?page=1000000`);
      return status === 403
        ? expectEqual(403, 404)
        : expectEqual(classifyRecordAnswer(exchange, user, '').kind, 'not_found');
    },
  },
  {
    name: 'no group and no provider has an unused name',
    ask: async (session) => {
      const name = session.name('none');
      for (const path of [`/api/v3/core/groups/?name=${name}`, `/api/v3/providers/all/?search=${name}`]) {
        const { status, body } = await session.ask('GET', path);
        if (status !== 200) return expectEqual(status, 200);
        if (countIn(body) !== 0) return fail(`${path} found ${countIn(body)}`);
      }
      return pass;
    },
  },
  {
    name: "a change of a user's attributes replaces all of them",
    ask: async (session) => {
      const { status: made, body: one } = await created(session, user, 'attributes');
      if (made !== 201) return expectEqual(made, 201);
      const path = user.update.path('', textOf(one?.['pk']));
      await session.ask('PATCH', path, { attributes: { probe: { deep: [1, 'two', null] } } });
      const { status, body } = await session.ask('PATCH', path, { attributes: { other: 1 } });
      if (status !== 200) return expectEqual(status, 200);
      return expectEqual(JSON.stringify(body?.['attributes']), '{"other":1}');
    },
  },
  {
    name: 'the slug of a deleted application is free',
    ask: async (session) => {
      await created(session, application, 'freed');
      const { status } = await session.ask('DELETE', application.lookUp.path(session.name('freed')));
      if (status !== 204) return expectEqual(status, 204);
      const fields = { slug: session.name('freed'), name: 'rollcall probe' };
      return expectEqual((await session.create(application, fields)).proof, 'created');
    },
  },
];

function countIn(body: JsonObject | undefined): number {
  const pagination = body?.['pagination'];
  const count = isJsonObject(pagination) ? pagination['count'] : undefined;
  return typeof count === 'number' ? count : Number.NaN;
}
