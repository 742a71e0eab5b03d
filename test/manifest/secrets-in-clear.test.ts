import { expect, test } from 'vitest';
import { valueAt, type JsonObject, type JsonValue } from '../../src/base/json.ts';
import { sourceFile } from '../../src/base/source.ts';
import { parseYaml } from '../../src/yaml/parse-yaml.ts';
import { loadText } from '../support/desired.ts';
import { tokenIn, withSecretJson } from '../../src/manifest/secrets-in-clear.ts';

test('of a kubeconfig, each string of at least eight characters is a secret', () => {
  const manifest = {
    version: 1,
    service_connections: [
      {
        type: 'kubernetes',
        name: 'k',
        kubeconfig: '{ a: "1234567", b: ["12345678"], c: { d: "123456789" } }',
      },
    ],
  };
  const { secrets } = withSecretJson(manifest, [['service_connections', 0, 'kubeconfig']], false);
  expect(secrets).toEqual(['12345678', '123456789']);
});

const connection = (kubeconfig: string): JsonObject => ({
  version: 1,
  service_connections: [
    { type: 'kubernetes', name: 'k', kubeconfig },
    { type: 'docker', name: 'd', url: 'x' },
  ],
});
const place = ['service_connections', 0, 'kubeconfig'];

test.each<[text: string, areAssumed: boolean, read: JsonValue]>([
  ['{ a: 1 }', false, { a: 1 }],
  ['{"a": [1]}', false, { a: [1] }],
  ['{ a: 1 }', true, {}],
  ['no mapping', false, 'no mapping'],
  ['{ a: ', false, '{ a: '],
])('the kubeconfig %j, whose value is assumed (%j), is read as %j', (text, areAssumed, read) => {
  const { manifest } = withSecretJson(connection(text), [place], areAssumed);
  expect(valueAt(manifest, place)).toEqual(read);
  expect(valueAt(manifest, ['service_connections', 1])).toEqual({ type: 'docker', name: 'd', url: 'x' });
});

test('a secret of another form, and a place that does not exist, are left alone', () => {
  const manifest = {
    version: 1,
    certificates: [{ name: 'c', key_data: '{ a: 12345678 }' }, 'odd'],
    users: 'odd',
  };
  const paths = [
    ['certificates', 0, 'key_data'],
    ['certificates', 1, 'key_data'],
    ['users', 0, 'x'],
    ['none', 0, 'x'],
  ];
  expect(withSecretJson(manifest, paths, false)).toEqual({ manifest, secrets: [] });
  expect(withSecretJson('odd', paths, false)).toEqual({ manifest: 'odd', secrets: [] });
});

const certificate = (key: string): string =>
  `version: 1\ncertificates:\n  - name: c\n    certificate_data: x\n    key_data: ${key}\n`;

test.each([
  ['canary-key', {}, ['secret-in-clear']],
  ['|\n      canary-key\n      canary-more', {}, ['secret-in-clear']],
  ['"${env:KEY}"', { KEY: 'canary-key' }, []],
  ['"${env:KEY}"', { KEY: '' }, ['unresolved-reference']],
])(
  'the secret %j, with the variables %j, has the problems %j, whose excerpts do not show it',
  async (key, env, codes) => {
    const { diagnostics } = await loadText(certificate(key), { env });
    const ofSecret = diagnostics.filter(({ range }) => range?.start.line === 5);
    expect(ofSecret.map(({ code }) => code)).toEqual(codes);
    expect(JSON.stringify(diagnostics)).not.toContain('canary');
  },
);

test('a line that shows a secret in clear is not quoted for another problem either', async () => {
  const { diagnostics } = await loadText(
    'version: 1\ncertificates: [{ name: c, certificate_data: 1, key_data: canary-key }]\n',
  );
  expect(diagnostics.map(({ code }) => code).toSorted()).toEqual(['secret-in-clear', 'wrong-type']);
  expect(JSON.stringify(diagnostics)).not.toContain('canary');
});

test.each([
  ['users: [{ username: canary-token }]', 'users: [{ username: canary-token }]', '2:21'],
  [String.raw`users: [{ username: "canary\x2dtoken" }]`, undefined, '2:21'],
  [String.raw`users: [{ "canary\x2dtoken": 1 }]`, undefined, '2:30'],
  [String.raw`users: [{ username: a, attributes: { b: ["canary\x2dtoken"] } }]`, undefined, '2:42'],
  ['users: [{ username: canary }]', undefined, undefined],
])('a token in %s is reported with the line %j, at %s', (text, excerpt, at) => {
  const file = sourceFile('a.yaml', `version: 1\n${text}\n`);
  const parsed = parseYaml(file);
  const found = tokenIn(file, 'canary-token', parsed.value ?? null, parsed.places);
  expect(found.map((one) => [one.excerpt, `${one.range?.start.line}:${one.range?.start.column}`])).toEqual(
    at === undefined ? [] : [[excerpt, at]],
  );
});
