import { expect, test } from 'vitest';
import { defaultKinds, kinds } from '../../src/kinds/all.ts';
import { hiddenFields, hideableFields, hiddenFieldProblem } from '../../src/kinds/hide.ts';

test('every field can be hidden, except identities', () => {
  expect(hideableFields().map((name) => hiddenFieldProblem(name))).toEqual(
    hideableFields().map(() => undefined),
  );
  for (const { type, identity, scope, fields } of kinds)
    for (const field of Object.keys(fields))
      expect(hideableFields().includes(`${type}.${field}`), `${type}.${field}`).toBe(
        field !== identity && field !== scope && !fields[field]?.isInstruction,
      );
});

test.each([
  ['user.username', '`user.username` cannot be hidden', 'Every output uses this field to identify a user.'],
  [
    'application.slug',
    '`application.slug` cannot be hidden',
    'Every output uses this field to identify an application.',
  ],
  ['user.emial', 'there is no field `user.emial` to hide', 'Did you mean `user.email`?'],
  ['users.email', 'there is no field `users.email` to hide', 'Did you mean `user.email`?'],
  [
    'user.attributes.department',
    'there is no field',
    'A field can be hidden only as a whole: `user.attributes`.',
  ],
  ['x', 'there is no field `x` to hide', 'Write a field as TYPE.FIELD, such as certificate.'],
])('a name that cannot be hidden is refused with advice: %s', (name, summary, detail) => {
  const problem = hiddenFieldProblem(name);
  expect(problem?.summary).toContain(summary);
  expect(problem?.detail).toContain(detail);
});

test('the hidden fields of a kind are its secrets and the fields that `hide` names', () => {
  const hidden = defaultKinds.map((kind) => [
    ...hiddenFields(kind, ['user.email', 'application.name', 'user.name']),
  ]);
  expect(hidden).toEqual([['key_data'], [], [], [], ['client_secret'], [], [], ['name'], ['email', 'name']]);
});
