import { expect, test } from 'vitest';
import { complete } from '../../src/commands/complete.ts';
import { program } from '../../src/commands/program.ts';
import type { Context } from '../../src/terminal/context.ts';
import { memoryFiles } from '../support/memory-files.ts';
import { capture } from '../support/run.ts';

test('TAB offers addresses without reading a secret, from the environment or from a file', async () => {
  const { context } = capture({});
  const files = memoryFiles({
    'rollcall.yaml':
      'version: 1\nmanifests: [m.yaml]\nenvironments: { a: { token_file: secrets/token, url: "https://id.example.com" } }\n',
    'm.yaml': [
      'version: 1',
      'applications:',
      '  - { slug: wiki, name: Wiki, meta_description: "${file:secrets/one}" }',
      '  - { slug: "x-${env:SECRET}", name: Named by a secret }',
      'users:',
      '  - { username: "u-${var:WHO}", name: A, email: "${env:SECRET}", attributes: { key: ["${file:secrets/one}"] } }',
      '  - { username: no-mail, name: B, email: wrong }',
    ].join('\n'),
    'secrets/one': 'canary-one',
    'secrets/token': 'canary-token',
  });
  const opened: string[] = [];
  const watched: Context = {
    ...context,
    env: new Proxy(
      { ROLLCALL_TOKEN_FILE: 'secrets/token', SECRET: 'canary-variable' },
      {
        get: (variables, name) => {
          opened.push(`\${env:${String(name)}}`);
          return Reflect.get(variables, name) as string | undefined; // its values are texts
        },
      },
    ),
    files: {
      ...files,
      read: async (path, maxBytes) => {
        opened.push(path);
        return files.read(path, maxBytes);
      },
    },
  };
  const rollcall = program('1', () => {});
  const offered = await complete(rollcall, ['plan', '--env', 'a', '--target', ''], watched);
  expect(offered.map(({ text }) => text)).toEqual(['application.wiki', 'user.no-mail']);
  expect(opened.filter((name) => !name.startsWith('$'))).toEqual(['rollcall.yaml', 'm.yaml']);
  expect(opened).not.toContain('${env:SECRET}');
});
