import { expect, test } from 'vitest';
import { UsageError } from '../../src/base/errors.ts';
import { errorText } from '../../src/commands/error-text.ts';
import { runProgram } from '../../src/commands/run-program.ts';

/** The error message for arguments with which no command may run. */
async function saidOf(args: readonly string[]): Promise<string> {
  let said = '';
  const ending = await runProgram(args, '1.2.3', {
    env: {},
    writeOut: () => {},
    writeErr: (text) => (said += text),
    contextFor: () => Promise.reject(new Error('the command was run')),
  });
  expect(ending).toBe('invalid');
  return said;
}

test.each([
  ['plna', "unknown command 'plna'\n(Did you mean plan?)"],
  ['import cvs people.csv', "unknown command 'cvs'\n(Did you mean csv?)"],
  ['plan --max-create 5', "unknown option '--max-create'\n(Did you mean --max-creates?)"],
  ['apply --dry-runs', "unknown option '--dry-runs'"],
  ['state list', "unknown command 'state'"],
  ['import \u001b[31m', String.raw`unknown command '\u{1b}[31m'`],
])('an unknown word on the command line gets a suggestion: rollcall %s', async (line, words) => {
  expect(await saidOf(line.split(' '))).toBe(`error: ${words}\n--help shows the usage.\n`);
});

test.each([
  ['plan', '-var=TOKEN=canary'],
  ['plan', '--tokn=canary'],
  ['plan', '-xcanary'],
])('the value of an unknown option is not repeated: rollcall %s %s', async (...args) => {
  expect(await saidOf(args)).not.toContain('canary');
});

test.each([
  ['plan', '-vq', '--bogus'],
  ['plan', '-ojson', '--bogus'],
  ['plan', 'destroy', '--bogus'],
  ['plan', '--target', 'application.a', '--bogus'],
])('an unknown option is reported even after other arguments: rollcall %s %s %s', async (...args) => {
  expect(await saidOf(args)).toBe("error: unknown option '--bogus'\n--help shows the usage.\n");
});

test('export reads variables of the manifests of --missing-from', async () => {
  const words = 'export --missing-from m --var a=b --vars v.yaml --bogus';
  expect(await saidOf(words.split(' '))).toBe("error: unknown option '--bogus'\n--help shows the usage.\n");
});

test('rollcall without arguments prints only the usage', async () => {
  expect(await saidOf([])).toMatch(/^Usage: rollcall [^]*\nExample: rollcall init\n$/);
});

test('a token on the command line is refused, and the error lists the ways to pass a token', async () => {
  expect(await saidOf(['plan', '--token', 'canary'])).toBe(
    "error: unknown option '--token'\n--help shows the usage.\n" +
      '    There is no flag for the token: set ROLLCALL_TOKEN, or name a file with --token-file.\n',
  );
});

test.each([
  [['--version'], /^1\.2\.3\n$/],
  [['plan', '--help'], /^Usage: rollcall plan /],
])('%j prints to standard output, and ends as done', async (args, expected) => {
  let [printed, said] = ['', ''];
  const ending = await runProgram(args, '1.2.3', {
    env: {},
    writeOut: (text) => (printed += text),
    writeErr: (text) => (said += text),
    contextFor: () => Promise.reject(new Error('the command was run')),
  });
  expect([ending, said]).toEqual(['done', '']);
  expect(printed).toMatch(expected);
});

test('a wrong use has no stack trace even with -v, unlike an unexpected error', () => {
  expect(errorText(new UsageError('no file is named', 'Name one.'), Infinity, true)).toBe(
    'error: no file is named\n    Name one.\n',
  );
  expect(errorText(new Error('odd'), Infinity, true)).toMatch(/\n {4}at /);
  expect(errorText(new Error('odd'), Infinity, false)).not.toMatch(/\n {4}at /);
});
