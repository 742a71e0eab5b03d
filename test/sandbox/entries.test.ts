import { expect, test } from 'vitest';
import { entries } from '../support/entries.ts';

test('no value of a field has two verdicts', () => {
  const keys = entries.map(({ type, field, value }) => `${type} ${field} ${JSON.stringify(value)}`);
  expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
});
