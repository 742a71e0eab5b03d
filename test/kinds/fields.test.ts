import { expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/base/json.ts';
import { kindOf, kinds } from '../../src/kinds/all.ts';
import { convertForEveryRelease } from '../../src/kinds/forms.ts';
import { isNeverShown, listQuery } from '../../src/kinds/kind.ts';
import {
  placeholderFor,
  fieldOf,
  mergedValue,
  missingIds,
  partialComparison,
  removedIds,
  neverShownFields,
  baselineValue,
  sentValue,
  shownValue,
  writtenValue,
  type DeclaredFields,
  type Field,
  type Mask,
} from '../../src/kinds/fields.ts';
import { desired } from '../support/desired.ts';

const user = kindOf('user');

/** What each function that reads a user's field returns for it. */
function seen(name: string, value: JsonValue, mask?: Mask): Record<string, JsonValue | undefined> {
  const declared = { kind: user, fields: { [name]: fieldOf(value, { at: [0, 0], ...(mask && { mask }) }) } };
  return {
    sent: sentValue(declared, name),
    shown: shownValue(declared, name),
    saved: baselineValue(declared, name),
    written: writtenValue(declared, name),
    blank: placeholderFor(declared, name),
  };
}

function userWith(fields: JsonObject): DeclaredFields {
  const given = Object.entries(fields).map(
    ([name, value]) => [name, fieldOf(value, { at: [0, 0] })] as const,
  );
  return { kind: user, fields: Object.fromEntries(given) };
}

test('an unmasked value is equal in all forms: sent, shown, saved and written', () => {
  expect(seen('email', 'a@example.com')).toEqual({
    sent: 'a@example.com',
    shown: 'a@example.com',
    saved: 'a@example.com',
    written: 'a@example.com',
    blank: undefined,
  });
});

test('releases that know one parent of a group get the first of several', () => {
  const fields = { name: 'g', parents: ['a', 'b'] };
  expect(convertForEveryRelease(kindOf('group'), fields)).toEqual({ ...fields, parent: 'a' });
});

test('a sensitive string is sent, and masked in output and saved plans', () => {
  const mask = { sensitive: { '/key': [{ env: 'KEY' }] } };
  expect(seen('attributes', { key: 's3cret', team: 'a' }, mask)).toMatchObject({
    sent: { key: 's3cret', team: 'a' },
    shown: { key: '(sensitive)', team: 'a' },
    saved: { key: '(sensitive)', team: 'a' },
    blank: '(sensitive)',
  });
});

test('a hidden value is sent and saved, and masked in output', () => {
  expect(seen('email', 'a@example.com', { isHidden: true })).toMatchObject({
    sent: 'a@example.com',
    shown: '(hidden)',
    saved: 'a@example.com',
    blank: '(hidden)',
  });
});

test('a sensitive and hidden value stays sensitive', () => {
  const mask = { isHidden: true, sensitive: { '': [{ env: 'MAIL' }] } };
  expect(seen('email', 'a@example.com', mask)).toMatchObject({ shown: '(sensitive)', saved: '(sensitive)' });
  const inPart = { isHidden: true, sensitive: { '/key': [{ env: 'KEY' }] } };
  expect(seen('attributes', { key: 's3cret', team: 'a' }, inPart)).toMatchObject({
    shown: '(hidden)',
    saved: { key: '(sensitive)', team: 'a' },
  });
});

test('a sensitive value that was not read is not sent', () => {
  expect(seen('email', '', { isUnread: true, sensitive: { '': [{ env: 'MAIL' }] } })).toMatchObject({
    sent: undefined,
    shown: '(sensitive)',
  });
});

test('a name is sent as the id of its record, or unchanged if the id is unknown', () => {
  expect(seen('groups', [{ name: 'staff', id: 'g1' }, 'g2', { name: 'new' }])).toMatchObject({
    sent: ['g1', 'g2', { name: 'new' }],
    shown: ['g1', 'g2', { name: 'new' }],
    written: [{ name: 'staff', id: 'g1' }, 'g2', { name: 'new' }],
  });
});

test('a mapping that looks like a reference is a plain value in a field without references', () => {
  expect(seen('attributes', { owner: { name: 'a', id: 1 } })).toMatchObject({
    sent: { owner: { name: 'a', id: 1 } },
  });
});

test('the value of a field is not assignable to JSON, so that no secret is sent by mistake', () => {
  const isJson: Field['value'] extends JsonValue ? true : false = false;
  expect(isJson).toBe(false);
});

test('a generated value is not sent again with the other values that the service never shows', () => {
  const [kind, name] =
    kinds.flatMap((each) =>
      Object.keys(each.fields).flatMap((field) =>
        isNeverShown(each, field) ? [[each, field] as const] : [],
      ),
    )[0] ?? expect.fail('every field is shown');
  const declared = (mask: Mask): string[] =>
    neverShownFields({ kind, fields: { [name]: fieldOf('x', { at: [0, 0], mask }) } });
  expect(declared({ sensitive: { '': [{ env: 'KEY' }] } })).toEqual([name]);
  expect(declared({ sensitive: { '': [{ generate: 20 }] } })).toEqual([]);
  expect(declared({ sensitive: { '': ['rk-', { generate: 20 }] } })).toEqual([]);
});

test('a list leaves out what no resource declares', () => {
  const left = ['include_groups', 'include_roles'];
  const queried = (...fields: string[]): string[] =>
    Object.keys(listQuery(user, new Set(fields)).query).filter((name) => left.includes(name));
  expect(queried('email')).toEqual(left);
  expect(queried('groups')).toEqual(['include_roles']);
});

test('an update keeps the undeclared keys of a redirect URI', async () => {
  const [provider] = await desired(
    'version: 1\nproviders: [{ name: a, type: oauth2, authorization_flow: { slug: f }, redirect_uris: [https://a.example/in, https://a.example/new] }]\n',
  );
  const uri = { matching_mode: 'strict', url: 'https://a.example/in', redirect_uri_type: 'logout' };
  const other = { matching_mode: 'strict', url: 'https://a.example/old' };
  expect(provider && mergedValue(provider, 'redirect_uris', [uri, other])).toEqual([
    uri,
    { matching_mode: 'strict', url: 'https://a.example/new' },
  ]);
});

test.each<
  [instructions: JsonObject, declared: JsonValue, observed: JsonValue, missing: JsonValue | undefined]
>([
  [{}, ['a', 'b'], ['a'], ['b']],
  [{}, ['a', 'b'], ['a', 'c'], undefined],
  [{ at_least: ['groups'] }, ['a', 'b'], ['a', 'c'], ['b']],
  [{}, ['A-1'], ['a1'], []],
  [{}, ['a'], null, undefined],
  [{}, null, ['a'], undefined],
])('with %j, the groups %j lack of %j only: %j', (instructions, groups, observed, missing) => {
  expect(missingIds(userWith({ groups, ...instructions }), 'groups', groups, observed)).toEqual(missing);
});

test.each<[fields: JsonObject, observed: JsonValue | undefined, merged: JsonValue, removed: JsonValue]>([
  [{}, ['a'], ['a'], []],
  [{}, undefined, null, []],
  [{ groups: ['b', 'b'] }, ['a'], ['b'], ['a']],
  [{ groups: ['b'], at_least: ['groups'] }, ['a'], ['a', 'b'], []],
])('a user with %j, whose groups are %j, gets %j and loses %j', (fields, observed, merged, removed) => {
  expect(mergedValue(userWith(fields), 'groups', observed)).toEqual(merged);
  expect(removedIds(userWith(fields), 'groups', observed)).toEqual(removed);
});

test.each([
  [{}, true],
  [{ at_least: ['groups'] }, true],
  [{ exactly: ['groups'] }, true],
  [{ exactly: ['attributes'] }, false],
])('with %j, the attributes of a user are compared in part: %j', (instructions, isPart) => {
  expect(partialComparison(userWith({ attributes: {}, ...instructions }), 'attributes') !== undefined).toBe(
    isPart,
  );
});
