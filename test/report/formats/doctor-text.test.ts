import { expect, test } from 'vitest';
import { doctorJson, doctorText, type Diagnosis } from '../../../src/report/formats/doctor.ts';
import { plainStyle } from '../../../src/report/formats/lines.ts';
import { kindsOf } from '../../../src/kinds/all.ts';
import type { KindRights } from '../../../src/service/kind-rights.ts';
import { doctorCheck, rightsChecks, type RightsFacts } from '../../../src/report/words/rights.ts';

const lists = Array.from({ length: 40 }, (_, index) => `scope mappings of ${index}`);
const diagnosis: Diagnosis = {
  service: 'https://id.example.com',
  checks: [
    doctorCheck('token', 'pass', 'the service accepts it'),
    ...lists.map((list) => doctorCheck(list.replaceAll(' ', '-'), 'pass', `the token may view ${list}`)),
    doctorCheck('users', 'warn', 'the token may not create users', 'Give it that.'),
  ],
  beyondContract: lists.map((_, index) => `GET /api/v3/${index}/`),
};

test('the text of doctor shortens long lists of requests, and of checks with the same result', () => {
  const text = doctorText(diagnosis, plainStyle);
  expect(text.split('\n').filter((line) => /^ {2}(?:ok|warn) /.test(line))).toEqual([
    '  ok    token     the service accepts it',
    expect.stringMatching(/^ {2}ok {4}40 lists {2}the token may view them: scope-mappings-of-0, .*-of-39$/),
    '  warn  users     the token may not create users',
  ]);
  expect(text).toContain('\n  and 30 more, which -o json lists\n');
  expect(JSON.parse(doctorJson(diagnosis))).toMatchObject({ checks: { length: 42 } });
});

test.each([
  ['may view and create all', 'may view and create all of them: it is'],
  ['may view at least some', 'may view at least some of them: it is'],
])('the text of doctor for lists that the token %s has complete sentences', (right, sentence) => {
  const checks = lists.map((list) =>
    doctorCheck(list.replaceAll(' ', '-'), 'pass', `the token ${right} ${list}: it is a token`),
  );
  expect(doctorText({ ...diagnosis, checks }, plainStyle)).toContain(sentence);
});

test.each([
  ['10 checks that passed alike', 10, 'pass'],
  ['40 checks that failed alike', 40, 'fail'],
  ['40 checks without a result', 40, 'unknown'],
] as const)('the text of doctor has a line for each of %s, with advice', (_, count, status) => {
  const checks = lists
    .slice(0, count)
    .map((list) =>
      doctorCheck(list.replaceAll(' ', '-'), status, `the token may view ${list}`, `Ask for ${list}.`),
    );
  const text = doctorText({ ...diagnosis, checks }, plainStyle);
  expect(text.match(/the token may view scope mappings of \d+$/gm)).toHaveLength(count);
  expect(text.match(/Ask for scope mappings of \d+\.$/gm)).toHaveLength(count);
});

test.each([
  ['pass', undefined, false, undefined],
  ['unknown', undefined, true, undefined],
  ['unknown', undefined, true, 'unknown'],
  ['pass', undefined, true, 'valid'],
  ['fail', 'a 403', false, 'wrong'],
  ['pass', 'a 403', false, 'valid'],
] as const)(
  'the check of the token ends with %s if the look-up got the denial %s, is ambiguous: %s, and the token is %s',
  (status, denial, isTokenUntested, kind) => {
    const finding = kind && (kind === 'valid' ? { kind, superuser: false } : { kind });
    const facts = {
      release: null,
      configured: undefined,
      kinds: [],
      areDeclared: false,
      rights: undefined,
      denied: [],
      capabilities: [],
    };
    expect(rightsChecks({ ...facts, denial, isTokenUntested, finding })).toMatchObject([{ status }]);
  },
);

const nothingKnown: RightsFacts = {
  release: null,
  configured: undefined,
  denial: undefined,
  isTokenUntested: false,
  finding: undefined,
  kinds: [],
  areDeclared: false,
  rights: undefined,
  denied: [],
  capabilities: [],
};

test.each<[Partial<RightsFacts>, status: string, words: string]>([
  [{ finding: { kind: 'wrong' }, denial: 'a 403' }, 'fail', 'Every request with this token was refused.'],
  [
    { finding: { kind: 'missing' }, denial: 'a 403' },
    'fail',
    'A proxy or gateway removes the Authorization header',
  ],
  [{ denial: 'a 403' }, 'fail', 'applications: this was not asked.'],
  [
    { finding: { kind: 'unknown' }, denial: 'a 403' },
    'fail',
    'applications: the service does not name the cause.',
  ],
])('the check of a denied token with %j ends with %s and the words: %s', (facts, status, words) => {
  const [check] = rightsChecks({ ...nothingKnown, ...facts });
  expect(check?.status).toBe(status);
  expect(`${check?.summary} ${check?.advice}`).toContain(words);
});

const scopes = kindsOf('property_mapping').find(({ path }) => path.endsWith('/scope/'));

test.each<[Partial<RightsFacts>, view: string, create: string, status: string, summary: string]>([
  [{ finding: { kind: 'wrong' } }, 'may', 'may', 'unknown', 'not known yet'],
  [{ finding: { kind: 'missing' } }, 'may', 'may', 'unknown', 'not known yet'],
  [
    { finding: { kind: 'valid', superuser: true } },
    'may not',
    'may not',
    'pass',
    "it is a superuser's token",
  ],
  [
    { finding: { kind: 'valid', superuser: false } },
    'may',
    'may',
    'pass',
    'the token may view at least some scope mappings; it may create scope mappings',
  ],
  [{ finding: { kind: 'valid', superuser: false } }, 'may not', 'may', 'warn', 'may not view scope mappings'],
  [
    { finding: { kind: 'valid', superuser: false } },
    'may',
    'may not',
    'warn',
    'may not create scope mappings',
  ],
])(
  'the check of scope mappings with %j, of which the token %s view and %s create some, ends with %s: %s',
  (facts, view, create, status, summary) => {
    if (scopes === undefined) expect.fail('no such kind');
    const rights = new Map([[scopes, { view, create } as KindRights]]);
    const [, check] = rightsChecks({ ...nothingKnown, kinds: [scopes], rights, ...facts });
    expect(check?.status).toBe(status);
    expect(check?.summary).toContain(summary);
    expect(check?.name).toBe('scope-mappings');
  },
);

test.each<[Partial<RightsFacts>, string | undefined]>([
  [
    { finding: { kind: 'valid', superuser: false } },
    'whether the token may update and delete records is unknown',
  ],
  [{ finding: { kind: 'valid', superuser: true } }, undefined],
  [{ finding: { kind: 'unknown' } }, undefined],
  [{ finding: { kind: 'valid', superuser: false }, capabilities: [] }, undefined],
])('rights that only single records show are called unknown: %j', (facts, summary) => {
  const checks = rightsChecks({ ...nothingKnown, capabilities: ['update', 'delete'], ...facts });
  expect(checks.find(({ name }) => name === 'capabilities')?.summary).toBe(summary);
});

test.each([
  ['users', 'The token lacks permissions that it needs here.'],
  ['token', 'The service cannot be used with these settings.'],
  ['base-url', 'The service cannot be used with these settings.'],
])('the last line tells whether only permissions are missing: the check of %s fails', (name, words) => {
  const checks = [doctorCheck(name, 'fail', 'x'), doctorCheck('applications', 'pass', 'y')];
  const text = doctorText({ service: 'https://id.example.com', checks, beyondContract: [] }, plainStyle);
  expect(text.endsWith(`${words}\n`), text).toBe(true);
});
