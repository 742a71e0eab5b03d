import { expect, test } from 'vitest';
import { capture } from '../support/run.ts';
import type { Context } from '../../src/terminal/context.ts';
import { UsageError } from '../../src/base/errors.ts';
import { errorText } from '../../src/commands/error-text.ts';
import { schemaPathOf, writeNewFiles } from '../../src/commands/new-files.ts';

const schema = 'node_modules/rollcall/schemas/manifest.schema.json';

test.each([
  [undefined, schema],
  ['a.yaml', schema],
  ['manifests/a.yaml', `../${schema}`],
  ['..manifests/a.yaml', `../${schema}`],
  ['manifests/../a.yaml', schema],
  ['../a.yaml', schema],
  ['/a.yaml', schema],
])('the manifest %s names the installed schema as %s', (filename, path) => {
  expect(schemaPathOf(filename)).toBe(path);
});

function writingTo(written: string[]): Context['stderr'] {
  const { stderr } = capture({}).context;
  return { ...stderr, write: (text) => void written.push(text) };
}

const hostile = 'a\u202eb\n##[error]';
const visible = String.raw`a\u{202e}b\n#\u{23}[error]`;

test.each([
  ['is written', [], `wrote  ${visible}\n`, true],
  [
    'exists',
    [hostile],
    `error: ${visible} exists already\n    Nothing was written. Choose a new name.\n`,
    false,
  ],
] as const)('a new file that %s is reported with a visible name', async (_, taken, said, isWritten) => {
  const stderr: string[] = [];
  const context = {
    createPrivateFiles: async () => [...taken],
    stderr: writingTo(stderr),
  };
  expect(await writeNewFiles(new Map([[hostile, 'text']]), context)).toBe(isWritten);
  expect(stderr.join('')).toBe(said);
});

test('a failed write is reported with a visible name and reason', async () => {
  const stderr: string[] = [];
  const context = {
    createPrivateFiles: async () => Promise.reject(new Error(hostile)),
    stderr: writingTo(stderr),
  };
  expect(await writeNewFiles(new Map([[hostile, 'text']]), context)).toBe(false);
  expect(stderr.join('')).toBe(`error: cannot write ${visible}\n    ${visible}\n`);
});

test.each([
  [new UsageError(hostile, hostile), false, `error: ${visible}\n    ${visible}\n`],
  [new UsageError(hostile, hostile), true, `error: ${visible}\n    ${visible}\n`],
])('an error is printed with visible characters: %s, with its stack: %j', (error, showsStack, said) => {
  expect(errorText(error, 80, showsStack)).toBe(said);
});

test('an unexpected error is printed with its stack only for debugging', () => {
  const error = new Error(hostile);
  expect(errorText(error, 200, false)).toContain(visible);
  expect(errorText(error, 200, false)).not.toContain('new-files.test');
  expect(errorText(error, 200, true)).toContain('new-files.test');
  expect(errorText(error, 200, true)).not.toContain('\u202e');
  expect(
    errorText(error, 200, true)
      .split('\n')
      .filter((line) => line.startsWith('Error')),
  ).toEqual([]);
});
