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
  [
    'the output of a program',
    async () => void (await run(process.execPath, print(`Bearer ${sandboxToken}`))),
  ],
  ['the output of a command', () => capture({ url }).context.stdout.write('"note": "CANARY-1f2e"')],
  ['the messages of a command', () => capture({ url }).context.stderr.write('me:canary@')],
  ['a file that a command writes', () => capture({ url }).context.writePrivateFile('plan.json', 'a canary')],
  [
    'a file in a folder',
    () => {
      const folder = temporaryFolder();
      mkdirSync(join(folder, 'below'));
      writeFileSync(join(folder, 'below/report.json'), `{"token":"${sandboxToken}"}`);
      watchFolder(folder);
      writeFileSync(join(folder, 'below/report.json'), '');
    },
  ],
])("the tests' canary finds a secret in %s", async (_, leak) => {
  await leak();
  expect(refuseLeaks).toThrow('A secret was written.');
  expect(refuseLeaks).not.toThrow();
});

test("the tests' canary allows a secret in a file that the test wrote, and the sandbox's own token in the sandbox's output", () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'token'), `${sandboxToken}\n`);
  watchFolder(folder);
  watch('stdout', () => `\n  export ROLLCALL_URL=${url} ROLLCALL_TOKEN=${sandboxToken}\n`);
  expect(refuseLeaks).not.toThrow();
});
