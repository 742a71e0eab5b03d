import { beforeAll, describe, expect, test } from 'vitest';
import { resendTargets } from '../../src/manifest/resend.ts';
import { parseShard, Selector } from '../../src/manifest/select.ts';
import type { Capability } from '../../src/kinds/capability.ts';
import type { Resource } from '../../src/kinds/resource.ts';
import { desired } from '../support/desired.ts';

const usernames = [
  'a.b',
  'aXb',
  'a+b',
  '(x)',
  '[ab]',
  '^$',
  String.raw`back\slash`,
  'a*b',
  'a?b',
  'two\nlines',
  '\u{1f600}',
  'A|B',
  '{1}',
  '/',
];

let resources: readonly Resource[];
beforeAll(async () => {
  const users = usernames.map((username) => `  - { username: ${JSON.stringify(username)}, name: U }`);
  const slugs = ['wiki', 'wiki-2', 'grafana'].map((slug) => `  - { slug: ${slug}, name: ${slug} }`);
  resources = await desired(['version: 1', 'applications:', ...slugs, 'users:', ...users].join('\n'));
});

function selected(target: string[], exclude: string[] = []): string[] {
  return asked(target, exclude).addresses;
}

/** The addresses that the patterns select. */
function asked(target: string[], exclude: string[]): { addresses: string[]; unmatched: string[] } {
  const selector = new Selector({ target, exclude });
  const addresses = resources.map(({ address }) => address).filter((address) => selector.has(address));
  return { addresses, unmatched: selector.unmatched };
}

const applications = ['application.wiki', 'application.wiki-2', 'application.grafana'];
const users = usernames.map((username) => `user.${username}`);

describe('a glob of --target', () => {
  test.each<[string, string[]]>([
    ['application.wiki', ['application.wiki']],
    ['application.*', applications],
    ['*', [...applications, ...users]],
    ['**', [...applications, ...users]],
    ['application.wiki*', ['application.wiki', 'application.wiki-2']],
    ['application.wiki-?', ['application.wiki-2']],
    ['application.????', ['application.wiki']],
    ['application.?????*', ['application.wiki-2', 'application.grafana']],
    ['application.*?????', ['application.wiki-2', 'application.grafana']],
    ['*wiki', ['application.wiki']],
    [
      '*.*i*',
      ['application.wiki', 'application.wiki-2', 'application.grafana', ...users].filter((address) =>
        /\..*i/s.test(address),
      ),
    ],
    ['user.a.b', ['user.a.b']],
    ['user.a?b', ['user.a.b', 'user.aXb', 'user.a+b', 'user.a*b', 'user.a?b']],
    ['user.a+b', ['user.a+b']],
    ['user.(x)', ['user.(x)']],
    ['user.[ab]', ['user.[ab]']],
    ['user.^$', ['user.^$']],
    ['user.^*', ['user.^$']],
    [String.raw`user.back\*`, [String.raw`user.back\slash`]],
    ['user.two*lines', ['user.two\nlines']],
    ['user.two?lines', ['user.two\nlines']],
    ['user.A|B', ['user.A|B']],
    ['user.{1}', ['user.{1}']],
    ['user./', ['user./']],
  ])('%j selects matching addresses', (glob, expected) => {
    expect(selected([glob]).toSorted()).toEqual(expected.toSorted());
  });

  test('matches one character with ?, even a character of two code units', () => {
    const ofOne = usernames
      .filter((username) => /^.$/su.test(username))
      .map((username) => `user.${username}`);
    expect(ofOne).toContain('user.\u{1f600}');
    expect(selected(['user.?'])).toEqual(ofOne);
  });

  test('matches the whole address, case-sensitively', () => {
    for (const glob of ['wiki', 'application', 'application.wik', 'Application.wiki', 'application.Wiki', ''])
      expect(asked([glob], [])).toEqual({ addresses: [], unmatched: [glob] });
  });
});

describe('a selection', () => {
  test.each<[string, string[], string[], string[]]>([
    ['without targets has all resources', [], [], [...applications, ...users]],
    [
      'with several targets has all resources that match one of them',
      ['*.wiki', '*.grafana'],
      [],
      ['application.wiki', 'application.grafana'],
    ],
    ['with exclusions has the other resources', [], ['user.*'], applications],
    [
      'leaves out an excluded resource that is also a target',
      ['application.*'],
      ['*-2'],
      ['application.wiki', 'application.grafana'],
    ],
    [
      'leaves out resources that match any of several exclusions',
      ['application.*'],
      ['*-2', '*.wiki'],
      ['application.grafana'],
    ],
    ['may be empty', ['application.*'], ['*'], []],
  ])('%s', (_, target, exclude, expected) => {
    expect(selected(target, exclude)).toEqual(expected);
  });

  test('reports a glob without matches, even if another glob matched', () => {
    const { unmatched } = asked(['*', 'no.*'], ['user.*', 'nor.this', 'user.a.b']);
    expect(unmatched).toEqual(['no.*', 'nor.this']);
  });
});

test.each([
  [1, true],
  [2, false],
])('shard %i of 2 has a kind whose records refer to each other: %s', (index, isIn) => {
  const selector = new Selector({ target: [], exclude: [], shard: { index, count: 2 } });
  for (const address of ['group.a', 'group.b', 'flow.a', 'flow.b'] as const)
    expect(selector.has(address)).toBe(isIn);
});

test.each([
  ['*', true],
  ['app*', true],
  ['application.wiki', true],
  ['application.w*', true],
  ['user.*', false],
])('whether the glob %s may select applications: %j', (glob, isPossible) => {
  expect(new Selector({ target: [glob], exclude: [] }).mayContainType('application')).toBe(isPossible);
});

test('a shard may contain none of the selected resources', () => {
  const scope = (shard?: { index: number; count: number }): unknown => {
    const selector = new Selector({ target: ['*'], exclude: ['application.*'], ...(shard && { shard }) });
    for (const { address } of resources) selector.has(address);
    return selector.scope(0, { declared: 3, addresses: new Set() }, (flag) => `--${flag}`);
  };
  expect(scope({ index: 2, count: 2 })).toMatchObject({ declared: 3 });
  expect(() => scope()).toThrow('--target and --exclude leave out every resource');
});

test.each([
  ['application.wikis', 'Did you mean `application.wiki`?'],
  ['usr.*', 'Did you mean `user.*`?'],
  ['zzzzzzzzzz', 'Addresses have forms such as'],
])('for the glob %s, which matches nothing, the advice is %s', (glob, advice) => {
  const addresses = new Set(resources.map(({ address }) => address));
  const scope = (): unknown =>
    new Selector({ target: [glob], exclude: [] }).scope(0, { declared: 3, addresses }, (flag) => flag);
  expect(scope).toThrow(`no declared resource has an address like ${glob}`);
  expect(scope).toThrow(
    expect.objectContaining({ hint: expect.stringContaining(advice) as string }) as Error,
  );
});

test.each(['0/8', '9/8', '1', '1/0', 'a/b'])('%s is not a shard', (written) => {
  expect(() => parseShard(written, '--shard')).toThrow('--shard cannot be');
  expect(parseShard('8/8', '--shard')).toEqual({ index: 8, count: 8 });
});

test.each<[entry: string, allow: Capability[], refusal: string | undefined]>([
  ['certificates: [{ name: c, certificate_data: x, key_data: "${env:C}" }]', ['update'], undefined],
  [
    'certificates: [{ name: c, certificate_data: x, key_data: "${env:C}" }]',
    [],
    '--resend changes existing records',
  ],
  [
    'certificates: [{ name: d, certificate_data: x, key_data: "${env:C}" }]',
    ['update'],
    'no such resource is selected',
  ],
  ['users: [{ username: c, name: C }]', ['update'], 'no such resource is selected'],
])(
  '--resend for certificate.c of %s, with the permissions %j, is refused: %s',
  async (entry, allow, refusal) => {
    const found = await desired(`version: 1\n${entry}\n`, { C: 'pem' });
    const targets = (): unknown => resendTargets(['certificate.c'], found, allow);
    if (refusal === undefined) expect(targets()).toEqual(new Set(['certificate.c']));
    else expect(targets).toThrow(refusal);
    expect(resendTargets([], found, [])).toEqual(new Set());
  },
);

test.each([
  ['shared_secret: "${env:C}"', false],
  ['shared_secret: "${generate:20}"', true],
  ['client_networks: 10.0.0.0/8', true],
])('--resend for a provider with %s is refused: %j', async (field, isRefused) => {
  const found = await desired(
    `version: 1\nproviders: [{ type: radius, name: r, authorization_flow: { slug: f }, invalidation_flow: { slug: f }, ${field} }]\n`,
    { C: 'secret' },
  );
  const targets = (): unknown => resendTargets(['provider.r'], found, ['update']);
  if (isRefused) expect(targets).toThrow('declares no secret and no write-only field');
  else expect(targets()).toEqual(new Set(['provider.r']));
});
