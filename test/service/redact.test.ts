import { expect, test } from 'vitest';
import { redacting, withoutSecrets } from '../../src/service/redact.ts';
import { answered } from '../support/scripted-transport.ts';

const secret = 'tok-"SECRET"-123';
const request = { method: 'GET', path: '/' } as const;

test('a token that the other side echoes is blanked out, in whatever part of the answer', async () => {
  const echo = answered(
    403,
    { detail: `bad header: Bearer ${secret}` },
    { location: `https://x/?t=${secret}` },
  );
  expect(await redacting(async () => echo, [secret])(request)).toEqual(
    answered(403, { detail: 'bad header: Bearer (sensitive)' }, { location: 'https://x/?t=(sensitive)' }),
  );
});

test('a token in an error is blanked out', async () => {
  const failing = redacting(async () => ({ kind: 'lost', error: new Error(`header ${secret}`) }), [secret]);
  expect(await failing(request)).toMatchObject({ error: { message: 'header (sensitive)' } });
});

test('the error of a timeout, whose message is read-only, passes', async () => {
  const error = new DOMException(`no answer to ${secret}`, 'TimeoutError');
  const failing = redacting(async () => ({ kind: 'lost', error }), [secret]);
  expect(await failing(request)).toMatchObject({
    error: { name: 'TimeoutError', message: 'no answer to (sensitive)' },
  });
});

test('a token in the cause of an error is blanked out', async () => {
  const error = new Error('outside', { cause: new Error(secret) });
  const failing = redacting(async () => ({ kind: 'lost', error }), [secret]);
  expect(await failing(request)).toMatchObject({ error: { cause: { message: '(sensitive)' } } });
});

test('the secrets of a manifest are blanked out of words, and the names of fields stay', () => {
  const body = { name: ['hunter2 is no name', 'nor "hunter2!"'], detail: 'fine' };
  expect(
    withoutSecrets({ kind: 'fields_refused', status: 400, body }, ['hunter2', 'hunter2!', 'name!']).body,
  ).toEqual({
    name: ['(sensitive) is no name', 'nor "(sensitive)"'],
    detail: 'fine',
  });
});

test('a secret too short to be told from other words takes the whole text with it', () => {
  const body = { name: ['no more than 150 characters', 'fine'] };
  expect(withoutSecrets({ kind: 'fields_refused', status: 400, body }, ['1']).body).toEqual({
    name: ['(sensitive)', 'fine'],
  });
});
