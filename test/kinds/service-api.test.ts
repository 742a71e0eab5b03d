import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { differenceOf } from '../../scripts/service-api/facts-difference.ts';
import { fetched } from '../../scripts/service-api/fetch-schema.ts';

test.each([
  ['2023.10.2', 'go mod download -json goauthentik.io/api/v3@v3.2023102.1'],
  ['2025.8.6', 'go mod download -json goauthentik.io/api/v3@v3.2025080.6'],
  ['v3.2024100.1', 'go mod download -json goauthentik.io/api/v3@v3.2024100.1'],
  ['2026.11.0', 'npm pack --silent @goauthentik/api@2026.11.0'],
])('the API schema of %s is published as %s', (version, first) => {
  const commands: string[] = [];
  const text = fetched(version, (command, args, cwd) => {
    commands.push([command, ...args].join(' '));
    mkdirSync(join(cwd, 'package'), { recursive: true });
    writeFileSync(join(cwd, 'package/schema.yml'), 'info: {}\n');
    return command === 'go' ? JSON.stringify({ Dir: join(cwd, 'package') }) : 'api.tgz\n';
  });
  expect(text).toBe('info: {}\n');
  expect(commands[0]).toBe(first);
});

test("a version that the module proxy does not know causes an error with the proxy's message", () => {
  const answer = JSON.stringify({ Error: 'unknown revision v3.1' });
  expect(() => fetched('v3.1', () => answer)).toThrow('unknown revision v3.1');
});

test('another order of many values does not change the facts', () => {
  const values = Array.from({ length: 21 }, (_, index) => index);
  expect(differenceOf(values, values.toReversed())).toBeUndefined();
  expect(differenceOf(values.slice(0, 2), [1, 0])).toEqual([1, 0]);
});
