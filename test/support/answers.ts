import type { Exchange } from '../../src/service/transport.ts';
import type { ReadProof, WriteProof } from '../../src/service/what-answers-prove.ts';
import { answered, lost, refused } from './scripted-transport.ts';

/** An answer of the service, and what it means for a look-up of an application, for a create, and for the rest of the run. */
export interface AnswerRow {
  readonly name: string;
  readonly exchange: Exchange;
  readonly get: ReadProof;
  readonly postApplication: WriteProof;
  readonly postUser: WriteProof;
  /** Whether this answer makes all requests wait: always, or only if it has a `Retry-After` header. */
  readonly waits?: 'always' | 'if told';
  /** Whether rollcall stops looking up applications after this answer to a GET. */
  readonly endsReading?: true;
  /** What stops after this answer to a POST: the whole run, or all creates of the type. */
  readonly ends?: 'run' | 'type';
}

/** The name in the answers: an application's slug or a user's username. */
export const identity = 'wiki';

const same = { pk: '1', slug: identity, username: identity };
const other = { pk: '1', slug: 'Wiki', username: 'Wiki' };
const anonymous = { slug: identity, username: identity };
const html = '<!DOCTYPE html><title>Not Found</title>';
const elsewhere = { location: 'https://elsewhere.example/' };

type Meaning = Omit<AnswerRow, 'name' | 'exchange'>;

const doubt: Meaning = { get: 'nothing', postApplication: 'ambiguous', postUser: 'ambiguous' };
const unexplained: Meaning = { ...doubt, get: 'fault' };
const elsewhereAnswered: Meaning = { ...unexplained, endsReading: true, ends: 'run' };
const rejected: Meaning = { get: 'fault', postApplication: 'rejected', postUser: 'rejected' };
const denied: Meaning = {
  get: 'denied',
  postApplication: 'denied',
  postUser: 'denied',
  endsReading: true,
  ends: 'type',
};
const readOnly: Meaning = {
  get: 'fault',
  postApplication: 'read_only',
  postUser: 'read_only',
  endsReading: true,
  ends: 'type',
};
const absent: Meaning = { get: 'absent', postApplication: 'fault', postUser: 'fault', ends: 'run' };
const wrongPlace: Meaning = { ...absent, get: 'fault' };
const notActedUpon: Meaning = { get: 'nothing', postApplication: 'not_applied', postUser: 'not_applied' };
const slugRefused: Meaning = { ...rejected, postApplication: 'taken' };

export const answerRows: readonly AnswerRow[] = [
  row('200 with the same identity', answered(200, same), { ...doubt, get: 'exists' }),
  row('201 with the same identity', answered(201, same), {
    get: 'nothing',
    postApplication: 'created',
    postUser: 'created',
  }),
  row('201 with the same identity and a number for a pk', answered(201, { ...same, pk: 0 }), {
    get: 'nothing',
    postApplication: 'created',
    postUser: 'created',
  }),
  row('200 with another identity', answered(200, other), doubt),
  row('201 with another identity', answered(201, other), doubt),
  row('200 without a pk', answered(200, anonymous), doubt),
  row('201 without a pk', answered(201, anonymous), {
    get: 'nothing',
    postApplication: 'created',
    postUser: 'created',
  }),
  row('201 with an empty pk', answered(201, { ...same, pk: '' }), doubt),
  row('201 with null for a pk', answered(201, { ...same, pk: null }), doubt),
  row('200 with HTML', answered(200, html), doubt),
  row('201 with HTML', answered(201, html), doubt),
  row('200 with a list', answered(200, [same]), doubt),
  row('201 with a list', answered(201, [same]), doubt),
  row('202 with the same identity', answered(202, same), doubt),
  row('202 with HTML', answered(202, html), doubt),
  row('204', answered(204), doubt),
  row('299 with the same identity', answered(299, same), doubt),
  ...[300, 301, 302, 303, 307, 308, 399].map((status) =>
    row(`${status}`, answered(status, '', elsewhere), elsewhereAnswered),
  ),
  row('304', answered(304), unexplained),
  row('302 to nowhere', answered(302), elsewhereAnswered),
  row('302 with the same identity', answered(302, same, elsewhere), elsewhereAnswered),
  row('400 of the slug alone', answered(400, { slug: ['x'] }), slugRefused),
  row('400 of the slug alone, with a code', answered(400, { slug: ['x'], code: 'unique' }), slugRefused),
  row('400 of the username alone', answered(400, { username: ['x'] }), { ...rejected, postUser: 'exists' }),
  row('400 of the username alone, with a code', answered(400, { code: 'unique', username: ['x'] }), {
    ...rejected,
    postUser: 'exists',
  }),
  row(
    '400 with the code of a read-only licence',
    answered(400, { detail: 'x', code: 'denied_license' }),
    readOnly,
  ),
  row(
    '400 of the slug alone, with the code of a read-only licence',
    answered(400, { slug: ['x'], code: 'denied_license' }),
    readOnly,
  ),
  row('400 with a detail and another code', answered(400, { detail: 'x', code: 'invalid' }), rejected),
  row('400 of the slug and more', answered(400, { slug: ['x'], name: ['x'] }), {
    ...rejected,
    postApplication: 'taken_or_rejected',
  }),
  row('400 of the username and more', answered(400, { username: ['x'], email: ['x'] }), rejected),
  row('400 of another field alone', answered(400, { name: ['x'] }), rejected),
  row('400 of a code alone', answered(400, { code: 'invalid' }), rejected),
  row('400 of no field', answered(400, { non_field_errors: ['x'] }), rejected),
  row('400 with a detail', answered(400, { detail: 'JSON parse error' }), rejected),
  row('400 with an empty object', answered(400, {}), rejected),
  row('400 with a list', answered(400, ['x']), rejected),
  row('400 with HTML', answered(400, html), unexplained),
  row('400 without a body', answered(400), unexplained),
  ...[401, 403].flatMap((status) => [
    row(`${status} with a detail`, answered(status, { detail: 'x' }), denied),
    row(`${status} with HTML`, answered(status, html), denied),
  ]),
  ...[404, 410].flatMap((status) => [
    row(`${status} with a detail`, answered(status, { detail: 'Not found.' }), absent),
    row(`${status} with a gateway's JSON`, answered(status, { message: 'no Route matched' }), wrongPlace),
    row(`${status} with a detail that is no text`, answered(status, { detail: { code: 1 } }), wrongPlace),
    row(`${status} with a list`, answered(status, ['Not found.']), wrongPlace),
    row(`${status} with HTML`, answered(status, html), wrongPlace),
    row(`${status} without a body`, answered(status), wrongPlace),
  ]),
  row('405 with JSON', answered(405, { detail: 'x' }), rejected),
  row('405 with a list', answered(405, ['x']), rejected),
  row('405 with HTML', answered(405, html), { ...unexplained, waits: 'if told' }),
  row('405 without a body', answered(405), { ...unexplained, waits: 'if told' }),
  ...[406, 411, 413, 414, 415, 422, 431].flatMap((status) => [
    row(`${status} with HTML`, answered(status, html), rejected),
    row(`${status} with JSON`, answered(status, { detail: 'x' }), rejected),
  ]),
  row('409', answered(409, { detail: 'x' }), {
    get: 'fault',
    postApplication: 'taken',
    postUser: 'unknown',
  }),
  ...[408, 500, 501, 502, 504, 520, 599].map((status) =>
    row(`${status}`, answered(status, html), { ...doubt, waits: 'if told' }),
  ),
  row('503', answered(503, html), { ...doubt, waits: 'always' }),
  ...[421, 425, 429].map((status) =>
    row(`${status}`, answered(status, html), { ...notActedUpon, waits: 'always' }),
  ),
  ...[100, 199, 402, 412, 418, 451, 499].map((status) =>
    row(`${status}, which is not listed`, answered(status, html), unexplained),
  ),
  row('never sent, and it may pass', refused, notActedUpon),
  row(
    'never sent, and it will not pass',
    { kind: 'never_sent', error: new Error('no such host'), transient: false },
    { ...wrongPlace, endsReading: true },
  ),
  row('sent and lost', lost, doubt),
];

function row(name: string, exchange: Exchange, meaning: Meaning): AnswerRow {
  return { name, exchange, ...meaning };
}
