import { expect, test } from 'vitest';
import { user } from '../../src/kinds/user.ts';
import { observeRecord, withoutRoundedNumbers } from '../../src/service/records.ts';
import { answered } from '../support/scripted-transport.ts';

test.each([
  ['a large number', '{"a": 9007199254740993}', '{"a": null}'],
  ['a fraction in another spelling', '{"a": [1.50]}', '{"a": [null]}'],
  ['no other number', '{"a": 9007199254740992, "b": -1.5, "c": [0]}', undefined],
  ['no digits in strings', String.raw`{"a": ":9007199254740993 \" 1.0"}`, undefined],
])('a record is compared with null in place of %s', (_, body, exact) => {
  const found = withoutRoundedNumbers(answered(200, body));
  expect(found?.kind === 'answered' ? found.asReceived : undefined).toBe(exact);
});

test.each([
  [true, true],
  [false, undefined],
])('a user with the flag of superusers %j is observed as superuser: %j', (flag, expected) => {
  const record = { pk: 1, username: 'a', is_superuser: flag };
  expect(observeRecord(user, { received: record, shown: record }).isSuperuser).toBe(expected);
});
