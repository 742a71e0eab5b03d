import { expect, test } from 'vitest';
import { loadManifests, type LoadedManifests } from '../../src/manifest/load-manifests.ts';
import { noOwnSecrets } from '../../src/base/own-secrets.ts';
import { memoryFiles } from '../support/memory-files.ts';
import { sentOf, shownOf, templatesOf } from '../support/values.ts';
import { loadText } from '../support/desired.ts';

/** Loads manifests without reading secrets. The test fails if the environment or another file is read. */
async function assumed(
  text: string,
  {
    files = {},
    ...options
  }: { files?: Record<string, string>; allowEnv?: string[]; allowFiles?: string[] } = {},
): Promise<LoadedManifests> {
  const memory = memoryFiles({ 'm/a.yaml': `version: 1\n${text}\n`, ...files });
  const read = async (path: string, most: number): Promise<Uint8Array> =>
    path === 'm/a.yaml' ? memory.read(path, most) : Promise.reject(new Error(`${path} was read`));
  const unread = (_: object, name: string | symbol): never => expect.unreachable(`${String(name)} was read`);
  const env = new Proxy({}, { get: unread, getOwnPropertyDescriptor: unread });
  return loadManifests(['m/a.yaml'], {
    files: { ...memory, read },
    env,
    variables: { host: 'example.com' },
    secrets: 'assumed',
    ownSecrets: { ...noOwnSecrets, variables: ['MY_TOKEN'], files: new Set(['/memory/m/token']) },
    ...options,
  });
}

test('with --without-secrets, an unread secret counts as present, and is not validated or shown', async () => {
  const { resources, diagnostics, unchecked } = await assumed(
    [
      'defaults: { user: { email: "${env:MAIL}@${var:host}" } }',
      'applications:',
      '  - { slug: a, name: "${file:none}", meta_launch_url: "${env:URL}", policy_engine_mode: "${env:MODE}" }',
      'users:',
      '  - { username: u, name: "${file:../m/none}", last_login: "${env:WHEN}", path: "/${env:MAIL}", type: "${env:TYPE}" }',
      '  - { username: v, name: V, groups: ["${env:G}", "${env:G}"], attributes: { a: [{ b: "x ${file:/k} y" }], c: 1 } }',
    ].join('\n'),
    { files: { '/k': 'canary' } },
  );
  expect(diagnostics).toEqual([]);
  expect(
    resources.map((resource) => ({
      fields: sentOf(resource),
      shown: shownOf(resource),
      references: templatesOf(resource),
    })),
  ).toEqual([
    {
      fields: { slug: 'a' },
      shown: {
        slug: 'a',
        name: '(sensitive)',
        meta_launch_url: '(sensitive)',
        policy_engine_mode: '(sensitive)',
      },
      references: {
        '/name': [{ file: 'none' }],
        '/meta_launch_url': [{ env: 'URL' }],
        '/policy_engine_mode': [{ env: 'MODE' }],
      },
    },
    {
      fields: { username: 'u' },
      shown: {
        username: 'u',
        name: '(sensitive)',
        last_login: '(sensitive)',
        path: '(sensitive)',
        type: '(sensitive)',
        email: '(sensitive)',
      },
      references: {
        '/name': [{ file: '../m/none' }],
        '/last_login': [{ env: 'WHEN' }],
        '/path': ['/', { env: 'MAIL' }],
        '/type': [{ env: 'TYPE' }],
        '/email': [{ env: 'MAIL' }, '@', 'example.com'],
      },
    },
    {
      fields: { username: 'v', name: 'V' },
      shown: {
        username: 'v',
        name: 'V',
        groups: ['(sensitive)', '(sensitive)'],
        attributes: { a: [{ b: '(sensitive)' }], c: 1 },
        email: '(sensitive)',
      },
      references: {
        '/groups/0': [{ env: 'G' }],
        '/groups/1': [{ env: 'G' }],
        '/attributes/a/0/b': ['x ', { file: '/k' }, ' y'],
        '/email': [{ env: 'MAIL' }, '@', 'example.com'],
      },
    },
  ]);
  expect(unchecked).toEqual({
    values: 11,
    variables: ['MAIL', 'URL', 'MODE', 'WHEN', 'TYPE', 'G'],
    files: ['m/none', '/k'],
  });
});

test.each([
  ['a number or mapping in place of a secret', 'attributes: "${env:A}"', 'wrong-type'],
  ['an unfinished reference', 'email: "${env:A"', 'invalid-reference'],
  ['a variable next to a secret', 'email: "${var:hots}${env:A}"', 'unresolved-reference'],
  ['a variable of rollcall itself', 'email: "${env:MY_TOKEN}"', 'invalid-reference'],
  ['a variable that is not allowed', 'email: "${env:HOME}"', 'invalid-reference'],
  ['a file of rollcall itself', 'email: "${file:token}"', 'invalid-reference'],
  ['an existing file that is not allowed', 'email: "${file:../other}"', 'invalid-reference'],
  ['a system file', 'email: "${file:/proc/self/environ}"', 'invalid-reference'],
  ['another item of the list', 'groups: ["${env:A}", admins]', 'invalid-format'],
  ['another field', 'email: "${env:A}", path: /x', 'invalid-format'],
  ['a missing field', 'email: "${env:A}" }, { username: w', 'likely-refused'],
])('with --without-secrets, everything else is still checked: %s', async (_, fields, code) => {
  const text = `users: [{ username: u, name: "\${file:../missing}", ${fields} }]`;
  const files = { 'm/token': 'canary', other: 'canary', '/proc/self/environ': 'canary' };
  const { diagnostics } = await assumed(text, { files, allowEnv: ['A', 'MY_*'], allowFiles: ['m', '/proc'] });
  expect(diagnostics.map((diagnostic) => diagnostic.code)).toEqual([code]);
});

test('a secret in place of a name is refused, and the entry has no address', async () => {
  const { diagnostics, addresses } = await assumed(
    'users: [{ username: "${env:A}", name: A }, { username: "${env:B}", name: B }, { username: c, name: C }]',
  );
  expect(diagnostics.map(({ code }) => code)).toEqual(['sensitive-name', 'sensitive-name']);
  expect([...addresses]).toEqual(['user.c']);
});

test('a run that reads secrets does not mention unchecked values', async () => {
  const none = 'version: 1\nusers: []\n';
  expect(await loadText(none)).not.toHaveProperty('unchecked');
  const { unchecked } = await loadText(none, { secrets: 'assumed' });
  expect(unchecked).toEqual({ values: 0, variables: [], files: [] });
});

test('a secret that is generated does not count as unchecked', async () => {
  const entry = 'type: oauth2, name: a, authorization_flow: { slug: a }, client_secret: "${generate:40}"';
  const { unchecked } = await assumed(`providers: [{ ${entry} }]`);
  expect(unchecked).toEqual({ values: 0, variables: [], files: [] });
});

test.each([
  'ROLLCALL_TOKEN',
  'ROLLCALL_CLIENT_KEY_PASSPHRASE',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'http_proxy',
  'https_proxy',
])('no manifest may use the variable %s, although it is set', async (name) => {
  const text = `version: 1\nusers: [{ username: u, name: U, attributes: { a: "\${env:${name}}" } }]\n`;
  const { diagnostics } = await loadText(text, { env: { [name]: 'canary' } });
  expect(diagnostics.map(({ code }) => code)).toEqual(['invalid-reference']);
});
