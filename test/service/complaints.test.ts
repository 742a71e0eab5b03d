import { expect, test } from 'vitest';
import type { JsonValue } from '../../src/base/json.ts';
import { fieldErrorsOf, type FieldError } from '../../src/service/complaints.ts';

const nested = { a: { b: { c: { d: 'deep' } } } };

test.each<[name: string, value: JsonValue, errors: FieldError[]]>([
  ['detail', 'no', [{ texts: ['no'] }]],
  ['non_field_errors', ['one', 'two'], [{ texts: ['one', 'two'] }]],
  ['code', 'invalid', []],
  ['slug', ['taken'], [{ field: 'slug', texts: ['taken'] }]],
  ['slug', {}, [{ field: 'slug', texts: [] }]],
  ['groups', { '1': ['no id'] }, [{ field: 'groups', item: 1, texts: ['no id'] }]],
  ['groups', { '1': ['no id'], of: ['x'] }, [{ field: 'groups', texts: ['1: no id', 'of: x'] }]],
  ['groups', { '1': nested }, [{ field: 'groups', item: 1, texts: ['a: b: c: …'] }]],
  ['attributes', nested, [{ field: 'attributes', texts: ['a: b: c: d: deep'] }]],
  ['attributes_room', ['no'], [{ field: 'attributes', key: 'room', texts: ['no'] }]],
])('an error for %s with %j', (name, value, errors) => {
  expect(fieldErrorsOf({ kind: 'fields_refused', status: 400, body: { [name]: value } })).toEqual(errors);
});
