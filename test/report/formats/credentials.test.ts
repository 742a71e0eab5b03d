import { expect, test } from 'vitest';
import { nameInFormat } from '../../../src/report/formats/credentials.ts';

test.each([
  ['Grafana & Co.', 'grafana-co'],
  [`${'a'.repeat(252)} b`, 'a'.repeat(252)],
  ['\u65e5\u672c', 'credentials'],
])('the credentials of %j have a name that Kubernetes accepts', (name, expected) => {
  expect(nameInFormat({ address: `provider.${name}`, values: {} }, 'kubernetes')).toBe(expected);
});
