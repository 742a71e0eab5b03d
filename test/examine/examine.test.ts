import { expect, test } from 'vitest';
import { someOf, times } from '../support/effort.ts';
import { examine } from './examine.ts';
import { rollcallTool, type Command, type Tool } from './tool.ts';

// In the last seed, another writer deletes a group that a user belongs to.
test.each([...Array.from({ length: times({ short: 1, full: 6 }) }, (_, seed) => seed), 77_001_100])(
  'rollcall reaches the declared state and reports it, from the random state of seed %i',
  async (seed) => {
    expect((await examine(seed, rollcallTool)).violations).toEqual([]);
  },
);

/** A tool whose `apply` runs a script. In the script, `send` sends a request to the service. */
function scripted(script: string, more: Partial<Tool> = {}): Tool {
  const apply: Tool['apply'] = (setting) => ({
    program: process.execPath,
    args: [
      '--eval',
      `const send = (method, path, body) => fetch(process.env.ROLLCALL_URL + '/api/v3' + path, {
         method, body: body && JSON.stringify(body),
         headers: { authorization: 'Bearer ' + process.env.ROLLCALL_TOKEN, 'content-type': 'application/json' },
       }).catch(() => {});
       const apply = () => require('node:child_process').spawn(process.execPath, ${JSON.stringify(argumentsOf(rollcallTool.apply(setting)))}, { stdio: 'inherit' });
       (async () => { ${script} })();`,
    ],
    env: rollcallTool.apply(setting).env,
  });
  return { ...rollcallTool, apply, ...more };
}

function argumentsOf({ args }: Command): readonly string[] {
  return args;
}

const applied = `await new Promise((resolve) => apply().once('close', (code) => resolve(code)));`;
const staff = '/core/groups/11111111-1111-4111-8111-111111111111/';

const broken: readonly [name: string, tool: Tool, words: RegExp][] = [
  ['does nothing', scripted(''), /differs from its declaration in the end/],
  [
    'reports changes that it did not make',
    scripted('', { outcomes: () => [{ address: 'all', outcome: 'created' }] }),
    /is not in the report/,
  ],
  [
    'deletes an undeclared group',
    scripted(`${applied} await send('DELETE', '${staff}');`),
    /"staff"\) is gone/,
  ],
  [
    'changes an undeclared group',
    scripted(`${applied} await send('PATCH', '${staff}', { attributes: { changed: true } });`),
    /"staff"\) has other values of undeclared fields: attributes/,
  ],
  ['fails in the end', scripted(`${applied} process.exit(1);`), /does not finish/],
  [
    'shows the token',
    scripted(`${applied} console.error(process.env.ROLLCALL_TOKEN);`),
    /the token is shown/,
  ],
  [
    'shows a stack trace',
    scripted(`${applied} console.error(new Error('x').stack);`),
    /a stack trace is shown/,
  ],
  [
    'writes during a plan',
    { ...rollcallTool, plan: (setting) => scripted(`await send('PATCH', '${staff}', {});`).apply(setting) },
    /a plan writes/,
  ],
];

test.each(someOf(broken, 2))('the examination catches a tool that %s', async (_, tool, words) => {
  let found = '';
  // Not every state reveals a mistake.
  for (let seed = 0; seed < 8 && !words.test(found); seed += 1)
    found += (await examine(seed, tool)).violations.join('\n');
  expect(found).toMatch(words);
});
