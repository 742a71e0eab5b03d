import { describe, expect, test } from 'vitest';
import { askSandbox } from '../support/ask-sandbox.ts';
import { type JsonObject } from '../../src/base/json.ts';
import { defaultKinds } from '../../src/kinds/all.ts';
import { factsOf, type FieldFacts } from '../../src/kinds/facts.ts';
import { familyOf } from '../../src/kinds/families.ts';
import { createdKinds, requiredFieldsOf, listPathIn } from '../support/written-type.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { seedSandbox } from '../../src/sandbox/seed.ts';
import { someOf } from '../support/effort.ts';
import { otherClient } from '../support/other-client.ts';

const release = '2026.8';

describe.each(someOf(createdKinds, 20).map((kind) => [listPathIn(kind, release), kind] as const))(
  'in the sandbox, the kind %s',
  (type, kind) => {
    const { list, identity, variant } = kind;
    const path = kind.path.replace('/api/v3', '');
    const isSeeded = defaultKinds.includes(kind) && variant === undefined && type !== '/outposts/instances/';
    const fieldsIn = (sandbox: Sandbox): JsonObject => ({
      [identity]: 'x',
      ...requiredFieldsOf(kind, sandbox, release),
    });
    const shown = (fields: JsonObject): JsonObject =>
      Object.fromEntries(Object.entries(fields).filter(([name]) => !facts(type, name)?.writeOnly));

    test('is created at the path that rollcall uses, and then listed', () => {
      const { sandbox } = seedSandbox({ is_licensed: true }, release);
      const fields = fieldsIn(sandbox);
      expect(askSandbox(sandbox, 'POST', path, fields)).toMatchObject({ status: 201, body: shown(fields) });
      expect(otherClient(sandbox).record(type, 'x')).toMatchObject(shown(fields));
      expect(askSandbox(sandbox, 'GET', `${path}?${identity}=x&name__iexact=x`)).toMatchObject({
        status: 200,
        body: { results: [shown(fields)] },
      });
    });

    test.runIf(isSeeded && kind.listing.isUnique)(
      'can be seeded, and a second seeded record with the same identity is refused',
      () => {
        const fields = fieldsIn(seedSandbox({ is_licensed: true }, release).sandbox);
        const { sandbox, refused } = seedSandbox({ [list]: [fields, fields], is_licensed: true }, release);
        expect(otherClient(sandbox).record(type, 'x')).toMatchObject(shown(fields));
        expect(refused).toMatchObject([{ list, index: 1, field: identity }]);
      },
    );

    test('lets an update repeat the identity of a record, and frees the identity in a delete', () => {
      const { sandbox } = seedSandbox({ is_licensed: true }, release);
      const fields = fieldsIn(sandbox);
      otherClient(sandbox).create(type, fields);
      expect(otherClient(sandbox).change(type, 'x', fields)).toMatchObject({ record: shown(fields) });
      expect(otherClient(sandbox).delete(type, 'x')).toBe(true);
      expect(otherClient(sandbox).create(type, fields)).toMatchObject({ record: shown(fields) });
    });
  },
);

function facts(type: string, name: string): FieldFacts | undefined {
  return factsOf(release, type)?.fields[name];
}

test.each([familyOf('providers')])(
  'in the sandbox, records of the kind $type can be read and deleted, but not created or changed',
  (family) => {
    const { sandbox } = seedSandbox({});
    const path = family.path.replace('/api/v3', '');
    const { status, body } = askSandbox(sandbox, 'GET', path);
    expect([status, body['results']]).toEqual([200, expect.arrayContaining([expect.anything()])]);
    for (const method of ['POST', 'OPTIONS']) expect(askSandbox(sandbox, method, path).status).toBe(405);
    const one = `${path}1/`;
    expect(askSandbox(sandbox, 'GET', one).status).toBe(200);
    for (const method of ['PATCH', 'PUT']) expect(askSandbox(sandbox, method, one).status).toBe(405);
    expect([askSandbox(sandbox, 'DELETE', one).status, askSandbox(sandbox, 'GET', one).status]).toEqual([
      204, 404,
    ]);
  },
);
