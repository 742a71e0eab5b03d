import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sandboxToken } from '../../src/sandbox/seed.ts';
import { refuseLeaks, temporaryFolder, watch, watchFolder } from './canary.ts';
import { run } from './cli.ts';
import { capture } from './run.ts';

const url = 'http://127.0.0.1:9';
const print = (text: string): string[] => ['-e', `console.log(${JSON.stringify(text)})`];

test.each<[string, () => Promise<void> | void]>([
  ['what a program prints', async () => void (await run(process.execPath, print(`Bearer ${sandboxToken}`)))],
  ['what a command prints', () => capture({ url }).context.stdout.write('"note": "CANARY-1f2e"')],
  ['what a command says', () => capture({ url }).context.stderr.write('me:canary@')],
  ['what a command writes', () => capture({ url }).context.writePrivateFile('plan.json', 'a canary')],
  [
    'what is left in a folder',
    () => {
      const folder = temporaryFolder();
      mkdirSync(join(folder, 'below'));
      writeFileSync(join(folder, 'below/report.json'), `{"token":"${sandboxToken}"}`);
      watchFolder(folder);
      writeFileSync(join(folder, 'below/report.json'), '');
    },
  ],
])('a secret is found in %s', async (_, leak) => {
  await leak();
  expect(refuseLeaks).toThrow('A secret was written.');
  expect(refuseLeaks).not.toThrow();
});

test('a secret is allowed where a test put it, and where the sandbox prints its own token', () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'token'), `${sandboxToken}\n`);
  watchFolder(folder);
  watch('stdout', () => `\n  export ROLLCALL_URL=${url} ROLLCALL_TOKEN=${sandboxToken}\n`);
  expect(refuseLeaks).not.toThrow();
});
