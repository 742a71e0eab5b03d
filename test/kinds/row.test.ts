import { expect, test } from 'vitest';
import { kindOf, kinds } from '../../src/kinds/all.ts';
import { group } from '../../src/kinds/group.ts';
import { referenceOf } from '../../src/kinds/references.ts';
import { isSecret } from '../../src/kinds/secrets.ts';

test('a name is unique only if the row of its kind says so', () => {
  expect([group, kindOf('role')].map(({ listing }) => listing.isUnique)).toEqual([false, true]);
});

test('the name of a referenced record is read from the field that shows the record next to its id', () => {
  expect(group.fields['roles']?.namedIn).toBe('roles_obj');
  expect(group.fields['attributes']?.namedIn).toBeUndefined();
});

test('a read-only field does not count as a reference', () => {
  const facts = { type: 'string', format: 'uuid' } as const;
  expect(referenceOf('/core/users/', 'group', facts)?.list).toBe('groups');
  expect(referenceOf('/core/users/', 'group', { ...facts, readOnly: true })).toBeUndefined();
});

test.each([
  ['what no answer shows, whatever its name', 'label', { type: 'string', writeOnly: true }, true],
  ['a string with the name of a secret', 'api_token', { type: 'string' }, true],
  ['a URL with the name of a secret', 'token_page', { type: 'string', format: 'uri' }, false],
  ['a choice with the name of a secret', 'token_kind', { type: 'string', enum: ['a'] }, false],
] as const)('a field is classified as secret or not: %s', (_, name, facts, is) => {
  expect(isSecret('/core/users/', name, facts)).toBe(is);
});

test.each([
  ['/providers/saml/', ['signing_kp', 'sign_assertion', 'sign_response']],
  ['/sources/saml/', ['verification_kp', 'signed_assertion', 'signed_response']],
  ['/stages/redirect/', ['mode', 'target_static', 'target_flow']],
  ['/managed/blueprints/', ['content', 'path']],
  ['/lifecycle/rules/', ['content_type']],
  ['/requests/rules/', ['request_flow']],
  ['/core/tokens/', ['user', 'intent']],
])(
  'an update of %s contains the fields without which the service refuses or alters more, and those that need them',
  (path, along) => {
    const kind = kinds.find((each) => each.path === `/api/v3${path}`);
    expect(kind?.update.requiredInUpdates).toEqual(along);
  },
);
