import { expect, test } from 'vitest';
import { abortableTransport } from '../../src/service/abortable.ts';
import type { Exchange } from '../../src/service/transport.ts';
import { answered } from '../support/scripted-transport.ts';

const request = { method: 'GET', path: '/x' } as const;

test('an aborted transport abandons requests under way, and sends no more', async () => {
  const urgent = new AbortController();
  let sent = 0;
  const send = abortableTransport(() => {
    sent += 1;
    return new Promise<Exchange>(() => {});
  }, urgent.signal);
  const underWay = [send(request), send(request)];
  urgent.abort();
  expect(await Promise.all(underWay)).toMatchObject([{ kind: 'lost' }, { kind: 'lost' }]);
  expect(await send(request)).toMatchObject({ kind: 'never_sent', transient: false });
  expect(sent).toBe(2);
});

test('an answer that arrived before the abort is kept', async () => {
  const urgent = new AbortController();
  const send = abortableTransport(async () => answered(200), urgent.signal);
  const exchange = await send(request);
  urgent.abort();
  expect(exchange).toMatchObject({ kind: 'answered', status: 200 });
});
