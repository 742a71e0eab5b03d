import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fetched } from '../../scripts/fetch-schema.js';
import { newsOf } from '../../scripts/service-news.js';
import type { TypeFacts } from '../../src/kinds/facts.ts';

function type(fields: TypeFacts['fields']): TypeFacts {
  return { can: ['list'], filters: { search: {}, name: {} }, actions: {}, fields };
}

test('the news of a release list its types and fields', () => {
  const before = new Map([
    ['/core/gone/', type({})],
    ['/core/groups/', type({ name: { type: 'string' }, users: {}, label: {}, kept: { maxLength: 3 } })],
  ]);
  const now = new Map([
    [
      '/core/groups/',
      type({
        name: { type: 'string', required: true },
        color: {},
        size: { required: true },
        label: { nullable: true },
        kept: { maxLength: 3 },
      }),
    ],
    ['/core/teams/', type({ name: { required: true }, motto: {} })],
  ]);
  expect(newsOf(before, now).split('\n')).toEqual([
    'New types:',
    '  /core/teams/ demands name; found by search, name',
    '',
    'Types that went:',
    '  /core/gone/',
    '',
    'Fields that are demanded now:',
    '  /core/groups/ name: {"type":"string","required":true}',
    '  /core/groups/ size: {"required":true}',
    '',
    'New fields:',
    '  /core/groups/ color: {}',
    '',
    'Fields that went:',
    '  /core/groups/ users',
    '',
    'Fields that hold something else:',
    '  /core/groups/ label: {"nullable":true}',
    '',
  ]);
});

test.each([
  ['2023.10.2', 'go mod download -json goauthentik.io/api/v3@v3.2023102.1'],
  ['2025.8.6', 'go mod download -json goauthentik.io/api/v3@v3.2025080.6'],
  ['v3.2024100.1', 'go mod download -json goauthentik.io/api/v3@v3.2024100.1'],
  ['2026.11.0', 'npm pack --silent @goauthentik/api@2026.11.0'],
])('the schema of %s comes from %s', (version, first) => {
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

test('a version that the module proxy does not have ends with its words', () => {
  const answer = JSON.stringify({ Error: 'unknown revision v3.1' });
  expect(() => fetched('v3.1', () => answer)).toThrow('unknown revision v3.1');
});
