import { expect, test } from 'vitest';
import type { Answer } from '../../src/service/answer.ts';
import { unreadableReason } from '../../src/service/readable-kinds.ts';
import type { UnreadableReason } from '../../src/service/types.ts';

const closed = Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' });
const timeout = new DOMException('too late', 'TimeoutError');

test.each<[Answer, UnreadableReason]>([
  [
    { kind: 'denied', status: 403 },
    { why: 'denied', status: 403 },
  ],
  [
    { kind: 'no_such_route', status: 404 },
    { why: 'not_offered', status: 404 },
  ],
  [
    { kind: 'lost', error: closed },
    { why: 'unanswered', lost: 'closed' },
  ],
  [
    { kind: 'lost', error: timeout },
    { why: 'unanswered', lost: 'timed_out' },
  ],
  [{ kind: 'lost', error: new Error('garbage') }, { why: 'unanswered' }],
])('%j is the reason that records cannot be read: %j', (answer, reason) => {
  expect(unreadableReason({ answer })).toEqual(reason);
});
