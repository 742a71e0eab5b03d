import { describe, expect, test } from 'vitest';
import { kinds } from '../../src/kinds/all.ts';
import { readKindRights, type KindRights } from '../../src/service/kind-rights.ts';
import type { Exchange } from '../../src/service/transport.ts';
import { answered, lost } from '../support/scripted-transport.ts';

const [kind] = kinds;

async function rightsBy(list: Exchange, options: Exchange): Promise<KindRights | undefined> {
  if (kind === undefined) expect.fail('there is no kind');
  const asked: string[] = [];
  const rights = await readKindRights([kind], async ({ method, path }) => {
    asked.push(`${method} ${path}`);
    return method === 'OPTIONS' ? options : list;
  });
  expect(asked).toEqual([`GET ${kind.path}?page_size=1`, `OPTIONS ${kind.path}`]);
  return rights.get(kind);
}

describe("a token's rights to a kind", () => {
  test('include the right to view if the token gets a page, and the right to create if OPTIONS lists POST', async () => {
    const options = answered(200, { renders: [], actions: { POST: {} } });
    expect(await rightsBy(answered(200, { results: [] }), options)).toEqual({ view: 'may', create: 'may' });
  });

  test('do not include the right to view after a denial, or the right to create if OPTIONS does not list POST', async () => {
    const options = answered(200, { renders: [] });
    expect(await rightsBy(answered(403, { detail: 'no' }), options)).toEqual({
      view: 'may not',
      create: 'may not',
    });
  });

  test.each([
    ['a lost answer', lost],
    ['a web page', answered(200, '<!DOCTYPE html>')],
    ['an empty answer of a proxy', answered(204)],
    ['JSON of a proxy', answered(200, { methods: ['GET', 'POST'] })],
    ['a refusal of another program', answered(403, { message: 'no' })],
    ['a failure', answered(500, { detail: 'x' })],
  ])('are unknown after %s', async (_, exchange) => {
    expect(await rightsBy(exchange, exchange)).toEqual({ view: 'unknown', create: 'unknown' });
  });
});
