import { textOf, type JsonObject, type JsonValue } from '../../src/base/json.ts';
import type { Diagnostic } from '../../src/base/diagnostic.ts';
import { kindOf, type ResourceType } from '../../src/kinds/all.ts';
import { application } from '../../src/kinds/application.ts';
import { user } from '../../src/kinds/user.ts';
import type { Kind } from '../../src/kinds/kind.ts';
import { inRange, type Release } from '../../src/kinds/release.ts';
import { loadManifests } from '../../src/manifest/load-manifests.ts';
import { memoryFiles } from '../support/memory-files.ts';
import { expectEqual, fail, pass, skip, type Row, type Verdict } from './row.ts';
import { prefix, type Session } from './session.ts';

/** What rollcall says about a value before it is sent: the release accepts it, refuses it, or rollcall cannot tell. */
async function foreseen(
  { list, identity }: Kind<ResourceType>,
  fields: JsonObject,
  release: Release | undefined,
): Promise<'refused' | 'taken' | 'unknown'> {
  const manifest = { version: 1, [list]: [{ [identity]: 'probe', name: 'x', ...fields }] };
  const { diagnostics } = await loadManifests(['m.yaml'], {
    files: memoryFiles({ 'm.yaml': JSON.stringify(manifest) }),
    ...(release && { release }),
  });
  const found = diagnostics.filter((diagnostic) => foretells(diagnostic));
  if (found.length === 0) return 'taken';
  return found.every(({ code, severity }) => mayBe(code, severity, release)) ? 'unknown' : 'refused';
}

/** Other warnings are about likely mistakes. The service does not refuse those. */
function foretells({ code, severity }: Diagnostic): boolean {
  return severity === 'error' || code === 'likely-refused' || code === 'not-in-release';
}

function mayBe(code: Diagnostic['code'], severity: string, release: Release | undefined): boolean {
  // If the patch version of the service is known too, a warning means that the value is accepted without effect.
  const isWarning = code === 'not-in-release' && severity === 'warning';
  return (isWarning && release?.patch === undefined) || (code === 'invalid-length' && !release);
}

/** Asks whether the service accepts a value. The request has no name, so that no record is created. */
async function asked(
  session: Session,
  { path, identity }: Kind<ResourceType>,
  fields: JsonObject,
): Promise<'refused' | 'taken' | Verdict> {
  const [field = ''] = Object.keys(fields);
  const { status, body } = await session.ask('POST', path, { [identity]: session.name('ask'), ...fields });
  if (status === 403) return skip('the token may not create this');
  if (status !== 400 || body === undefined || !('name' in body))
    return fail(`expected a 400 for the missing name, but it was ${status}`);
  return field in body ? 'refused' : 'taken';
}

function rule(
  type: ResourceType,
  name: string,
  field: string,
  value: JsonValue | ((session: Session) => JsonValue),
): Row {
  const kind = kindOf(type);
  return {
    name: `${type}: ${name}`,
    ask: async (session) => {
      const fields = { [field]: typeof value === 'function' ? value(session) : value };
      const said = await foreseen(kind, fields, session.release);
      const answer = await asked(session, kind, fields);
      if (typeof answer !== 'string') return answer;
      if (said === 'unknown')
        return skip(`it depends on the release, which is unknown; here it is ${answer}`);
      return expectEqual(answer, said);
    },
  };
}

/** A slug that may exist already, so that a refusal would prove nothing. */
function reserved(slug: string): Row {
  const row = rule('application', `the slug ${slug}`, 'slug', slug);
  return {
    ...row,
    ask: async (session) =>
      (await session.client.read({ kind: application, name: slug })).proof === 'exists'
        ? skip('an application has it')
        : row.ask(session),
  };
}

const longSlug =
  (length: number) =>
  (session: Session): string =>
    session.name('a').padEnd(length, 'a');

const launchUrls = [
  '',
  'http://probe.invalid/',
  'https://probe.invalid/',
  'ftp://probe.invalid/',
  'ftps://probe.invalid/',
  'blank://blank',
  'ssh://probe.invalid',
  'sftp://probe.invalid',
  'javascript://probe.invalid',
  'ldap://probe.invalid',
  'https://intranet/',
  'https://probe.invalid:8443/',
  'https://probe.invalid:9/',
  'https://probe.invalid:123456/',
  'https://%(username)s.probe.invalid/',
  'https://probe.invalid/%(username)s',
  'https://-probe.invalid/',
  'https://probe_invalid/',
  `https://probe.invalid/${'a'.repeat(2048 - 'https://probe.invalid/'.length)}`,
  `https://probe.invalid/${'a'.repeat(2049 - 'https://probe.invalid/'.length)}`,
];

const values: readonly Row[] = [
  rule('application', 'a slug of 50 characters', 'slug', longSlug(50)),
  rule('application', 'a slug of 51 characters', 'slug', longSlug(51)),
  rule('application', 'a slug of 300 characters', 'slug', longSlug(300)),
  rule('application', 'a slug with a dot', 'slug', `${prefix}a.b`),
  rule('application', 'a slug with a space', 'slug', `${prefix}a b`),
  rule('application', 'an empty slug', 'slug', ''),
  ...['authorize', 'token', 'device', 'userinfo', 'introspect', 'revoke', 'Token'].map((slug) =>
    reserved(slug),
  ),
  ...launchUrls.map((url) =>
    rule(
      'application',
      `the launch URL ${JSON.stringify(url.slice(0, 40))} of ${url.length}`,
      'meta_launch_url',
      url,
    ),
  ),
  rule('application', 'a policy mode that does not exist', 'policy_engine_mode', 'some'),
  rule('user', 'a username of 150 characters', 'username', (session) => session.name('a').padEnd(150, 'a')),
  rule('user', 'a username of 151 characters', 'username', (session) => session.name('a').padEnd(151, 'a')),
  rule('user', 'an empty username', 'username', ''),
  ...['', 'probe@example.com', 'probe@localhost', 'probe', 'probe@', 'a b@example.com'].map((email) =>
    rule('user', `the e-mail address ${JSON.stringify(email)}`, 'email', email),
  ),
  ...['rollcall/probe', '/rollcall', 'rollcall/', 'rollcall//probe', ''].map((path) =>
    rule('user', `the path ${JSON.stringify(path)}`, 'path', path),
  ),
  ...['internal', 'external', 'service_account', 'internal_service_account', 'other'].map((type) =>
    rule('user', `the type ${type}`, 'type', type),
  ),
  ...[
    '2024-05-01T10:00:00Z',
    '2024-05-01T10:00:00+02:00',
    '2024-05-01 10:00',
    '2024-05-01T10:00:00z',
    '2024-05-01T10:00:60Z',
  ].map((time) => rule('user', `the time ${time}`, 'last_login', time)),
  rule('user', 'a list as attributes', 'attributes', []),
];

const templates: readonly Row[] = ['username', 'name', 'email', 'uuid', 'id', 'pk', 'uid', 'rollcall'].map(
  (name) => ({
    name: `application: %(${name})s in a launch URL`,
    ask: async (session) => {
      const url = `https://probe.invalid/%(${name})s`;
      const said =
        name === 'rollcall'
          ? 'refused'
          : await foreseen(application, { meta_launch_url: url }, session.release);
      const slug = session.name(`template-${name}`);
      const { status, body } = await session.post(application, { slug, name: 'x', meta_launch_url: url });
      if (status !== 201) return expectEqual(status, 201);
      const isFilled = body?.['launch_url'] !== url;
      if (said === 'unknown')
        return skip(
          `it depends on the release, which is unknown; here it is ${isFilled ? 'filled' : 'left'}`,
        );
      return expectEqual(isFilled ? 'filled' : 'left', said === 'taken' ? 'filled' : 'left');
    },
  }),
);

/** API paths that would also be the look-up of an application with that slug. */
const lists: readonly Row[] = ['requestable'].map((slug) => ({
  name: `application: whether the path of the slug ${slug} is a list`,
  ask: async (session) => {
    const said = await foreseen(application, { slug }, session.release);
    const { status, body } = await session.ask('GET', application.lookUp.path(slug));
    const isList = status === 200 && body !== undefined && 'pagination' in body;
    if (!isList && status !== 200 && status !== 404) return expectEqual(status, 200);
    if (said === 'unknown')
      return skip(`it depends on the release, which is unknown; here it is ${isList ? 'a list' : 'none'}`);
    return expectEqual(isList ? 'a list' : 'none', said === 'refused' ? 'a list' : 'none');
  },
}));

const attributesPath = '/api/v3/core/object_attributes/';

/** A pattern for an attribute that no user has, so that it requires nothing of other users. */
const demands: readonly Row[] = [
  {
    name: 'user: an attribute that does not follow its pattern is refused as attributes_KEY, from 2026.8 on',
    ask: async (session) => {
      const key = session.name('key');
      const demand = { object_type: 'authentik_core.user', key, label: key, type: 'text', regex: '^x$' };
      const { status, body } = await session.ask('POST', attributesPath, demand);
      const has = inRange({ from: '2026.8' }, session.release);
      if (status === 404 || status === 405) return has === true ? fail('the path does not exist') : pass;
      if (status !== 201) return expectEqual(status, 201);
      try {
        const fields = { username: session.name('demanded'), name: 'x', attributes: { [key]: 'y' } };
        const refused = await session.post(user, fields);
        return expectEqual(
          `${refused.status} ${Object.keys(refused.body ?? {}).join(' ')}`,
          `400 attributes_${key}`,
        );
      } finally {
        await session.ask('DELETE', `${attributesPath}${textOf(body?.['pk'])}/`);
      }
    },
  },
];

/** The assumptions behind rollcall's rules. Each is asked in the form of the release. */
export const rules: readonly Row[] = [...values, ...templates, ...lists, ...demands];
