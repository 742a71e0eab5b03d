import { describe, expect, test } from 'vitest';
import type { Exchange, HttpRequest, Transport } from '../../src/service/transport.ts';
import { whoAmI } from '../../src/service/who-am-i.ts';
import { readRecordings, responseBody, type Recording, type Release } from '../support/recordings.ts';
import { answered, lost } from '../support/scripted-transport.ts';

const me = 'GET /api/v3/core/users/me/';
const configuration = 'GET /api/v3/root/config/';
/** A transport that answers each request from its recording for this authorization. Without a recording there is no answer. */
function recordedFor(recordings: readonly Recording[], authorization: string | undefined): Transport {
  const said = new Map(
    recordings
      .filter(({ request }) => request.headers['authorization'] === authorization)
      .map((recording) => [`${recording.request.method} ${recording.request.path}`, recording] as const),
  );
  return async ({ method, path }: HttpRequest): Promise<Exchange> => {
    const recording = said.get(`${method} ${path}`);
    if (recording === undefined) return lost;
    const { status, headers } = recording.response;
    return { kind: 'answered', status, headers, body: responseBody(recording) };
  };
}

function noting(answer: Transport): { readonly send: Transport; readonly asked: string[] } {
  const asked: string[] = [];
  const send: Transport = (request) => {
    asked.push(`${request.method} ${request.path}`);
    return answer(request);
  };
  return { send, asked };
}

test("the recorded answer to a superuser's token is read as that of a superuser", async () => {
  const recordings = readRecordings('2023.10', 'who-and-which-release');
  const finding = await whoAmI(recordedFor(recordings, 'Bearer <ACCESS_TOKEN>'));
  expect(finding).toEqual({ kind: 'valid', superuser: true });
});

describe.each([
  ['2023.10', 'who-and-which-release'],
  ['2025.12', 'permissions'],
  ['2026.2', 'permissions'],
] as const)('the recorded answer of release %s', (release: Release, file) => {
  const recordings = readRecordings(release, file);

  test('to a wrong token is read as a refused token', async () => {
    const { send, asked } = noting(recordedFor(recordings, 'Bearer wrong'));
    expect(await whoAmI(send)).toEqual({ kind: 'wrong' });
    expect(asked).toEqual([me, configuration]);
  });

  test('to a missing token is read as a refused token', async () => {
    const { send, asked } = noting(recordedFor(recordings, undefined));
    expect(await whoAmI(send)).toEqual({ kind: 'missing' });
    expect(asked).toEqual([me, configuration]);
  });

  test('to a token without permissions is read as a valid token', async () => {
    const token = release === '2023.10' ? '<TOKEN:none>' : '<TOKEN_WITHOUT_PERMISSIONS>';
    const { send, asked } = noting(recordedFor(recordings, `Bearer ${token}`));
    expect(await whoAmI(send)).toMatchObject({ kind: 'valid', superuser: false });
    expect(asked).toEqual([me]);
  });
});

test('a token counts as wrong if users/me answers with 401 and another path with 403', async () => {
  const finding = await whoAmI(async ({ path }) =>
    answered(path.endsWith('/me/') ? 401 : 403, { detail: 'no' }),
  );
  expect(finding).toEqual({ kind: 'wrong' });
});

describe("the token's validity is unknown", () => {
  const denial = answered(403, { detail: 'no' });
  const page = '<!DOCTYPE html>';
  test.each([
    ['a lost answer', [lost]],
    ['a web page', [answered(200, page)]],
    ['an answer of another form', [answered(200, { name: 'x' })]],
    ['a failure', [answered(500, { detail: 'x' })]],
    ['a path that does not exist', [answered(404, { detail: 'x' })]],
    ['a refusing web page of a proxy', [answered(403, page)]],
    ['a list', [answered(403, ['no'])]],
    ['a refusal of another program', [answered(403, { message: 'no' })]],
    ['a denial, and then a web page', [denial, answered(200, page)]],
    ['a denial, and then a refusing web page', [denial, answered(403, page)]],
    ['a denial, and then no answer', [denial, lost]],
    ['a denial, and then a failure', [denial, answered(502, { detail: 'x' })]],
  ])('after %s', async (_, exchanges) => {
    const left = [...exchanges];
    const { send, asked } = noting(async () => left.shift() ?? lost);
    expect(await whoAmI(send)).toEqual({ kind: 'unknown' });
    expect(asked).toHaveLength(exchanges.length);
  });
});
