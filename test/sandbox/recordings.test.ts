import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { request } from 'undici';
import {
  isJsonList,
  isJsonObject,
  parseJson,
  textOf,
  type JsonObject,
  type JsonValue,
} from '../../src/base/json.ts';
import { rulesOf } from '../../src/sandbox/release.ts';
import { serveSandbox, type SandboxServer } from '../../src/sandbox/server.ts';
import {
  readRecordings,
  releases,
  requestBody,
  responseBody,
  type Recording,
  type RecordingFile,
  type Release,
} from '../support/recordings.ts';
import { recordedSessions, type Session } from '../support/recorded-sessions.ts';
import { isServed, notMatched } from './not-matched.ts';
import { someReleases } from '../support/effort.ts';

const sessions = someReleases(releases).flatMap((release) =>
  recordedSessions(release).map((session) => ({ release, session, files: session.files.join(', ') })),
);
const titleOf = (file: string, recording: Recording): string => `${file}: ${recording.name}`;
const servedIn = (release: Release, files: readonly RecordingFile[]): (readonly [string, Recording])[] =>
  files.flatMap((file) =>
    readRecordings(release, file)
      .filter(isServed)
      .map((recording) => [titleOf(file, recording), recording] as const),
  );

describe.each(sessions)('the sandbox answers as release $release did in the recordings $files', (given) => {
  const { release, session } = given;
  let server: SandboxServer;
  beforeAll(async () => {
    server = await serveSandbox(session.sandbox, { port: 0, latencyMs: 0 });
  });
  afterAll(() => server.close());

  const all = servedIn(release, session.files);
  const ids = new Ids(session.ids);
  // Exchanges that do not match still have to leave the same records behind.
  test.each(all)('in the exchange %s', async (title, recording) => {
    session.before[title]?.();
    const answer = await served(server, recording, ids);
    if (Object.hasOwn(notMatched[release], title)) expect(answer).not.toEqual(recorded(recording));
    else expect(answer).toEqual(recorded(recording));
  });

  test('and each change by another client is made before an existing exchange', () => {
    const titles = new Set(all.map(([title]) => title));
    expect(Object.keys(session.before).filter((title) => !titles.has(title))).toEqual([]);
  });
});

describe.each(someReleases(releases))('the recordings of release %s', (release) => {
  const files = sessions.flatMap((one) => (one.release === release ? one.session.files : []));

  test('contain the exchange of each known mismatch', () => {
    const titles = new Set(servedIn(release, files).map(([title]) => title));
    expect(Object.keys(notMatched[release]).filter((title) => !titles.has(title))).toEqual([]);
  });

  test('have as many exchanges and matches as docs/sandbox.md says', () => {
    const { length } = servedIn(release, files);
    const matched = length - Object.keys(notMatched[release]).length;
    const document = readFileSync(new URL('../../docs/sandbox.md', import.meta.url), 'utf8');
    expect(document).toContain(`| ${rulesOf[release].version} | ${length} | ${matched} |`);
  });

  test('are all replayed', () => {
    const there = readdirSync(new URL(`../recordings/${release}/`, import.meta.url)).filter(
      (name) => !/^(?:kinds|way-in)/.test(name), // other tests replay these
    );
    expect(files.map((file) => `${file}.json`).toSorted()).toEqual(there.toSorted());
  });
});

interface Comparable {
  readonly status: number;
  readonly contentType: unknown;
  readonly allow: unknown;
  readonly vary: unknown;
  readonly body: unknown;
}

/** The recorded ids of groups and bindings, and the ids of the sandbox. */
class Ids {
  readonly #pairs: (readonly [theirs: string, ours: string])[];

  constructor(known: Session['ids'] = []) {
    this.#pairs = [...known];
  }

  note({ response: { status, body = null } }: Recording, answer: string): void {
    const made = status === 201 ? (parseJson(answer) ?? null) : null;
    if (!isJsonObject(body) || !isJsonObject(made) || !('num_pk' in body || 'policy' in body)) return;
    this.#pairs.push([textOf(body['pk']), textOf(made['pk'])]);
  }

  toServed(text: string): string {
    return this.#pairs.reduce((so, [theirs, ours]) => so.replaceAll(theirs, ours), text);
  }

  toRecorded(text: string): string {
    return this.#pairs.reduce((so, [theirs, ours]) => so.replaceAll(ours, theirs), text);
  }
}

async function served(server: SandboxServer, recording: Recording, ids: Ids): Promise<Comparable> {
  const sent = requestBody(recording);
  const { statusCode, headers, body } = await request(server.url + ids.toServed(recording.request.path), {
    method: recording.request.method,
    // In the recordings of permissions, the content type of a body is missing.
    headers: {
      ...('body' in recording.request && { 'content-type': 'application/json' }),
      ...recording.request.headers,
    },
    body: sent === undefined ? null : ids.toServed(sent),
  });
  const text = await body.text();
  ids.note(recording, text);
  return {
    status: statusCode,
    contentType: headers['content-type'],
    allow: headers['allow'],
    vary: 'vary' in recording.response.headers ? headers['vary'] : undefined,
    body: asLongAs(recording, comparable(ids.toRecorded(text))),
  };
}

function recorded(recording: Recording): Comparable {
  const { status, headers } = recording.response;
  return {
    status,
    contentType: headers['content-type'],
    allow: headers['allow'],
    vary: headers['vary'],
    body: comparable(responseBody(recording)),
  };
}

/** Of a long list, the recording contains only the first results and the number of all results. */
function asLongAs({ response }: Recording, answer: JsonValue): JsonValue {
  const body = response.body ?? null;
  if (!isJsonObject(body) || !isJsonList(body['results'])) return answer;
  if (!isJsonObject(answer) || !isJsonList(answer['results'])) return answer;
  const { results } = answer;
  const isCut = 'results_truncated_to' in body || response.results_in_the_answer === results.length;
  return isCut ? { ...answer, results: results.slice(0, body['results'].length) } : answer;
}

/** The fields whose values the service or its administrators choose. */
function madeUp(value: JsonObject, place: string): readonly string[] {
  if (place === 'user') return ['pk', 'uid', 'name', 'roles'];
  if (place === 'error_reporting') return ['sentry_dsn'];
  if ('slug' in value) return ['pk'];
  if ('users_obj' in value) return ['num_pk'];
  if ('client_id' in value)
    return [
      'client_secret',
      ...(/^(?:.{40}|<CLIENT_ID>)$/.test(textOf(value['client_id'])) ? ['client_id'] : []),
    ];
  return ['uid', 'uuid', 'invalidation_flow', 'date_joined', 'password_change_date', 'last_updated'];
}

/** A body without these values and without the signatures in URLs. */
function comparable(signed: string): JsonValue {
  const body = signed.replaceAll('?token=<SIGNED>', '');
  if (!body.startsWith('{')) return body;
  const left = (value: JsonValue, place: string): JsonValue => {
    if (isJsonList(value)) {
      const items = value.map((item) => left(item, place));
      // The order of these texts has no meaning.
      return place === 'system_permissions' ? items.map(String).toSorted() : items;
    }
    if (!isJsonObject(value)) return value;
    const blanked = madeUp(value, place);
    return Object.fromEntries(
      Object.entries(value)
        .filter(([field, item]) => field !== 'results_truncated_to' && !isReadOnly(item))
        .map(([field, item]) => [field, blanked.includes(field) ? 'made up' : left(item, field)]),
    );
  };
  return left(JSON.parse(body) as JsonObject, ''); // the body is an object
}

/** The answer to OPTIONS also describes fields that the service sets itself. */
function isReadOnly(described: JsonValue): boolean {
  return isJsonObject(described) && described['read_only'] === true;
}
