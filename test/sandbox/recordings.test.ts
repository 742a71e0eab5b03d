import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { request } from 'undici';
import { isJsonList, isJsonObject, type JsonObject, type JsonValue } from '../../src/base/json.ts';
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
import { recordedSessions } from '../support/recorded-sessions.ts';
import { differences, isServed, notMatched } from './not-matched.ts';

const sessions = releases.flatMap((release) =>
  recordedSessions(release).map((session) => ({ release, session, files: session.files.join(', ') })),
);
const titleOf = (file: string, recording: Recording): string => `${file}: ${recording.name}`;
const servedIn = (release: Release, files: readonly RecordingFile[]): (readonly [string, Recording])[] =>
  files.flatMap((file) =>
    readRecordings(release, file)
      .filter((recording) => isServed(release, recording))
      .map((recording) => [titleOf(file, recording), recording] as const),
  );

describe.each(sessions)('the sandbox answers as release $release was recorded to answer: $files', (given) => {
  const { release, session } = given;
  let server: SandboxServer;
  beforeAll(async () => {
    server = await serveSandbox(session.sandbox, { port: 0, latencyMs: 0 });
  });
  afterAll(() => server.close());

  const all = servedIn(release, session.files);
  const isMatched = ([title]: (typeof all)[number]): boolean => !Object.hasOwn(notMatched[release], title);

  test.each(all.filter(isMatched))('%s', async (title, recording) => {
    session.before[title]?.();
    expect(await served(server, recording, release)).toEqual(recorded(recording, release));
  });

  // These come last: what they leave behind is not what the service had.
  test.each(all.filter((exchange) => !isMatched(exchange)))('not %s', async (title, recording) => {
    session.before[title]?.();
    expect(await served(server, recording, release)).not.toEqual(recorded(recording, release));
  });

  test('what somebody else does is done before an exchange that was recorded', () => {
    const titles = new Set(all.map(([title]) => title));
    expect(Object.keys(session.before).filter((title) => !titles.has(title))).toEqual([]);
  });
});

describe.each(releases)('of release %s', (release) => {
  const files = recordedSessions(release).flatMap((session) => session.files);

  test('what the sandbox does not match is an exchange that was recorded', () => {
    const titles = new Set(servedIn(release, files).map(([title]) => title));
    expect(Object.keys(notMatched[release]).filter((title) => !titles.has(title))).toEqual([]);
  });

  test('every file is replayed', () => {
    const there = readdirSync(new URL(`../recordings/${release}/`, import.meta.url));
    expect(files.map((file) => `${file}.json`).toSorted()).toEqual(there.toSorted());
  });
});

describe.each(['2025.12', '2026.2'] as const)('what release %s says differently', (release) => {
  const files = recordedSessions(release).flatMap((session) => session.files);
  const bodies = servedIn(release, files)
    .map(([, recording]) => responseBody(recording))
    .join('\n')
    .replaceAll('\\"', '"');

  test.each(differences[release].fields.map((field) => [field]))('the field %s is in an answer', (field) => {
    expect(bodies).toContain(`"${field}":`);
  });

  test.each(differences[release].gone.map((field) => [field]))('the field %s is in no answer', (field) => {
    expect(bodies).not.toContain(`"${field}":`);
  });

  test.each(differences[release].texts)('%s is in an answer', (newer) => {
    expect(bodies).toContain(newer);
  });
});

interface Comparable {
  readonly status: number;
  readonly contentType: unknown;
  readonly allow: unknown;
  readonly body: unknown;
}

async function served(server: SandboxServer, recording: Recording, release: Release): Promise<Comparable> {
  const { statusCode, headers, body } = await request(server.url + recording.request.path, {
    method: recording.request.method,
    // In the recordings of permissions the content type of a body goes without saying.
    headers: {
      ...('body' in recording.request && { 'content-type': 'application/json' }),
      ...recording.request.headers,
    },
    body: requestBody(recording) ?? null,
  });
  return {
    status: statusCode,
    contentType: headers['content-type'],
    allow: headers['allow'],
    body: asLongAs(recording, comparable(await body.text(), release)),
  };
}

function recorded(recording: Recording, release: Release): Comparable {
  const { status, headers } = recording.response;
  const contentType = headers['content-type'];
  return {
    status,
    contentType: contentType === differences[release].json ? 'application/json' : contentType,
    allow: headers['allow'],
    body: comparable(responseBody(recording), release),
  };
}

/** Of a long list the recording holds the first results alone, and how many there were. */
function asLongAs({ response }: Recording, answer: JsonValue): JsonValue {
  const body = response.body ?? null;
  if (!isJsonObject(body) || !isJsonList(body['results'])) return answer;
  if (!isJsonObject(answer) || !isJsonList(answer['results'])) return answer;
  const { results } = answer;
  const isCut = 'results_truncated_to' in body || response.results_in_the_answer === results.length;
  return isCut ? { ...answer, results: results.slice(0, body['results'].length) } : answer;
}

/** What the service or its administrators make up: of who asks, of the configuration, of an application, of a user. */
function madeUp(value: JsonObject, place: string): readonly string[] {
  if (place === 'user') return ['pk', 'uid', 'name'];
  if (place === 'error_reporting') return ['sentry_dsn'];
  return 'slug' in value ? ['pk'] : ['uid', 'uuid', 'results_truncated_to'];
}

/** A body without what is made up, and without what the releases are known to say differently. */
function comparable(body: string, release: Release): JsonValue {
  if (!body.startsWith('{')) return body;
  const { fields, gone, texts } = differences[release];
  const inOlderWords = texts.reduce(
    (words, [newer, older]) => words.replaceAll(inJson(newer), inJson(older)),
    body,
  );
  const parsed = JSON.parse(inOlderWords) as JsonObject; // it begins as one
  const left = (value: JsonValue, place: string): JsonValue => {
    if (isJsonList(value)) {
      const items = value.map((item) => left(item, place));
      // A set of texts.
      return place === 'system_permissions' ? items.map(String).toSorted() : items;
    }
    if (!isJsonObject(value)) return value;
    const out = new Set<string>([...fields, ...gone, ...madeUp(value, place)]);
    return Object.fromEntries(
      Object.entries(value)
        .filter(([field, item]) => !out.has(field) && !isReadOnly(item))
        .map(([field, item]) => [field, left(item, field)]),
    );
  };
  return left(parsed, '');
}

/** To who asks what it may create with, the service describes the fields that it sets itself, too. */
function isReadOnly(described: JsonValue): boolean {
  return isJsonObject(described) && described['read_only'] === true;
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
