import { expect, test } from 'vitest';
import { destinationLabel } from '../../src/base/destination.ts';

test.each([
  [{ service: 'https://id.example', environment: 'production' }, 'production (https://id.example)'],
  [{ service: 'https://id.example' }, 'https://id.example'],
  [{ environment: 'production' }, 'production'],
  [{}, ''],
])('the destination %j has the label %j', (destination, label) => {
  expect(destinationLabel(destination)).toBe(label);
});
