import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { sourceFile } from '../../src/base/source.ts';
import { resourcesOfTable } from '../../src/adopt/csv.ts';
import { kinds, lists } from '../../src/kinds/all.ts';
import { manifestCheck } from '../../src/manifest/manifest-check.ts';
import { application } from '../../src/kinds/application.ts';
import { placeOf } from '../../src/kinds/resource.ts';
import { user } from '../../src/kinds/user.ts';
import { trimAsService } from '../../src/manifest/trim.ts';
import { anyText } from '../support/any-json.ts';
import { inFull, times } from '../support/effort.ts';
import { sentOf } from '../support/values.ts';

const check = await manifestCheck(lists);

const [engineering, staff] = ['2f23b8d6-dbbb-4842-8b22-b14c757098b0', '7d0a8b5c-1e0f-4c54-9d53-0b7c0d5a1a11'];

/** The resources of a table, each with its address and fields, and the problems in the form `line:column code`. */
function read(
  text: string,
  kind: typeof user = user,
  delimiter = ',',
): { declared: [string, JsonObject][]; said: string[] } {
  const { resources, diagnostics } = resourcesOfTable(sourceFile('people.csv', text), kind, delimiter, check);
  return {
    declared: resources.map((resource) => [resource.address, sentOf(resource)]),
    said: diagnostics.map(
      ({ range, code }) => `${range?.start.line ?? 0}:${range?.start.column ?? 0} ${code}`,
    ),
  };
}

describe('a CSV import', () => {
  test('declares a user for each row, with the fields of its non-empty cells', () => {
    expect(
      read(`username,name,is_active,groups,attributes.department,attributes.a.b,email,type
alice,Alice,TRUE,${engineering};${staff},Engineering,007,alice@example.com,external
bob,Bob,false,;,,,,
`),
    ).toEqual({
      declared: [
        [
          'user.alice',
          {
            username: 'alice',
            name: 'Alice',
            is_active: true,
            groups: [engineering, staff],
            attributes: { department: 'Engineering', 'a.b': '007' },
            email: 'alice@example.com',
            type: 'external',
          },
        ],
        ['user.bob', { username: 'bob', name: 'Bob', is_active: false, groups: [] }],
      ],
      said: [],
    });
  });

  test.each<[name: string, kind: typeof user, text: string, fields: JsonObject]>([
    [
      'a string in a field of ids as the name of a group',
      user,
      `username,name,groups\na,A,staff; ${engineering};${staff.toUpperCase()}\n`,
      { groups: [{ name: 'staff' }, engineering, staff.toUpperCase()] },
    ],
    [
      'a string in a field of ids as the name of a provider',
      application,
      'slug,name,provider,backchannel_providers\na,A,Grafana OIDC,1;scim 2\n',
      { provider: { name: 'Grafana OIDC' }, backchannel_providers: [1, { name: 'scim 2' }] },
    ],
    [
      'only a cell of nothing but digits as an id',
      application,
      'slug,name,provider,backchannel_providers\na,A,3rd party,2nd;4\n',
      { provider: { name: '3rd party' }, backchannel_providers: [{ name: '2nd' }, 4] },
    ],
    [
      'the rows of an import of applications as applications',
      application,
      'slug,name,provider,backchannel_providers,open_in_new_tab\na,A,1,2; 3,true\n',
      { slug: 'a', name: 'A', provider: 1, backchannel_providers: [2, 3], open_in_new_tab: true },
    ],
    [
      'the groups that have access',
      application,
      'slug,name,access.groups\na,A,staff\n',
      { 'access.groups': [{ name: 'staff' }] },
    ],
  ])('reads %s', (_, kind, text, fields) => {
    expect(read(text, kind)).toMatchObject({ declared: [[`${kind.type}.a`, fields]], said: [] });
  });

  test('ignores empty cells after the last column', () => {
    expect(read('username,name\na,A,,\n')).toMatchObject({ declared: [['user.a', { name: 'A' }]], said: [] });
  });

  test.each([
    ['truely', '2:3 wrong-type'],
    ['untrue', '2:3 wrong-type'],
    ['falsely', '2:3 wrong-type'],
  ])('refuses %s as a switch', (cell, problem) => {
    expect(read(`username,is_active\na,${cell}\n`).said).toContain(problem);
  });

  test('refuses a column of bindings with several values each', () => {
    expect(read('slug,name,policies\na,A,x\n', application).said).toEqual(['1:11 unknown-field']);
  });

  test('reads every row as the kind given with --kind, whatever the columns are called', () => {
    const text = 'slug,username,name\na,b,A\n';
    expect(read(text)).toEqual({
      declared: [['user.b', { username: 'b', name: 'A' }]],
      said: ['1:1 unknown-field'],
    });
    expect(read(text, application)).toEqual({
      declared: [['application.a', { slug: 'a', name: 'A' }]],
      said: ['1:6 unknown-field'],
    });
  });

  test.each([
    ['CRLF line ends', 'username,name\r\na,A\r\nb,B\r\n'],
    ['CR line ends', 'username,name\ra,A\rb,B\r'],
    ['several kinds of line ends', 'username,name\na,A\r\nb,B'],
    ['empty lines', 'username,name\n\na,A\n,\n\nb,B\n\n'],
    ['blanks around the values', ' username , name\n a ,\tA\u00a0\nb, B\n'],
    ['trailing commas', 'username,name,,\na,A,,\nb,B,,\n'],
  ])('accepts %s', (_, text) => {
    expect(read(text)).toEqual({
      declared: [
        ['user.a', { username: 'a', name: 'A' }],
        ['user.b', { username: 'b', name: 'B' }],
      ],
      said: [],
    });
  });

  test('accepts thousands of columns', () => {
    const keys = Array.from({ length: times({ short: 1000, full: 20_000 }) }, (_, index) => `k${index}`);
    const { declared, said } = read(
      `username,name,${keys.map((key) => `attributes.${key}`).join()}\na,A,${keys.join()}\n`,
    );
    expect(said).toEqual([]);
    expect(declared[0]?.[1]['attributes']).toEqual(Object.fromEntries(keys.map((key) => [key, key])));
    expect(read(`username,name\na,A${',x'.repeat(times({ short: 2000, full: 200_000 }))}\n`).said).toEqual([
      '2:1 csv-syntax',
    ]);
  });

  test('accepts a delimiter other than the comma', () => {
    const fields = { username: 'a', name: 'A, B', groups: [engineering, staff] };
    for (const delimiter of [';', '\t', '|']) {
      const text = `username,name,groups\na,"A, B","${engineering};${staff}"`.replaceAll(
        /(?<=[a-z"]),/g,
        delimiter,
      );
      expect(read(text, user, delimiter)).toEqual({ declared: [['user.a', fields]], said: [] });
    }
  });

  test('keeps the text of every cell, with its place in the file', () => {
    const cell = anyText.filter((text) => !/[\0\p{Cs}]/u.test(text));
    const lineEnd = fc.constantFrom('\n', '\r\n', '\r');
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 5 }), lineEnd, (rows, end) => {
        const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
        const lines = rows.map(([a, b], index) => [`u${index}`, quoted(a), quoted(b)].join(','));
        const text = ['username,name,attributes.x', ...lines].join(end);
        const { resources } = resourcesOfTable(sourceFile('people.csv', text), user, ',', check);
        const declared = resources.map((resource) => sentOf(resource));
        expect(declared.map((fields) => [fields['name'] ?? '', fields['attributes'] ?? {}])).toEqual(
          rows.map(([a, b]) => [trimAsService(a), trimAsService(b) === '' ? {} : { x: trimAsService(b) }]),
        );
        for (const [index, { fields }] of resources.entries()) {
          const [a] = rows[index] ?? [''];
          const textOf = (field: string): string => {
            const { at } = fields[field] ?? {};
            return Array.isArray(at) ? text.slice(at[0], at[1]) : '';
          };
          expect(textOf('username')).toBe(`u${index}`);
          if (trimAsService(a) !== '') expect(textOf('name')).toBe(quoted(a));
        }
      }),
      { numRuns: times({ short: 30, full: 4000 }) },
    );
  });

  test('has the place of the first of several cells of a field', () => {
    const text = 'username,attributes.a,attributes.b\na,1,2\n';
    const [resource] = resourcesOfTable(sourceFile('p.csv', text), user, ',', check).resources;
    expect(resource?.fields['attributes']?.at).toEqual([37, 38]);
  });

  test('reports the right place of a cell after multi-byte characters and multi-line cells', () => {
    const { resources } = resourcesOfTable(
      sourceFile('p.csv', 'username,name,email\nü😀,"x\ny",e\nb,é,f'),
      user,
      ',',
      check,
    );
    const place = (index: number, field: string): string => {
      const resource = resources[index];
      if (!resource) throw new Error('there is no such row');
      const { start, end } = placeOf(resource, field);
      return `${start.line}:${start.column}-${end.line}:${end.column}`;
    };
    expect([place(0, 'username'), place(0, 'name'), place(0, 'email')]).toEqual([
      '2:1-2:4',
      '2:5-3:3',
      '3:4-3:5',
    ]);
    expect([place(1, 'name'), place(1, 'email'), place(1, 'path')]).toEqual([
      '4:3-4:4',
      '4:5-4:6',
      '4:1-4:6',
    ]);
  });
});

describe('an invalid CSV table', () => {
  test.each<[name: string, text: string, said: string[]]>([
    ['an empty file', '', ['1:1 empty-file']],
    ['a header without rows', 'username,name\n', ['1:1 empty-file']],
    ['a missing column of names', 'first,last\na,b\n', ['1:1 missing-field']],
    ['a delimiter other than the given one', 'username;name\na;b\n', ['1:1 missing-field']],
    ['an unknown column', 'username,colour\na,b\n', ['1:10 unknown-field']],
    ['a column for a password', 'username,password\na,canary\n', ['1:10 unknown-field']],
    ['attributes without a key', 'username,attributes\na,b\n', ['1:10 unknown-field']],
    ['a misspelt attributes column', 'username,attribute.x\na,b\n', ['1:10 unknown-field']],
    ['a forbidden attribute key', 'username,attributes.__proto__\na,b\n', ['1:10 yaml-unsupported']],
    ['an attribute key with a reference', 'username,attributes.${x}\na,b\n', ['1:10 invalid-reference']],
    ['the same column twice', 'username,name,name\na,b,c\n', ['1:15 csv-syntax']],
    ['a cell without a column', 'username,name,\na,A,x\n', ['2:5 csv-syntax']],
    ['a row that is too short', 'username,name,email\na,A\n', ['2:1 csv-syntax']],
    ['a row that is too long', 'username,name\na,A,x\n', ['2:1 csv-syntax']],
    ['a quote that does not end', 'username,name\na,"A\nb,B\n', ['2:3 csv-syntax']],
    ['a quote inside a cell', 'username,name\na,A "b"\n', ['2:3 csv-syntax']],
    ['text after a closing quote', 'username,name\na,"A" b\n', ['2:3 csv-syntax']],
    ['a row without a name', 'username,name\n,A\n', ['2:1 missing-field']],
    ['a boolean that is neither true nor false', 'username,name,is_active\na,A,yes\n', ['2:5 wrong-type']],
    ['a string that is too long', `username,name\n${'a'.repeat(151)},A\n`, ['2:1 invalid-length']],
    [
      'a date that does not exist',
      'username,name,last_login\na,A,2024-02-31T10:00:00Z\n',
      ['2:5 invalid-format'],
    ],
    ['a name in two rows', 'username,name\na,A\nb,B\na,C\n', ['4:1 duplicate-resource']],
    ['names that differ only in case', 'username,name\na,A\nA,B\n', ['3:1 similar-name']],
    [
      'an e-mail address and a missing name that the service refuses',
      'username,name,email\na,A,nobody\nb,,\n',
      ['2:5 invalid-format', '3:1 likely-refused'],
    ],
  ])('is rejected with the line and column of the mistake: %s', (_, text, said) => {
    expect(read(text).said).toEqual(said);
  });

  test.each([
    ['a slug with a space', 'slug,name\na b,A\n', ['2:1 invalid-format']],
    ['an application without a name', 'slug,name\na,\n', ['2:1 missing-field']],
    ['access for nobody', 'slug,name,access.groups\na,A, ;\n', ['2:5 invalid-value']],
  ])('of applications is rejected with the line and column of the mistake: %s', (_, text, said) => {
    expect(read(text, application).said).toEqual(said);
  });

  test('is reported without quoting rows, as these may contain private data', () => {
    const text =
      'username,name,is_active,email,attributes.pin\na,A,canary-1,canary-2,canary-3\nb,"canary-4\n';
    for (const part of [text, text.split('b,')[0] ?? '', 'canary-5\ncanary-6\n']) {
      const { diagnostics } = resourcesOfTable(sourceFile('people.csv', part), user, ',', check);
      expect(diagnostics.length).toBeGreaterThan(0);
      expect(JSON.stringify(diagnostics)).not.toContain('canary');
    }
  });

  test('is reported with its header quoted', () => {
    const { diagnostics } = resourcesOfTable(
      sourceFile('people.csv', 'username,mail\na,b\n'),
      user,
      ',',
      check,
    );
    expect(diagnostics).toMatchObject([{ excerpt: 'username,mail', detail: 'Did you mean `email`?' }]);
  });

  test('is rejected if it has more rows than a manifest may have entries', ({ skip }) => {
    skip(!inFull);
    const rows = Array.from({ length: 200_001 }, (_, index) => `u${index}\n`).join('');
    expect(read(`username\n${rows}`).said).toEqual(['1:1 too-many-resources']);
  });
});

const geoip = kinds.find(({ path }) => path.endsWith('/policies/geoip/')) ?? expect.fail('no such kind');
const tables = { user, application, geoip };

test.each<[kind: keyof typeof tables, text: string, words: string | undefined]>([
  ['user', 'username,name,is_active\na,A,yes\n', '`is_active` must be true or false '],
  ['user', 'username,name,attribute.team\na,A,x\n', 'Did you mean `attributes.team`?'],
  ['user', 'username,name,mail.team\na,A,x\n', 'Known here: '],
  ['user', 'username,name,attributes.\na,A,x\n', 'a column of `attributes` must name a key'],
  ['user', 'username\n', 'this table has no rows'],
  ['user', '', 'this table has no rows'],
  ['application', 'slug,name,provider\na,A,x\n', undefined],
  ['application', 'slug,name,backchannel_providers\na,A,1;x\n', undefined],
  ['geoip', 'name,asns\na,1;2\n', undefined],
  [
    'geoip',
    'name,asns\na,1;x\n',
    '`asns` must be an id, which is a number Separate several ids with a semicolon.',
  ],
  ['geoip', 'name,distance_tolerance_km\na,x\n', '`distance_tolerance_km` must be an id, which is a number '],
])('for the kind %s, the table %j gets the message: %s', (kind, text, words) => {
  const { diagnostics } = resourcesOfTable(sourceFile('people.csv', text), tables[kind], ',', check);
  const said = diagnostics.map(({ summary, detail }) => `${summary} ${detail}`);
  expect(said).toEqual(words === undefined ? [] : [expect.stringContaining(words)]);
});
