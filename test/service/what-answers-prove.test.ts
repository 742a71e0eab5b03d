import { describe, expect, test } from 'vitest';
import { readAnswer, type AnswerKind } from '../../src/service/answer.ts';
import type { Exchange } from '../../src/service/transport.ts';
import { proofOf, type ReadProof, type WriteProof } from '../../src/service/what-answers-prove.ts';

/** What an answer means for GET application, POST application, POST user. */
type Meaning = readonly [ReadProof, WriteProof, WriteProof];

const slug = 'wiki';
const same = { pk: '1', slug, username: slug };

function answered(status: number, body: unknown, headers: Record<string, string> = {}): Exchange {
  return { kind: 'answered', status, headers, body: typeof body === 'string' ? body : JSON.stringify(body) };
}

const html = '<!DOCTYPE html><title>Not Found</title>';
const noSuccess: Meaning = ['nothing', 'ambiguous', 'ambiguous'];

const rows: readonly (readonly [string, Exchange, Meaning])[] = [
  ['200 with the same identity', answered(200, same), ['exists', 'ambiguous', 'ambiguous']],
  ['201 with the same identity', answered(201, same), ['nothing', 'created', 'created']],
  ['200 with another identity', answered(200, { ...same, slug: 'Wiki', username: 'Wiki' }), noSuccess],
  ['201 with another identity', answered(201, { ...same, slug: 'Wiki', username: 'Wiki' }), noSuccess],
  ['200 without a pk', answered(200, { slug, username: slug }), noSuccess],
  ['201 without a pk', answered(201, { slug, username: slug }), noSuccess],
  ['200 with HTML', answered(200, html), noSuccess],
  ['201 with HTML', answered(201, html), noSuccess],
  ['200 with a list', answered(200, [same]), noSuccess],
  ['202', answered(202, same), noSuccess],
  ['204', answered(204, ''), noSuccess],
  ['301', answered(301, '', { location: 'https://elsewhere.example/' }), ['fault', 'ambiguous', 'ambiguous']],
  ['307', answered(307, '', { location: 'https://elsewhere.example/' }), ['fault', 'ambiguous', 'ambiguous']],
  ['400 of the slug alone', answered(400, { slug: ['x'] }), ['fault', 'taken', 'rejected']],
  [
    '400 of the slug alone, with a code',
    answered(400, { slug: ['x'], code: 'unique' }),
    ['fault', 'taken', 'rejected'],
  ],
  ['400 of the username alone', answered(400, { username: ['x'] }), ['fault', 'rejected', 'exists']],
  [
    '400 of the slug and more',
    answered(400, { slug: ['x'], name: ['x'] }),
    ['fault', 'rejected', 'rejected'],
  ],
  [
    '400 of the username and more',
    answered(400, { username: ['x'], email: ['x'] }),
    ['fault', 'rejected', 'rejected'],
  ],
  ['400 of no field', answered(400, { non_field_errors: ['x'] }), ['fault', 'rejected', 'rejected']],
  ['400 with HTML', answered(400, html), ['fault', 'ambiguous', 'ambiguous']],
  ['401', answered(401, { detail: 'x' }), ['denied', 'denied', 'denied']],
  ['403', answered(403, { detail: 'x' }), ['denied', 'denied', 'denied']],
  ['403 with HTML', answered(403, html), ['denied', 'denied', 'denied']],
  ['404 with a detail', answered(404, { detail: 'Not found.' }), ['absent', 'fault', 'fault']],
  ['410 with a detail', answered(410, { detail: 'Gone.' }), ['absent', 'fault', 'fault']],
  ['404 with HTML', answered(404, html), ['fault', 'fault', 'fault']],
  ["404 with a gateway's JSON", answered(404, { message: 'no Route matched' }), ['fault', 'fault', 'fault']],
  ['404 without a body', answered(404, ''), ['fault', 'fault', 'fault']],
  ['405 without a body', answered(405, ''), ['fault', 'ambiguous', 'ambiguous']],
  ['405 with JSON', answered(405, { detail: 'x' }), ['fault', 'rejected', 'rejected']],
  ...[406, 411, 413, 414, 415, 422, 431].map(
    (status) => [`${status}`, answered(status, html), ['fault', 'rejected', 'rejected']] as const,
  ),
  ['409', answered(409, { detail: 'x' }), ['fault', 'taken', 'unknown']],
  ...[408, 500, 502, 504, 520, 599].map(
    (status) => [`${status}`, answered(status, html), ['nothing', 'ambiguous', 'ambiguous']] as const,
  ),
  ['503', answered(503, html), ['nothing', 'ambiguous', 'ambiguous']],
  ...[421, 425, 429].map(
    (status) => [`${status}`, answered(status, html), ['nothing', 'not_applied', 'not_applied']] as const,
  ),
  ['an unlisted status', answered(418, html), ['fault', 'ambiguous', 'ambiguous']],
  [
    'never sent, and it may pass',
    { kind: 'never_sent', error: new Error('refused'), transient: true },
    ['nothing', 'not_applied', 'not_applied'],
  ],
  [
    'never sent, and it will not pass',
    { kind: 'never_sent', error: new Error('no such host'), transient: false },
    ['fault', 'fault', 'fault'],
  ],
  ['sent and lost', { kind: 'lost', error: new Error('reset') }, ['nothing', 'ambiguous', 'ambiguous']],
];

describe('what an answer proves', () => {
  test.each(rows)('%s', (_name, exchange, [get, postApplication, postUser]) => {
    const kindFor = (operation: 'retrieveApplication' | 'createApplication' | 'createUser'): AnswerKind =>
      readAnswer(exchange, operation, slug).kind;
    expect(proofOf(kindFor('retrieveApplication'), 'retrieveApplication'), 'GET application').toBe(get);
    expect(proofOf(kindFor('createApplication'), 'createApplication'), 'POST application').toBe(
      postApplication,
    );
    expect(proofOf(kindFor('createUser'), 'createUser'), 'POST user').toBe(postUser);
  });

  test('does not change with the wording of the service', () => {
    const english = answered(400, { slug: ['Application with this slug already exists.'] });
    const french = answered(400, { slug: ['Un objet avec ce slug existe déjà.'] });
    expect(readAnswer(french, 'createApplication', slug).kind).toBe(
      readAnswer(english, 'createApplication', slug).kind,
    );
  });

  test('keeps the request id, the Retry-After and the origin of a redirect', () => {
    const headers = {
      'x-authentik-id': 'abc',
      'retry-after': '5',
      location: 'https://elsewhere.example/x?token=1',
    };
    expect(readAnswer(answered(302, '', headers), 'retrieveApplication', slug)).toEqual({
      kind: 'redirect',
      status: 302,
      requestId: 'abc',
      retryAfter: '5',
      redirectOrigin: 'https://elsewhere.example',
    });
  });
});
