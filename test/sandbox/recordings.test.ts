import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { request } from 'undici';
import { isJsonList, isJsonObject, type JsonObject, type JsonValue } from '../../src/base/json.ts';
import { serveSandbox, type SandboxServer } from '../../src/sandbox/server.ts';
import {
  readRecordings,
  recordingFiles,
  releases,
  requestBody,
  responseBody,
  type Recording,
  type Release,
} from '../support/recordings.ts';
import { recordedSandbox } from '../support/recorded-sandbox.ts';
import { differences, isServed, notMatched } from './not-matched.ts';

describe.each(releases)('the sandbox answers as release %s was recorded to answer', (release) => {
  let server: SandboxServer;
  beforeAll(async () => {
    server = await serveSandbox(recordedSandbox(release), { port: 0, latencyMs: 0 });
  });
  afterAll(() => server.close());

  const all = recordingFiles[release].flatMap((file) =>
    readRecordings(release, file)
      .filter(isServed)
      .map((recording) => [`${file}: ${recording.name}`, recording] as const),
  );
  const isMatched = ([name]: (typeof all)[number]): boolean => !Object.hasOwn(notMatched[release], name);

  test.each(all.filter(isMatched))('%s', async (_, recording) => {
    expect(await served(server, recording, release)).toEqual(recorded(recording, release));
  });

  // These come last: what they leave behind is not what the service had.
  test.each(all.filter((exchange) => !isMatched(exchange)))('not %s', async (_, recording) => {
    expect(await served(server, recording, release)).not.toEqual(recorded(recording, release));
  });

  test('what it does not match is an exchange that was recorded', () => {
    const names = new Set<string>(all.map(([name]) => name));
    expect(Object.keys(notMatched[release]).filter((name) => !names.has(name))).toEqual([]);
  });
});

describe.each(['2025.12', '2026.2'] as const)('what release %s says differently', (release) => {
  const bodies = recordingFiles[release]
    .flatMap((file) => readRecordings(release, file))
    .filter(isServed)
    .map(responseBody)
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
    body: comparable(await body.text(), release),
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

/** What the service or its administrators make up, by where it stands; everything else is compared to the letter. */
const madeUp: Readonly<Record<string, readonly string[]>> = {
  '': ['pk', 'uid', 'uuid'],
  user: ['pk', 'uid', 'name'],
  error_reporting: ['sentry_dsn'],
};

/** A body without what is made up, and without what the releases are known to say differently. */
function comparable(body: string, release: Release): unknown {
  if (!body.startsWith('{')) return body;
  const { fields, gone, texts } = differences[release];
  const inOlderWords = texts.reduce(
    (words, [newer, older]) => words.replaceAll(inJson(newer), inJson(older)),
    body,
  );
  const parsed = JSON.parse(inOlderWords) as JsonObject; // it begins as one
  const left = (value: JsonValue, place: string): JsonValue => {
    if (isJsonList(value)) return value.map((item) => left(item, '*'));
    if (!isJsonObject(value)) return value;
    const out = new Set<string>([...fields, ...gone, ...(madeUp[place] ?? [])]);
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
