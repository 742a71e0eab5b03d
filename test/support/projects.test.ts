import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { globSync } from 'tinyglobby';
import { expect, test } from 'vitest';
import { whole } from '../../vitest.config.ts';
import { root } from './cli.ts';

/** What a test that shares its process with others leaves behind for them, or what they could disturb. */
const needsItsOwn =
  /\bvi\.(?:mock|doMock|hoisted|stub\w+|useFakeTimers)\b|'nock'|child_process|\bprocess\.(?:chdir|exitCode|on|once|getActiveResourcesInfo)\b|\bprocess\.env\[[^\]]+\] = |\b(?:run|rollcall)\b[^;]*from '\.\.\/support\/cli\.ts'/;

test('every test file that starts programs or changes its process is one of the project "whole"', () => {
  const quick = globSync('test/**/*.test.ts', {
    cwd: root,
    ignore: [...whole, 'test/support/projects.test.ts'],
  });
  expect(quick.length).toBeGreaterThan(30);
  expect(quick.filter((file) => needsItsOwn.test(readFileSync(join(root, file), 'utf8')))).toEqual([]);
});
