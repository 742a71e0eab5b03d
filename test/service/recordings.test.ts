import nock from 'nock';
import { documentedClient } from '../support/documented-client.ts';
import { getGlobalDispatcher } from 'undici';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { application } from '../../src/kinds/application.ts';
import { user } from '../../src/kinds/user.ts';
import { isJsonObject, parseJson, textOf } from '../../src/base/json.ts';
import type { Client, LookUpResult, CreateResult } from '../../src/service/client.ts';
import type { ResourceType } from '../../src/kinds/all.ts';
import { undiciTransport } from '../../src/service/undici-transport.ts';
import type { ReadProof, WriteProof } from '../../src/service/what-answers-prove.ts';
import {
  readRecordings,
  releases,
  responseBody,
  type Recording,
  type Release,
} from '../support/recordings.ts';

const origin = 'https://id.example.com';

type Proof = ReadProof | WriteProof;

/** The expected result for each recorded answer. A recording without an entry here fails the test. */
const expected: Readonly<Record<string, Readonly<Record<string, Proof | Partial<Record<Release, Proof>>>>>> =
  {
    'create-application': {
      minimal: 'created',
      'every field': 'created',
      'strings are trimmed': 'created',
      'slug differs only in case': 'created',
      'launch URL template': 'created',
      'launch URL template in the host': 'created',
      'launch URL template of an unknown key': 'created',
      'launch URL template of id': 'created',
      'launch URL with a stray percent': 'created',
      'ftp launch URL': 'created',
      'duplicate slug': 'taken',
      'missing required fields': 'taken_or_rejected',
      'blank name and slug': 'taken_or_rejected',
      // A slug that passes the local checks never gets these refusals.
      'slug too long': { '2023.10': 'taken', '2025.12': 'created', '2026.2': 'created' },
      'slug with bad characters': 'taken',
      'slug of 300 characters': 'created',
      'reserved slug': 'taken',
      'reserved slug in upper case': 'created',
      'unknown provider': 'rejected',
      'provider already in use': 'rejected',
      'provider of the wrong type': 'rejected',
      'provider as a text of digits': 'created',
      'provider beyond 32 bits': 'rejected',
      'provider beyond 64 bits': 'rejected',
      'unknown backchannel provider': 'rejected',
      'backchannel provider taken from another': 'created',
      'bad policy engine mode': 'rejected',
      'bad launch URL': 'rejected',
      'null where not allowed': 'rejected',
      'with an icon': 'created',
      'with an icon of the service': 'created',
      'with a bad icon': 'rejected',
      'unknown and read-only fields are ignored': 'created',
      'several fields at fault': 'taken_or_rejected',
      'a NUL in the name': 'rejected',
      'a NUL in the description': 'rejected',
      'a lone surrogate in the description': 'rejected',
      'malformed JSON': 'rejected',
      'an array for a body': 'rejected',
      'wrong content type': 'rejected',
      'no token': 'denied',
      'bad token': 'denied',
      'no trailing slash': 'ambiguous',
      'two at once, the one': { '2025.12': 'taken', '2026.2': 'created' },
      'two at once, the other': { '2025.12': 'created', '2026.2': 'ambiguous' },
    },
    'create-user': {
      minimal: 'created',
      'every field': 'created',
      'service account': 'created',
      'any characters in the username': 'created',
      'username differs only in case': 'created',
      'duplicate username': 'exists',
      'duplicate username and bad email': 'rejected',
      'missing required fields': 'rejected',
      // A username that passes the local checks never gets these two answers.
      'blank username': 'exists',
      'username too long': 'exists',
      'bad email': 'rejected',
      'unknown group': 'rejected',
      'malformed group id': 'rejected',
      'path with slashes at the ends': 'rejected',
      'path with an empty segment': 'rejected',
      'internal service account': 'rejected',
      'unknown type': 'rejected',
      'attributes not an object': 'rejected',
      'bad last_login': 'rejected',
      'with a role': 'created',
      'with an unknown role': 'rejected',
      'a NUL in the attributes': 'ambiguous',
      'a lone surrogate in the attributes': 'rejected',
      'an integer beyond 64 bits in the attributes': 'created',
      'a number beyond double in the attributes': 'rejected',
      'the same key twice in the attributes': 'created',
      'no token': 'denied',
      'bad token': 'denied',
    },
    'retrieve-application': {
      'found, minimal': 'exists',
      'found, every field': 'exists',
      'found, trimmed': 'exists',
      'whose backchannel provider was taken': 'exists',
      'not found': 'absent',
      'no token': 'denied',
      'bad token': 'denied',
      'a scheme other than Bearer': 'denied',
      'slug that no route matches': 'fault',
      'no trailing slash': 'fault',
      'wrong base path': 'fault',
    },
  };

/** The rights of each token in the recordings of permissions. */
const rights: Readonly<Record<string, { view: 'all' | 'one' | 'none'; add: readonly ResourceType[] }>> = {
  'no permission': { view: 'none', add: [] },
  'may view one application': { view: 'one', add: [] },
  'may only add': { view: 'none', add: ['application'] },
  'may only add applications': { view: 'none', add: ['application'] },
  'may view and add applications, and add users': { view: 'all', add: ['application', 'user'] },
  'may also view users, groups and providers': { view: 'all', add: ['application', 'user'] },
  'may change and delete as well': { view: 'all', add: ['application', 'user'] },
  anonymous: { view: 'none', add: [] },
  'bad token': { view: 'none', add: [] },
};

/** What an answer in these recordings proves if the token has the right, and which right that is. */
const whatWith: Readonly<Record<string, readonly [of: ResourceType | 'that' | 'other', proof: Proof]>> = {
  'an application that exists': ['other', 'exists'],
  'another that exists': ['other', 'exists'],
  'the application that one may view': ['that', 'exists'],
  'that one': ['that', 'exists'],
  'an application that does not exist': ['other', 'absent'],
  'one that does not exist': ['other', 'absent'],
  'retrieve what it created': ['other', 'exists'],
  'create an application': ['application', 'created'],
  'create an application whose slug is taken': ['application', 'taken'],
  'create an application that is invalid': ['application', 'taken'], // the slug is invalid
  'create a user': ['user', 'created'],
  'create a user in a group': ['user', 'created'],
  'create a user whose username is taken': ['user', 'exists'],
};

function expectedOf(release: Release, file: string, name: string): Proof | undefined {
  const [who = '', exchange = ''] = name.split(': ');
  const right = rights[who];
  if (file === 'permissions' && right) {
    const [of, proof] = whatWith[exchange] ?? [];
    if (of === 'application' || of === 'user') return right.add.includes(of) ? proof : 'denied';
    if (right.view === 'none') return 'denied';
    return right.view === 'one' && of === 'other' ? 'absent' : proof;
  }
  const proof = expected[file]?.[name];
  return typeof proof === 'object' ? proof[release] : proof;
}

/** The exchanges of the three documented operations. The recordings contain others too. */
function recordingsOf(release: Release): (readonly [title: string, file: string, recording: Recording])[] {
  return (['create-application', 'create-user', 'retrieve-application', 'permissions'] as const).flatMap(
    (file) =>
      readRecordings(release, file)
        .filter(({ request: { method, path } }) =>
          method === 'GET' ? /core\/applications\/?[^?]+$/.test(path) : method === 'POST',
        )
        .map((recording) => [`${file}: ${recording.name}`, file, recording] as const),
  );
}

describe.each(releases)('the client reads answers of release %s by the table of answers', (release) => {
  beforeAll(() => nock.disableNetConnect());
  afterEach(() => nock.cleanAll());

  test.each(recordingsOf(release))('in the recording %s', async (_, file, recording) => {
    const { proof } = await replay(recording);
    expect(proof).toBe(expectedOf(release, file, recording.name));
  });
});

test('each expected answer has a recording', () => {
  const names = new Set(
    releases.flatMap((release) => recordingsOf(release).map(([, file, { name }]) => `${file} ${name}`)),
  );
  const expectations = Object.entries(expected).flatMap(([file, answers]) =>
    Object.keys(answers).map((name) => `${file} ${name}`),
  );
  expect(expectations.filter((name) => !names.has(name))).toEqual([]);
});

describe('the client sends what the contract requires', () => {
  test.each(
    releases
      .flatMap((release) => recordingsOf(release))
      .filter(
        ([, , { request, response }]) =>
          isJsonObject(request.body) &&
          response.status === 201 &&
          request.headers['accept'] &&
          request.headers['authorization'] === 'Bearer <ACCESS_TOKEN>',
      )
      .map(([title, , recording]) => [title, recording] as const),
  )('as recorded: %s', async (_name, { request, response }) => {
    const sent = nock(origin, { reqheaders: request.headers })
      .post(request.path, (body) => JSON.stringify(body) === JSON.stringify(request.body))
      .reply(response.status, JSON.stringify(response.body), response.headers);
    const answer = await drive(request);
    expect(answer.proof).toBe('created');
    sent.done();
  });

  test('in the headers of a GET: accept, accept-language and authorization, and no content type', async () => {
    const reqheaders = { accept: 'application/json', 'accept-language': 'en' };
    const sent = nock(origin, { badheaders: ['content-type'], reqheaders })
      .get('/api/v3/core/applications/wiki/')
      .matchHeader('authorization', 'Bearer <ACCESS_TOKEN>')
      .reply(404, { detail: 'Not found.' });
    expect(await client().read({ kind: application, name: 'wiki' })).toMatchObject({ proof: 'absent' });
    sent.done();
  });
});

function client(): Client {
  const transport = undiciTransport({
    baseUrl: origin,
    authorization: 'Bearer <ACCESS_TOKEN>',
    timeoutMs: 60_000,
    dispatcher: getGlobalDispatcher(), // nock replaces it when it is loaded
  });
  return documentedClient(transport.send);
}

/** Runs the client's operation of a recording. Every request gets the recorded answer. */
function replay(recording: Recording): Promise<LookUpResult | CreateResult> {
  const { request, response } = recording;
  const path =
    request.method === 'POST'
      ? request.path.replace(/\/?$/, '/')
      : `/api/v3/core/applications/${slugOf(request)}/`;
  nock(origin)
    .intercept(path, request.method)
    .reply(response.status, responseBody(recording), response.headers);
  return drive(request);
}

function drive(request: Recording['request']): Promise<LookUpResult | CreateResult> {
  if (request.method === 'GET') return client().read({ kind: application, name: slugOf(request) });
  const body = request.body ?? parseJson(request.raw ?? '');
  const fields = isJsonObject(body) ? body : {};
  const kind = request.path.startsWith(user.path) ? user : application;
  return client().create(kind, textOf(fields[kind.identity]), fields);
}

function slugOf({ path }: Recording['request']): string {
  return path.replace(/\/$/, '').split('/').at(-1) ?? '';
}
