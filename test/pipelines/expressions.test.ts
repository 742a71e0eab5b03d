import { expect, test } from 'vitest';
import { evaluateExpression } from '../support/expressions.ts';

const names = {
  valueAt: (path: readonly string[]) => ({ 'a.b-c': 'X', $D: 'd' })[path.join('.')],
  functions: { up: (text: unknown) => String(text).toUpperCase(), no: () => false },
};

test.each([
  ["a.b-c == 'x' && 'yes' || 'no'", 'yes'],
  ["a.b-c != 'X' && 'yes' || 'no'", 'no'],
  ["!(a.b-c == 'y' || no()) && up('it''s')", "IT'S"],
  ['$D == "d" && $E == ""', true],
  ['$E', undefined],
  ["no() || null == '' && 1 == '1'", true],
])('the test runner evaluates the pipeline expression %s to %s', (expression, value) => {
  expect(evaluateExpression(expression, names)).toBe(value);
});

test.each(['a ==', '(a', 'a b', 'up(', 'down()', "a == 'x", 'a ? b : c'])(
  'the test runner rejects the pipeline expression %s',
  (expression) => {
    expect(() => evaluateExpression(expression, names)).toThrow(
      expression === 'down()' ? 'no function down' : expression,
    );
  },
);
