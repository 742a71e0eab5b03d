import { describe, expect, test } from 'vitest';
import { desired, loadText } from '../support/desired.ts';
import { sentOf } from '../support/values.ts';

const policies =
  'policies: [{ name: p, type: password, error_message: no }, { name: d, type: dummy }, { name: e, type: dummy, result: false }]';

describe('defaults of a type', () => {
  test('override the defaults of the list, and are overridden by the entry', async () => {
    const resources = await desired(`version: 1
defaults:
  policy: { execution_logging: true }
  policy.dummy: { execution_logging: false, result: true }
${policies}
`);
    expect(resources.map((resource) => sentOf(resource))).toMatchObject([
      { name: 'd', execution_logging: false, result: true },
      { name: 'e', execution_logging: false, result: false },
      { name: 'p', execution_logging: true },
    ]);
  });

  test.each([
    ['policy.dumy: {}', 'unknown-field', 'policy.dumy'],
    ['application.x: {}', 'unknown-field', 'application.x'],
    ['policy.dummy: { expression: x }', 'unknown-field', 'expression'],
    ['policy.dummy: { name: x }', 'unknown-field', 'name'],
    ['policy.dummy: { type: dummy }', 'unknown-field', 'type'],
    ['policy.password: { formerly: x }', 'unknown-field', 'formerly'],
    ['policy.dummy: { result: 1 }', 'wrong-type', 'result'],
    ['policy.dummy: 1', 'wrong-type', 'policy.dummy'],
  ])('are an error at their place if invalid: %s', async (text, code, word) => {
    const manifest = `version: 1\ndefaults:\n  ${text}\n${policies}\n`;
    const { diagnostics } = await loadText(manifest);
    expect(diagnostics).toMatchObject([{ code, range: { start: { line: 3 } } }]);
    expect(diagnostics[0]?.summary).toContain(word);
  });
});

test.each([
  ['name: Wiki', true],
  ['name: Wiki, access: everyone', false],
  ['name: Wiki, access: { users: [7] }', false],
  ['name: Wiki, policies: []', false],
  ['state: absent', false],
])('an application with { %s } gets the access of the defaults: %j', async (fields, isInherited) => {
  const [wiki] = await desired(`version: 1
defaults: { application: { access: { groups: [00000000-0000-4000-8000-000000000000] } } }
applications: [{ slug: wiki, ${fields} }]
`);
  expect(JSON.stringify(wiki?.fields).includes('00000000-0000')).toBe(isInherited);
});

test('an entry that is declared absent gets from the defaults only the record to which it belongs', async () => {
  const [entitlement] = await desired(`version: 1
defaults: { entitlement: { app: { slug: wiki }, attributes: { a: 1 } } }
entitlements: [{ name: e, state: absent }]
`);
  expect(Object.keys(entitlement?.fields ?? {}).toSorted()).toEqual(['app', 'name', 'state']);
});

const group = '00000000-0000-4000-8000-000000000000';

test.each([
  [
    'the default `policies` does not apply, because this entry declares `access`',
    'policies: []',
    'access: everyone',
  ],
  [
    'the default `access` does not apply, because this entry declares `policies`',
    `access: { groups: [${group}], users: [7] }`,
    'policies: []',
  ],
  [undefined, `access: { groups: [${group}] }`, 'access: everyone'],
  [undefined, 'policies: []', 'group: Tools'],
  [undefined, 'policies: []', 'state: absent'],
])(
  'an entry that replaces a default by another field has a warning: %s',
  async (summary, ofDefaults, ofEntry) => {
    const more = ofEntry.startsWith('state') ? '' : 'name: Wiki, ';
    const { diagnostics } = await loadText(`version: 1
defaults: { application: { ${ofDefaults} } }
applications: [{ slug: wiki, ${more}${ofEntry} }]
`);
    expect(diagnostics).toMatchObject(
      summary === undefined
        ? []
        : [{ code: 'default-replaced', severity: 'warning', summary, range: { start: { line: 3 } } }],
    );
  },
);
