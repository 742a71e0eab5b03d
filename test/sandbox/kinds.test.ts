import { describe, expect, test } from 'vitest';
import { isJsonObject, parseJson, type JsonObject } from '../../src/base/json.ts';
import { kinds } from '../../src/kinds/all.ts';
import { familyOf } from '../../src/kinds/families.ts';
import { demanded, writtenType } from '../support/written-type.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { sandboxToken, seedSandbox } from '../../src/sandbox/seed.ts';

interface Answered {
  readonly status: number;
  readonly body: JsonObject;
}

function ask(sandbox: Sandbox, method: string, path: string, fields: JsonObject = {}): Answered {
  const headers = { authorization: `Bearer ${sandboxToken}`, 'content-type': 'application/json' };
  const answer = sandbox.handle({ method, path, headers, body: JSON.stringify(fields) });
  const body = parseJson(answer.body);
  return { status: answer.status, body: isJsonObject(body) ? body : {} };
}

describe.each(kinds.map((kind) => ({ ...kind, type: writtenType(kind) })))('the kind $type', (kind) => {
  const { type, list, path, identity, sort } = kind;
  const isSeeded = sort === undefined && type !== 'outpost';
  const fields = { name: 'X', [identity]: 'x', ...demanded[type] };
  const shown = Object.fromEntries(
    Object.entries(fields).filter(([name]) => !kind.fields[name]?.isWriteOnly),
  );

  test('is created at the path to which rollcall sends it, and its list shows it', () => {
    const { sandbox } = seedSandbox({}, '2026.2');
    expect(ask(sandbox, 'POST', path, fields)).toMatchObject({ status: 201, body: shown });
    expect(sandbox.record(type, 'x')).toMatchObject(shown);
    expect(ask(sandbox, 'GET', `${path}?${identity}=x&name__iexact=x`)).toMatchObject({
      status: 200,
      body: { results: [shown] },
    });
  });

  test.runIf(isSeeded)('is seeded by its list, where an identity that is taken is refused', () => {
    const { sandbox, refused } = seedSandbox({ [list]: [fields, fields] }, '2026.2');
    expect(sandbox.record(type, 'x')).toMatchObject(shown);
    expect(refused).toMatchObject([{ list, index: 1, field: identity }]);
  });

  test('keeps its identity when it is changed to that again, and frees it when it is deleted', () => {
    const { sandbox } = seedSandbox(isSeeded ? { [list]: [fields] } : {}, '2026.2');
    if (!isSeeded) sandbox.create(type, fields);
    expect(sandbox.change(type, 'x', fields)).toMatchObject({ record: shown });
    expect(sandbox.delete(type, 'x')).toBe(true);
    expect(sandbox.create(type, fields)).toMatchObject({ record: shown });
  });
});

test.each([familyOf('providers')])('the kind $type is only read', ({ path }) => {
  const { sandbox } = seedSandbox({});
  const { status, body } = ask(sandbox, 'GET', path);
  expect([status, body['results']]).toEqual([200, expect.arrayContaining([expect.anything()])]);
  for (const method of ['POST', 'OPTIONS']) expect(ask(sandbox, method, path).status).toBe(405);
  const one = `${path}1/`;
  expect(ask(sandbox, 'GET', one).status).toBe(200);
  for (const method of ['PATCH', 'PUT', 'DELETE']) expect(ask(sandbox, method, one).status).toBe(405);
});
