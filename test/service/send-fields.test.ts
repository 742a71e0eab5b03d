import { expect, test } from 'vitest';
import { parseJson } from '../../src/base/json.ts';
import { oauth2 } from '../../src/kinds/oauth2.ts';
import { createFieldSender } from '../../src/service/send-fields.ts';
import type { Exchange, HttpRequest } from '../../src/service/transport.ts';
import { answered, lost } from '../support/scripted-transport.ts';

const fields = { name: 'Grafana', redirect_uris: ['https://grafana.example.com/'] };
const request = { method: 'POST', path: oauth2.path } as const;
const noList = answered(400, { redirect_uris: ['Not a valid string.'] });
const created = answered(201, { pk: 1 });

function isList({ body = '' }: HttpRequest): boolean {
  return Array.isArray((parseJson(body) as { redirect_uris: unknown }).redirect_uris); // rollcall sends a JSON object
}

/** A service that answers only when the test lets it. */
function held(): {
  send: (sent: HttpRequest) => Promise<Exchange>;
  sent: HttpRequest[];
  answer: (index: number, exchange: Exchange) => Promise<void>;
} {
  const sent: HttpRequest[] = [];
  const open: ((exchange: Exchange) => void)[] = [];
  return {
    sent,
    send: (one) => new Promise((resolve) => void (sent.push(one), open.push(resolve))),
    answer: async (index, exchange) => {
      open[index]?.(exchange);
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

test('a request is retried in the form of earlier releases if another request has already switched to that form', async () => {
  const { send, sent, answer } = held();
  const sendFields = createFieldSender(send);
  const both = [sendFields(request, oauth2, fields), sendFields(request, oauth2, fields)];
  await answer(0, noList);
  await answer(2, created);
  await answer(1, noList);
  await answer(3, created);
  expect(await Promise.all(both)).toEqual([created, created]);
  expect(sent.map(isList)).toEqual([true, true, false, false]);
});

test.each([
  ['an unclear answer', lost],
  ['the refusal of another field', answered(400, { name: ['This field may not be blank.'] })],
])(
  '%s after the form of earlier releases is returned, and the next request uses the present form',
  async (_, given) => {
    const { send, sent, answer } = held();
    const sendFields = createFieldSender(send);
    const first = sendFields(request, oauth2, fields);
    await answer(0, noList);
    await answer(1, given);
    expect(await first).toBe(given);
    const next = sendFields(request, oauth2, fields);
    await answer(2, created);
    expect(await next).toBe(created);
    expect(sent.map(isList)).toEqual([true, false, true]);
  },
);

test('a field that is refused in its present and in its earlier form is reported with the first refusal', async () => {
  const { send, answer } = held();
  const refused = createFieldSender(send)(request, oauth2, fields);
  const said = answered(400, { redirect_uris: { url: ['Too long.'] } });
  await answer(0, said);
  await answer(1, noList);
  expect(await refused).toBe(said);
});

test('a refusal of another field causes no retry in the form of earlier releases', async () => {
  const { send, sent, answer } = held();
  const refused = createFieldSender(send)(request, oauth2, fields);
  await answer(0, answered(400, { name: ['Taken.'] }));
  await refused;
  expect(sent).toHaveLength(1);
});
