import { expect, test } from 'vitest';
import { redacting } from '../../src/service/redact.ts';
import { answered } from '../support/scripted-transport.ts';

const secret = 'tok-"SECRET"-123';
const request = { method: 'GET', path: '/' } as const;

test('a token that the other side echoes is blanked out, in whatever part of the answer', async () => {
  const echo = answered(
    403,
    { detail: `bad header: Bearer ${secret}` },
    { location: `https://x/?t=${secret}` },
  );
  expect(await redacting(async () => echo, secret)(request)).toEqual(
    answered(403, { detail: 'bad header: Bearer (sensitive)' }, { location: 'https://x/?t=(sensitive)' }),
  );
});

test('a token in an error is blanked out', async () => {
  const failing = redacting(async () => ({ kind: 'lost', error: new Error(`header ${secret}`) }), secret);
  expect(await failing(request)).toMatchObject({ error: { message: 'header (sensitive)' } });
});
