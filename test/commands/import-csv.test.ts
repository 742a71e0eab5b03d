import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/canary.ts';
import type { Ended } from '../support/cli.ts';
import { endedHere } from '../support/here.ts';
import { inFull } from '../support/effort.ts';

let cwd: string;
beforeEach(() => {
  cwd = temporaryFolder();
});

const table = `username,name,email,groups,attributes.department
bob,Bob Example,bob@example.com,,Sales
alice,"Alice ""Al"" Example",alice@example.com,11111111-1111-4111-8111-111111111111,Engineering
`;

const manifest = (schema: string): string => `# yaml-language-server: $schema=${schema}
version: 1
users:
  - username: alice
    name: Alice "Al" Example
    groups:
      - 11111111-1111-4111-8111-111111111111
    email: alice@example.com
    attributes:
      department: Engineering
  - username: bob
    name: Bob Example
    email: bob@example.com
    attributes:
      department: Sales
`;
const schema = 'node_modules/rollcall/schemas/manifest.schema.json';

function importing(text: string | Uint8Array, ...args: string[]): Promise<Ended> {
  writeFileSync(join(cwd, 'people.csv'), text);
  return endedHere(['import', 'csv', '--kind', 'users', 'people.csv', ...args], { cwd });
}

describe('rollcall import csv', () => {
  test('prints a valid manifest', async () => {
    expect(await importing(table)).toEqual({ code: 0, stdout: manifest(schema), stderr: '' });
    expect(await importing(table, '--out', '-')).toEqual({ code: 0, stdout: manifest(schema), stderr: '' });
    const validated = await endedHere(['validate', '-'], { cwd, input: manifest(schema) });
    expect(validated).toMatchObject({ code: 0 });
  });

  test('writes the columns that are instructions', async () => {
    const ended = await importing(
      'username,name,formerly,at_least,exactly,state\na,A,old,groups,attributes,\nb,,,,,absent\n',
    );
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    const [a, b] = [
      '- username: a\n    name: A\n    at_least:\n      - groups\n    exactly:\n      - attributes\n    formerly: old',
      '- username: b\n    state: absent',
    ];
    expect(ended.stdout).toContain(`  ${a}\n  ${b}\n`);
    expect(await importing('username,name,state\nb,B,gone\n')).toMatchObject({ code: 3 });
  });

  test('reads standard input', async () => {
    const ended = await endedHere(['import', 'csv', '--kind', 'users', '-'], { cwd, input: table });
    expect(ended).toEqual({ code: 0, stdout: manifest(schema), stderr: '' });
  });

  test.each([
    ['out.yaml', 'out.yaml', schema],
    ['manifests/', 'manifests/users.yaml', `../${schema}`],
    ['there', 'there/users.yaml', `../${schema}`],
    ['a/b/people.yaml', 'a/b/people.yaml', `../../${schema}`],
  ])('writes a private file: --out %s', async (out, path, relative) => {
    mkdirSync(join(cwd, 'there'));
    expect(await importing(table, '--out', out)).toEqual({ code: 0, stdout: '', stderr: `wrote  ${path}\n` });
    expect(readFileSync(join(cwd, path), 'utf8')).toBe(manifest(relative));
    expect(statSync(join(cwd, path)).mode & 0o777).toBe(0o600);
  });

  test('changes no existing file', async () => {
    writeFileSync(join(cwd, 'users.yaml'), 'mine');
    const { code, stdout, stderr } = await importing(table, '--out', '.');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe('error: ./users.yaml exists already\n    Nothing was written. Choose a new name.\n');
    expect(readFileSync(join(cwd, 'users.yaml'), 'utf8')).toBe('mine');
  });

  test('explains why a file cannot be written', async () => {
    writeFileSync(join(cwd, 'file'), '');
    const { code, stderr } = await importing(table, '--out', 'file/users.yaml');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: cannot write file\/users\.yaml\n {4}.+\n$/);
  });

  test.each<[name: string, text: string | Uint8Array, said: string]>([
    [
      'an invalid cell',
      'username,name,is_active\na,A,yes\n',
      'people.csv:2:5: error: `is_active` must be true or false [wrong-type]\n',
    ],
    [
      'an unknown column',
      'username,E-Mail\na,b\n',
      'people.csv:1:10: error: unknown column `E-Mail` [unknown-field]\n  1 | username,E-Mail\n    |          ^^^^^^\n    Did you mean `email`?\n',
    ],
    [
      'the column of the name in upper case',
      'Username,name\na,b\n',
      'people.csv: error: the column `username` is missing [missing-field]\n    A column has a similar name: write `username`. The first row',
    ],
    [
      'another delimiter than the comma',
      'username;name\na;b\n',
      'people.csv: error: the column `username` is missing [missing-field]\n    The first row names the columns, and each name is a field of users in a manifest. For a separator other than a comma, use --delimiter.\n',
    ],
    [
      'the encoding Latin-1',
      Buffer.from('username,name\nj\xfcrgen,J\xfcrgen\n', 'latin1'),
      'people.csv: error: this file is not valid UTF-8 [not-utf-8]\n    Save it as UTF-8.\n',
    ],
    [
      'the encoding UTF-16',
      Buffer.from('\ufeffusername,name\na,b\n', 'utf16le'),
      'people.csv: error: this file is UTF-16 [not-utf-8]\n    Save it as UTF-8.\n',
    ],
    ['a control character', 'username,\u001b[2J\na,b\n', 'unknown column `\\u{1b}[2J`'],
  ])('reports %s, and writes nothing', async (_, text, said) => {
    const { code, stdout, stderr } = await importing(text, '--out', 'out.yaml');
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toContain(said);
    expect(stderr).toMatch(/\n\nNothing was written\.\n$/);
    expect(() => statSync(join(cwd, 'out.yaml'))).toThrow('ENOENT');
  });

  test('reports a warning, and still writes', async () => {
    const { code, stdout, stderr } = await importing(
      '\ufeffusername;last_login\r\na;2024-05-01 10:00\r\n',
      '--delimiter',
      'semicolon',
    );
    expect(code).toBe(0);
    expect(stdout).toContain('  - username: a\n    last_login: 2024-05-01 10:00\n');
    expect(stderr).toMatch(
      /^people\.csv:2:1: warning: user\.a: .* \[likely-refused\]\n[^]*people\.csv:2:3: warning/,
    );
  });

  test.each([
    [
      ['--kind', 'users', 'people.csv', '--delimiter', 'x'],
      'Allowed choices are comma, semicolon, tab, pipe.',
    ],
    [['--kind', 'users', 'nothing.csv'], 'nothing.csv: error: no such file'],
    [['--kind', 'users', '.'], 'this is not a file'],
    [['people.csv'], 'no --kind is given\n    Choose the kind of the rows: certificates, roles, groups, '],
    [['--kind', 'user', 'people.csv'], '--kind cannot be "user"\n    Did you mean `users`?'],
    [['--kind', 'providers', 'people.csv'], '--kind cannot be "providers"'],
  ])('refuses %j', async (args, said) => {
    const { code, stdout, stderr } = await endedHere(['import', 'csv', ...args], { cwd });
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toContain(said);
  });

  test.runIf(inFull)('refuses a table whose manifest would be too large', async () => {
    const key = 'k'.repeat(10_000);
    const rows = Array.from({ length: 1700 }, (_, index) => `u${index},${index}\n`).join('');
    const { code, stdout, stderr } = await importing(`username,attributes.${key}\n${rows}`);
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toContain(
      'people.csv: error: the manifest of this table would be invalid: this file is larger than 16 MiB [file-too-large]',
    );
  });
});
