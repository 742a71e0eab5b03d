import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { kindOf, kinds } from '../../src/kinds/all.ts';
import { matchesAnySite } from '../../src/kinds/any-site.ts';
import { emailRefusal } from '../../src/kinds/email.ts';
import { iconRefusal } from '../../src/kinds/icon.ts';
import { urlProblem } from '../../src/kinds/provider.ts';
import { redirectGain, redirectProblems, redirectUriForms } from '../../src/kinds/redirect-uris.ts';
import { readRelease } from '../../src/kinds/release.ts';
import { newestFacts } from '../../src/kinds/facts.ts';
import { lookUpOf, longestWordQuery } from '../../src/kinds/look-up.ts';
import { plainId, sameIds } from '../../src/kinds/values.ts';
import { isAsShipped } from '../../src/kinds/shipped.ts';

test.each([
  ['a@example.com', true],
  ['"a@b"@example.com', true],
  ['a@b@example.com', false],
  ['a@localhost', true],
  ['a@[127.0.0.1]', true],
  ['a@[1.2]', false],
  ['a@example.c1', false],
  ['', true],
])('the e-mail address %j is accepted: %j', (email, isAccepted) => {
  expect(emailRefusal(email, undefined) === undefined).toBe(isAccepted);
});

test.each([
  ['', undefined],
  ['https://a.example.com', undefined],
  ['http://localhost:8080', undefined],
  ['http://a.example.com', 'plain-http'],
  ['a.example.com', 'invalid-format'],
])('the URL %j has the problem %j', (url, code) => {
  expect(urlProblem(url)?.code).toBe(code);
});

test.each([
  ['https://[^/]+/cb\\Z', true],
  ['https://[^/]{1,99}/cb', true],
  ['\\Ahttps://[^/]+/cb', true],
  ['https://[a-z]+\\.com/', true],
  ['https://my[a-z]+\\.com/', false],
  ['https://[a-z]*\\.example\\.com/cb', false],
  // Without repetitions, only names of this length match.
  ['https://.....\\.com/', false],
])('the pattern %j matches any site: %j', (pattern, isAny) => {
  expect(matchesAnySite(pattern)).toBe(isAny);
});

test('a list of redirect URIs in lines has no empty URIs', () => {
  expect(redirectUriForms.held?.('https://a\n\n https://b \n')).toEqual([
    { url: 'https://a' },
    { url: 'https://b' },
  ]);
});

test.each([
  ['2024.6', 0],
  ['2024.8', 1],
  ['', 1],
])('a strict URI with a star is a mistake, unless all URIs are patterns: %j', (release, count) => {
  const uris = [{ matching_mode: 'strict', url: 'https://a.example.com/*' }];
  expect(redirectProblems(uris, readRelease(release))).toHaveLength(count);
});

test('code is as shipped if it has the shipped digest', () => {
  const digest = createHash('sha256').update('return True').digest('hex');
  expect(isAsShipped('return True', `sha256:${digest}`)).toBe(true);
  expect(isAsShipped('return False', `sha256:${digest}`)).toBe(false);
});

test('a change of masked values is described without them', () => {
  const { changeWarning } = kindOf('user').fields['type'] ?? {};
  expect(changeWarning?.('external', 'internal')).toContain('from internal to external');
  const masked = ['(sensitive)', '(hidden)'];
  for (const mask of masked)
    expect([changeWarning?.(mask, 'internal'), changeWarning?.('external', mask)]).toEqual([
      'the type of the account changes',
      'the type of the account changes',
    ]);
});

test.each([
  [[1, 2], [1], 'more'],
  [[1], [1, 2], 'fewer'],
  [[2], [1], 'other'],
  [[1, 3], [2], 'other'],
])('backchannel providers %j in place of %j are called %s', (now, before, word) => {
  const { changeWarning } = kindOf('application').fields['backchannel_providers'] ?? {};
  expect(changeWarning?.(now, before)).toContain(`through ${word} providers`);
});

test.each([
  [{ intent: 'api' }, 1],
  [{ intent: 'api', expiring: false }, 0],
  [{ intent: 'app_password' }, 0],
])('the time of expiry of a token with %j is questioned %i times', (others, count) => {
  const { checks = [] } = kinds.find(({ list }) => list === 'tokens')?.fields['expires'] ?? {};
  const found = checks.flatMap((check) => check('2030-01-01T00:00:00Z', undefined, () => others) ?? []);
  expect(found).toHaveLength(count);
});

test.each([
  [['a', 'b'], ['b', 'a'], true, true],
  [['a', 'a'], ['a'], true, true],
  [['a', 'a'], ['a'], false, false],
  [['a'], ['b'], true, false],
  [['a'], ['a', 'b'], true, false],
  [null, null, true, true],
  [['a'], null, true, false],
])(
  'the ids %j equal %j, with duplicates that do not matter (%j): %j',
  (one, other, haveDuplicates, areSame) => {
    expect(sameIds(one, other, plainId, haveDuplicates)).toBe(areSame);
  },
);

const part = 'x'.repeat(255);

test.each([
  ['', true],
  [part, true],
  [`${part}x`, false],
  [`${part}/${part}/${part}/${part}/x`.slice(1), true],
  [`${part}/${part}/${part}/${part}/xy`, false],
  ['a/../b', false],
  ['.a', false],
  ['/a', false],
  ['a//b', false],
  ['a b', false],
  ['%(theme)s.png', true],
])('the uploaded icon %s is accepted: %j', (icon, isAccepted) => {
  expect(iconRefusal(icon, undefined) === undefined).toBe(isAccepted);
});

test.each([
  [[{ matching_mode: 'strict', url: '.*' }], '2024.6', 'on releases before 2024.8'],
  [
    [
      { matching_mode: 'strict', url: '.*' },
      { matching_mode: 'regex', url: '.*' },
    ],
    '2024.6',
    'any site that asks for a login',
  ],
  [[{ matching_mode: 'strict', url: '.*' }], '2024.8', undefined],
  [[], '2026.2', 'the first site that asks for a login'],
  [[], '2026.5', undefined],
])('the redirect URIs %j give, on release %s, access to %s', (now, release, gain) => {
  const words = redirectGain({ now, before: ['https://a.example/'], release: readRelease(release) });
  if (gain === undefined) expect(words).toBeUndefined();
  else expect(words).toContain(gain);
});

test.each([
  ['https://a.example/cb', 'strict'],
  ['https://a.example/.*', 'regex'],
  ['https://a.example/(', 'strict'],
  ['.*', 'regex'],
])('the URI %s of a release without modes is exported with the mode %s', (url, matching_mode) => {
  expect(redirectUriForms.dropUnknown?.([{ url }])).toEqual([
    matching_mode === 'strict' ? url : { matching_mode, url },
  ]);
});

test.each([
  ['the wiki-2 of us', { search: 'wiki-2' }],
  ['ab cd', { search: 'ab' }],
  ['“”', {}],
  ['\u{1f600}'.repeat(3), {}],
  ['x'.repeat(101), { search: 'x'.repeat(100) }],
])('the name %s is searched by %j', (name, query) => {
  expect(longestWordQuery(name)).toEqual(query);
});

test.each([
  [{ identity: 'name' }, ['name'], '/p/?name=a%20b', 'list'],
  [{ identity: 'name' }, ['name__iexact'], '/p/?name__iexact=a%20b', 'search'],
  [{ identity: 'name' }, [], '/p/?search=a', 'search'],
  [{ identity: 'name', searchQuery: () => ({}) }, [], '/p/?', 'search'],
  [{ identity: 'name', scope: 'app' }, ['name', 'app'], '/p/?name=a%20b&app=7', 'list'],
  [{ identity: 'name', scope: 'app' }, ['name'], '/p/?name=a%20b', 'search'],
  [{ identity: 'name', params: { roles: 'false' } }, ['name'], '/p/?name=a%20b&roles=false', 'list'],
])('a record of a type with %j and the filters %j is looked up at %s', (kind, filters, path, answers) => {
  const family = { searchQuery: longestWordQuery, ...kind };
  const lookUp = lookUpOf('/p/', kind, family, { ...newestFacts('/core/users/'), filters });
  expect(lookUp.answers).toBe(answers);
  expect(lookUp.path('a b', 7)).toBe(path);
});
