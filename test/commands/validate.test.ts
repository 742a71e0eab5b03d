import { expect, test } from 'vitest';
import { endedHere } from '../support/here.ts';

const input = 'version: 1\nusers: [{ username: u, name: "${env:NO_SUCH_NAME}", email: "${file:no/such}" }]\n';

test('validate --without-secrets reads no secrets, and reports the unchecked values unless --quiet is given', async () => {
  expect((await endedHere(['validate', '-'], { input })).code).toBe(3);
  const words =
    '2 values were not checked, because their secrets were not read: ${env:NO_SUCH_NAME}, ${file:no/such}.\n';
  const valid = 'Valid: 1 user.\n';
  const said = await endedHere(['validate', '-', '--without-secrets'], { input });
  expect(said).toEqual({ code: 0, stdout: words + valid, stderr: '' });
  const quiet = await endedHere(['validate', '-', '--without-secrets', '-q'], { input });
  expect(quiet).toEqual({ code: 0, stdout: valid, stderr: '' });
  const broken = await endedHere(['validate', '-', '--without-secrets'], { input: `${input}x: 1\n` });
  expect(broken.code).toBe(3);
  expect(broken.stdout).toContain(`${words}Invalid: 1 error. Nothing was sent.\n`);
});

test('validate counts several resources of a type with the plural -ies', async () => {
  const policies = 'version: 1\npolicies: [{ name: a, type: dummy }, { name: b, type: dummy }]\n';
  expect((await endedHere(['validate', '-'], { input: policies })).stdout).toBe('Valid: 2 policies.\n');
});

test('validate -o json has all warnings, even if --quiet is given', async () => {
  const id = '11111111-1111-4111-8111-111111111111';
  const repeated = { input: `version: 1\nusers: [{ username: u, name: U, groups: ["${id}", "${id}"] }]\n` };
  const json = await endedHere(['validate', '-', '-o', 'json'], repeated);
  expect(json.stdout).toContain('repeated-id');
  expect(await endedHere(['validate', '-', '-q', '-o', 'json'], repeated)).toEqual(json);
  expect((await endedHere(['validate', '-', '-q'], repeated)).stdout).toBe('Valid: 1 user; 1 warning.\n');
});
