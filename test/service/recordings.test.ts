import nock from 'nock';
import { getGlobalDispatcher } from 'undici';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { isJsonObject, textOf } from '../../src/json.ts';
import { createClient, type Reading, type Writing } from '../../src/service/client.ts';
import { undiciTransport } from '../../src/service/undici-transport.ts';
import type { ReadProof, WriteProof } from '../../src/service/what-answers-prove.ts';
import { readRecordings, recordingFiles, responseBody, type Recording } from '../support/recordings.ts';

const origin = 'https://id.example.com';

/** What the client must make of each recorded answer. A recording without a line here fails the test. */
const expected: Readonly<
  Record<(typeof recordingFiles)[number], Readonly<Record<string, ReadProof | WriteProof>>>
> = {
  'create-application': {
    minimal: 'created',
    'every field': 'created',
    'strings are trimmed': 'created',
    'slug differs only in case': 'created',
    'launch URL template': 'created',
    'duplicate slug': 'taken',
    'missing required fields': 'rejected',
    'blank name and slug': 'rejected',
    'slug too long': 'taken', // no slug that passed the local checks gets this answer
    'slug with bad characters': 'taken', // likewise
    'unknown provider': 'rejected',
    'provider already in use': 'rejected',
    'provider of the wrong type': 'rejected',
    'unknown backchannel provider': 'rejected',
    'bad policy engine mode': 'rejected',
    'bad launch URL': 'rejected',
    'null where not allowed': 'rejected',
    'unknown and read-only fields are ignored': 'created',
    'several fields at fault': 'rejected',
    'malformed JSON': 'rejected',
    'an array for a body': 'rejected',
    'wrong content type': 'rejected',
    'no token': 'denied',
    'bad token': 'denied',
    'no trailing slash': 'ambiguous',
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
    'blank username': 'exists', // no username that passed the local checks gets this answer
    'username too long': 'exists', // likewise
    'bad email': 'rejected',
    'unknown group': 'rejected',
    'malformed group id': 'rejected',
    'path with slashes at the ends': 'rejected',
    'path with an empty segment': 'rejected',
    'internal service account': 'rejected',
    'unknown type': 'rejected',
    'attributes not an object': 'rejected',
    'bad last_login': 'rejected',
    'no token': 'denied',
    'bad token': 'denied',
  },
  'retrieve-application': {
    'found, minimal': 'exists',
    'found, every field': 'exists',
    'found, trimmed': 'exists',
    'not found': 'absent',
    'no token': 'denied',
    'bad token': 'denied',
    'slug that no route matches': 'fault',
    'no trailing slash': 'fault',
    'wrong base path': 'fault',
  },
  permissions: {
    'no permission: an application that exists': 'denied',
    'no permission: an application that does not exist': 'denied',
    'no permission: create an application': 'denied',
    'no permission: create an application whose slug is taken': 'denied',
    'no permission: create a user': 'denied',
    'may view one application: that one': 'exists',
    'may view one application: another that exists': 'absent',
    'may view one application: one that does not exist': 'absent',
    'may only add: create an application': 'created',
    'may only add: retrieve what it created': 'denied',
  },
};

describe('the client makes of a recorded answer what the table says', () => {
  beforeAll(() => nock.disableNetConnect());
  afterEach(() => nock.cleanAll());

  for (const file of recordingFiles) {
    for (const recording of readRecordings(file)) {
      test(`${file}: ${recording.name}`, async () => {
        const { proof } = await replay(recording);
        expect(proof).toBe(expected[file][recording.name]);
      });
    }
  }
});

describe('the client sends what the contract asks for', () => {
  test.each(
    recordingFiles
      .flatMap((file) => readRecordings(file))
      .filter(
        ({ request, response }) =>
          isJsonObject(request.body) && response.status === 201 && request.headers['accept'],
      )
      .map((recording) => [recording.name, recording] as const),
  )('%s: the recorded request, to the letter', async (_name, { request, response }) => {
    const sent = nock(origin, { reqheaders: request.headers })
      .post(request.path, (body) => JSON.stringify(body) === JSON.stringify(request.body))
      .reply(response.status, JSON.stringify(response.body), response.headers);
    const answer = await drive(request);
    expect(answer.proof).toBe('created');
    sent.done();
  });

  test('a retrieve: accept and authorization, and no content type', async () => {
    const sent = nock(origin, { badheaders: ['content-type'], reqheaders: { accept: 'application/json' } })
      .get('/api/v3/core/applications/wiki/')
      .matchHeader('authorization', 'Bearer <ACCESS_TOKEN>')
      .reply(404, { detail: 'Not found.' });
    expect(await client().retrieveApplication('wiki')).toMatchObject({ proof: 'absent' });
    sent.done();
  });
});

function client(): ReturnType<typeof createClient> {
  const transport = undiciTransport({
    baseUrl: origin,
    authorization: 'Bearer <ACCESS_TOKEN>',
    timeoutMs: 5000,
    dispatcher: getGlobalDispatcher(), // nock's own, once nock is loaded
  });
  return createClient(transport.send);
}

/** Serves the recorded answer to whatever the client asks when it is to do what was recorded. */
function replay(recording: Recording): Promise<Reading | Writing> {
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

function drive(request: Recording['request']): Promise<Reading | Writing> {
  if (request.method === 'GET') return client().retrieveApplication(slugOf(request));
  const fields = isJsonObject(request.body) ? request.body : {};
  return request.path.startsWith('/api/v3/core/users')
    ? client().createUser({ ...fields, username: textOf(fields['username']) })
    : client().createApplication({ ...fields, name: textOf(fields['name']), slug: textOf(fields['slug']) });
}

function slugOf({ path }: Recording['request']): string {
  return path.replace(/\/$/, '').split('/').at(-1) ?? '';
}
