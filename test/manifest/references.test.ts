import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../src/base/json.ts';
import { loadManifests, type LoadedManifests } from '../../src/manifest/load-manifests.ts';
import { noOwnSecrets } from '../../src/base/own-secrets.ts';
import { memoryFiles } from '../support/memory-files.ts';
import { sentOf, shownOf } from '../support/values.ts';
import { loadText } from '../support/desired.ts';

const variables: Record<string, JsonValue> = {
  provider: 12,
  ids: [1, 2],
  flag: true,
  team: 'core',
  nothing: null,
  tree: { a: 1 },
};

function load(field: string, value: string): Promise<LoadedManifests> {
  const text = `version: 1\napplications:\n  - slug: wiki\n    name: Wiki\n    ${field}: ${value}\n`;
  return loadManifests(['m/a.yaml'], {
    files: memoryFiles({
      'm/a.yaml': text,
      'm/secret.txt': 'hunter2\n',
      'm/own': 'the-token',
      'm/greeting': 'a\n  b\n\n',
      '/etc/secret': 'absolute',
    }),
    variables,
    env: { KEY: 's3cret', EMPTY: '', ROLLCALL_TOKEN: 'the-token', MY_TOKEN: 'the-token' },
    ownSecrets: { ...noOwnSecrets, variables: ['MY_TOKEN'], tokens: ['the-token'] },
  });
}

async function resolved(field: string, value: string): Promise<{ value: unknown; shown: unknown }> {
  const { resources, diagnostics } = await load(field, value);
  expect(diagnostics).toEqual([]);
  const [resource] = resources;
  return { value: resource && sentOf(resource)[field], shown: resource && shownOf(resource)[field] };
}

describe('a reference in a manifest', () => {
  test.each([
    ['provider', '${var:provider}', 12],
    ['backchannel_providers', '${var:ids}', [1, 2]],
    ['open_in_new_tab', '${var:flag}', true],
    ['group', '${var:team}', 'core'],
    ['group', '"${var:team}-${var:provider}-${var:flag}"', 'core-12-true'],
    ['group', '"a $${var:team} b"', 'a ${var:team} b'],
    ['group', '"5 $ and {x}"', '5 $ and {x}'],
    ['group', '"  ${var:team}  "', 'core'],
    ['group', '"${text:greeting}"', 'a\n  b'],
    ['group', '"${text:greeting}-${var:team}"', 'a\n  b\n-core'],
  ])('in %s: %s resolves to its value', async (field, value, expected) => {
    expect(await resolved(field, value)).toEqual({ value: expected, shown: expected });
  });

  test('to a variable without a value stands for a field without a value', async () => {
    expect(await resolved('provider', '${var:nothing}')).toEqual({ value: null, shown: null });
    const { resources, diagnostics } = await load('group', '${var:nothing}');
    expect([resources, diagnostics]).toEqual([[], [expect.objectContaining({ code: 'wrong-type' })]]);
  });

  test.each([
    ['${env:KEY}', 's3cret'],
    ['"key=${env:KEY};"', 'key=s3cret;'],
    ['${file:secret.txt}', 'hunter2'],
    ['${file:/etc/secret}', 'absolute'],
    ['"${env:EMPTY}"', ''],
  ])('to the secret %s is resolved and masked', async (value, expected) => {
    expect(await resolved('group', value)).toEqual({ value: expected, shown: '(sensitive)' });
  });

  test.each([
    ['group', '${var:teem}', 'unresolved-reference', 'Did you mean `team`?'],
    ['group', '${env:NO}', 'unresolved-reference', 'Set it where rollcall runs.'],
    ['group', '${file:no}', 'unresolved-reference', 'no such file'],
    ['group', '"x ${var:tree}"', 'invalid-reference', 'Inside a longer string'],
    ['group', '"x ${var:nothing}"', 'invalid-reference', 'Inside a longer string'],
    ['group', '${text:no}', 'unresolved-reference', 'no such file'],
    ['group', '${text:own}', 'invalid-reference', 'contains the access token'],
    ['group', '${HOME}', 'invalid-reference', 'A reference is'],
    ['group', '"${var:}"', 'invalid-reference', 'A reference is'],
    ['group', '"${var:team"', 'invalid-reference', 'Close the reference with }'],
    ['provider', '${env:KEY}', 'wrong-type', ''],
    ['provider', '${var:team}', 'wrong-type', ''],
  ])('in %s: %s is reported as %s if invalid', async (field, value, code, detail) => {
    const { diagnostics } = await load(field, value);
    expect(diagnostics).toMatchObject([
      { code, detail: expect.stringContaining(detail) as string, range: { start: { line: 5 } } },
    ]);
    expect(JSON.stringify(diagnostics)).not.toContain('s3cret');
  });

  test('that is invalid is reported separately from others in the same string', async () => {
    const { diagnostics } = await load('group', '"${env:NO} ${var:teem} ${env:NO} ${env:KEY} ${nothing}"');
    expect(diagnostics.map(({ summary }) => summary)).toEqual([
      'this is not a reference: ${nothing}',
      'the environment variable `NO` is not set',
      'the variable `teem` has no value',
    ]);
    const many = Array.from({ length: 1000 }, (_, index) => `\${env:NO${index}}`).join('');
    expect((await load('group', `"${many}"`)).diagnostics).toHaveLength(10);
  });

  test.each(['toString', 'constructor', '__proto__'])(
    'to an unset variable with the name of an object property is reported: %s',
    async (name) => {
      const { diagnostics } = await load('group', `"x\${env:${name}}"`);
      expect(diagnostics.map(({ code }) => code)).toEqual(['unresolved-reference']);
    },
  );

  test('cannot inject YAML structure', async () => {
    variables['evil'] = 'x\nslug: other\nprovider: 1';
    expect((await resolved('group', '${var:evil}')).value).toBe('x\nslug: other\nprovider: 1');
  });

  test.each([
    ['alone', 'users: [{ username: "${env:KEY}", name: A }]', 1],
    ['without a display name', 'users: [{ username: "${env:KEY}" }]', 1],
    [
      'in two entries',
      'users: [{ username: "${env:KEY}", name: A }, { username: "${env:KEY}", name: A }]',
      2,
    ],
    [
      'next to a similar name',
      'users: [{ username: S3CRET, name: A }, { username: "${env:KEY}", name: A }]',
      1,
    ],
    [
      'with a shared provider',
      'applications: [{ slug: "${env:KEY}", name: A, provider: 1 }, { slug: b, name: B, provider: 1 }]',
      1,
    ],
  ])('to a secret cannot replace a name: %s', async (_name, list, count) => {
    const { diagnostics } = await loadText(`version: 1\n${list}\n`, { env: { KEY: 's3cret' } });
    expect(diagnostics.map(({ code }) => code)).toEqual(Array(count).fill('sensitive-name'));
    expect(JSON.stringify(diagnostics)).not.toContain('s3cret');
  });

  test('is not resolved in a key', async () => {
    const { diagnostics } = await load(
      'group',
      'x\nusers: [{ username: a, name: A, attributes: { "${env:KEY}": 1 } }]',
    );
    expect(diagnostics).toMatchObject([{ code: 'invalid-reference' }]);
  });

  test('to a file reads the file once for all references, and is refused if the file is large', async () => {
    let reads = 0;
    const files = memoryFiles({
      'a.yaml': `version: 1\napplications:\n${Array.from({ length: 50 }, (_, index) => `  - { slug: a${index}, name: "\${file:s}", group: "\${file:large}" }\n`).join('')}`,
      s: 'x',
      large: 'x'.repeat(64 * 1024 + 1),
    });
    const counting = {
      ...files,
      read: (path: string, most: number) => ((reads += 1), files.read(path, most)),
    };
    const { diagnostics } = await loadManifests(['a.yaml'], { files: counting });
    expect(reads).toBe(3);
    expect(new Set(diagnostics.map(({ code, detail }) => `${code} ${detail.split('\n', 1)[0]}`))).toEqual(
      new Set(['unresolved-reference this file is larger than 64 KiB']),
    );
  });
});

test.each(['', ' \n'])('an empty secret is reported: %j', async (text) => {
  const entry = (field: string): string =>
    `  - { type: oauth2, name: P, authorization_flow: 11111111-1111-4111-8111-111111111111, ${field} }`;
  const problems = async (field: string): Promise<string[]> => {
    const { diagnostics } = await loadManifests(['m.yaml'], {
      files: memoryFiles({ 'm.yaml': `version: 1\nproviders:\n${entry(field)}\n`, secret: text }),
      env: { EMPTY: text },
    });
    return diagnostics.flatMap(({ summary, severity }) => (severity === 'error' ? summary : []));
  };
  expect(await problems('client_secret: "${env:EMPTY}"')).toEqual(['this secret is empty']);
  expect(await problems('client_secret: "${file:secret}"')).toEqual(['this secret is empty']);
});

test.each(['7', 'a1', 'pin7391'])('a short secret is masked in messages too: %s', async (pin) => {
  const { resources } = await loadText('version: 1\nusers: [{ username: a, name: "${env:PIN}" }]\n', {
    env: { PIN: pin },
  });
  expect(resources.map(({ secrets }) => secrets)).toEqual([[pin]]);
});
