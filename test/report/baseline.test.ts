import { describe, expect, test } from 'vitest';
import { diagnosticFor, type Address, type Diagnostic } from '../../src/base/diagnostic.ts';
import { type LoadedManifests } from '../../src/manifest/load-manifests.ts';
import { compareWithBaseline } from '../../src/manifest/baseline.ts';
import { makePlan } from '../../src/plan/make-plan.ts';
import type { Plan } from '../../src/plan/plan.ts';
import type { ReportFormat } from '../../src/report/formats/all.ts';
import { loadFormats } from '../support/formats.ts';
import { createStyle } from '../../src/report/formats/lines.ts';
import { planReport } from '../../src/report/report.ts';
import { removedEntryWarnings } from '../../src/report/words/undeclared.ts';
import { observedIn, type Existing } from '../support/plan-of.ts';
import { inFull } from '../support/effort.ts';
import { loadText } from '../support/desired.ts';

const formats = await loadFormats();
const group = '11111111-1111-4111-8111-111111111111';

async function loaded(text: string, env?: Readonly<Record<string, string>>): Promise<LoadedManifests> {
  return loadText(text, { secrets: env ? 'read' : 'assumed', ...(env && { env }) });
}

/** The plan of the present declaration, with a comparison to the former one. */
async function planned(before: string, now: string, existing: Existing = {}): Promise<Plan> {
  const manifests = await loaded(`version: 1\n${now}`, { ONE: 'canary-one', TWO: 'canary-two' });
  const { alterations, noLongerDeclared } = compareWithBaseline(
    await loaded(`version: 1\n${before}`),
    manifests,
  );
  const held = Object.fromEntries(
    Object.entries(existing).map(([slug, fields]) => [slug, { ...fields, slug }]),
  );
  return makePlan(manifests.resources, observedIn(manifests.resources, held), {
    toolVersion: '1.2.3',
    createdAt: new Date('2026-01-01T00:00:00Z'),
    permission: 'none',
    service: 'https://id.example.com',
    environment: 'production',
    comparison: { baseline: { path: '.before', noLongerDeclared }, alterations },
  });
}

function written(
  plan: Plan,
  format: ReportFormat,
  filenames: readonly string[] = ['m.yaml'],
  columns?: number,
): string {
  const setting = {
    toolVersion: '1.2.3',
    style: createStyle({ colours: false, ...(columns && { columns }) }),
  };
  return formats[format](planReport({ result: plan, diagnostics: [], filenames }), setting);
}

/** The text of the plan between its first lines and the counts. */
async function shown(...given: Parameters<typeof planned>): Promise<string> {
  const [, ...parts] = written(await planned(...given), 'text').split('\n\n');
  return parts.slice(0, -2).join('\n\n');
}

const apps = (...entries: readonly string[]): string =>
  `applications:\n${entries.map((entry) => `  - { ${entry} }\n`).join('')}`;
const users = (...entries: readonly string[]): string =>
  `users:\n${entries.map((entry) => `  - { ${entry} }\n`).join('')}`;

describe('the text of a plan with a baseline', () => {
  test('has new and removed entries, and the number of unchanged ones', async () => {
    const before =
      apps('slug: grafana, name: Grafana', 'slug: wiki, name: Wiki') +
      users('username: ann, name: A', 'username: bob, name: B', 'username: carl, name: C');
    const now =
      apps('slug: grafana, name: Grafana 2', 'slug: wiki, name: Wiki', 'slug: new, name: New') +
      users('username: ann, name: A', 'username: zoe, name: Zoe Example');
    const plan = await planned(before, now, { grafana: { name: 'Grafana' }, wiki: { name: 'Vicky' } });
    expect(written(plan, 'text')).toBe(`Plan for production (https://id.example.com)

In this change, compared with .before: 2 added, 1 altered, 2 no longer declared.

  ! application.grafana is altered; the record differs and is left unchanged  m.yaml:3
      name
        before    "Grafana"
        now       "Grafana 2"
        observed  "Grafana"

  + application.new is added  m.yaml:5
      slug  "new"
      name  "New"

  ? user.zoe is added  m.yaml:8
      username  "zoe"
      name      "Zoe Example"

No longer declared, and left unchanged: user.bob, user.carl

Not affected by this change: 1 to create if absent, 1 differs.
To show these as well, leave out --baseline.

Open to everyone, because no \`access\` is declared: application.new.

The token may not view users: each resource marked ? is created if it is absent, and left unchanged otherwise. With the permission to view users, the plan shows which exist.

To change these differences, apply with two flags: \`--capability update --allow update\`. Instead of \`--capability update\`, rollcall.yaml can have \`capabilities: [update]\`.

1 to create, 2 to create if absent, 2 differ, 0 in sync.

Plan: 3 to add, 0 to change, 0 to destroy.
`);
  });

  test('has unaltered entries with a note, if they are pending', async () => {
    const two = users('username: ann, name: A', 'username: bob, name: B');
    const { changes, ...plan } = await planned(two, two);
    const noted = changes.map((change) =>
      change.resource.name === 'ann' ? { ...change, remarks: ['has a note'] } : change,
    );
    const text = written({ ...plan, changes: noted }, 'text');
    expect(text).toContain('? user.ann');
    expect(text).toContain('has a note');
    expect(text).toContain('Not affected by this change: 1 to create if absent.');
    expect(text).not.toContain('user.bob');
  });

  test.each([
    ['a new entry', '', 'is a new entry; its record is unfinished: '],
    ['an altered entry', apps('slug: a, name: B'), 'is altered; the record is unfinished: '],
  ])('calls the record of %s unfinished', async (_, before, words) => {
    const plan = await planned(before, apps('slug: a, name: A'), { a: { name: 'C' } });
    const unfinished = plan.changes.map((change) => ({ ...change, unfinished: true as const }));
    expect(written({ ...plan, changes: unfinished }, 'text')).toContain(`! application.a ${words}`);
  });

  test.each<[string, string, string, Existing, string]>([
    [
      'an unchanged plan',
      apps('slug: a, name: A'),
      apps('slug: a, name: A'),
      { a: { name: 'A' } },
      `In this change, compared with .before: nothing added, altered or removed.

Not affected by this change: 1 in sync.`,
    ],
    [
      'only new entries',
      '',
      apps('slug: a, name: A'),
      { a: { name: 'A' } },
      `In this change, compared with .before: 1 added.

  = application.a is a new entry; its record already exists as declared  m.yaml:3
      slug  "a"
      name  "A"`,
    ],
    [
      'a new entry that declares a record absent',
      '',
      apps('slug: a, state: absent'),
      {},
      `In this change, compared with .before: 1 added.

  = application.a is a new entry with \`state: absent\`; its record does not exist, as declared  m.yaml:3
      slug  "a"`,
    ],
    [
      'an altered entry that declares an absent record absent',
      apps('slug: a, name: A'),
      apps('slug: a, state: absent'),
      {},
      `In this change, compared with .before: 1 altered.

  = application.a is altered; its record does not exist, as declared  m.yaml:3
      state
        before    (not declared)
        now       "absent"
      name
        before    "A"
        now       (not declared)`,
    ],
    [
      'a new entry whose record exists and differs',
      '',
      apps('slug: a, name: A, group: G'),
      { a: { name: 'A', group: 'H' } },
      `In this change, compared with .before: 1 added.

  ! application.a is a new entry; its record exists, differs and is left unchanged  m.yaml:3
      slug   "a"
      name   "A"
      group
        observed  "H"
        declared  "G"`,
    ],
    [
      'a new entry whose record exists by now',
      apps('slug: a, name: A'),
      apps('slug: a, name: B'),
      { a: { name: 'B' } },
      `In this change, compared with .before: 1 altered.

  = application.a is altered, and in sync  m.yaml:3
      name
        before    "A"
        now       "B"`,
    ],
    [
      'a newly declared field, and a field that is no longer declared',
      users('username: u, name: U, email: u@example.com, path: p'),
      users('username: u, name: U, path: p, is_active: false'),
      {},
      `In this change, compared with .before: 1 altered.

  ? user.u is altered; if the record exists, it is left unchanged  m.yaml:3
      is_active
        before    (not declared)
        now       false
      email
        before    "u@example.com"
        now       (not declared)
      …  2 more, as before`,
    ],
    [
      'a string of several lines',
      apps('slug: a, name: A, meta_description: "one\\ntwo"'),
      apps('slug: a, name: A, meta_description: "one\\n2"'),
      { a: { name: 'A', meta_description: 'one\nzwei' } },
      `In this change, compared with .before: 1 altered.

  ! application.a is altered; the record differs and is left unchanged  m.yaml:3
      meta_description  (- before, + now)
        one
      - two
      + 2
      meta_description  (- observed, + declared)
        one
      - zwei
      + 2
      …  1 more, as before`,
    ],
    [
      'a difference next to an altered field',
      apps('slug: a, name: A, group: G'),
      apps('slug: a, name: B, group: G'),
      { a: { name: 'B', group: 'H' } },
      `In this change, compared with .before: 1 altered.

  ! application.a is altered; the record differs and is left unchanged  m.yaml:3
      name
        before    "A"
        now       "B"
      group
        observed  "H"
        declared  "G"`,
    ],
    [
      'a changed secret',
      apps("slug: a, name: A, group: '${env:ONE}'"),
      apps("slug: a, name: A, group: '${env:TWO}'"),
      { a: { name: 'A', group: 'canary-one' } },
      `In this change, compared with .before: 1 altered.

  ! application.a is altered; the record differs and is left unchanged  m.yaml:3
      group  (sensitive; had another value before)
      group  (sensitive; differs from the declared secret)
      …  1 more, as before`,
    ],
    [
      'an entry that was invalid before',
      users('username: u, nme: U'),
      users('username: u, name: U'),
      {},
      `In this change, compared with .before: 1 altered.

  ? user.u is altered; if the record exists, it is left unchanged; it was invalid before  m.yaml:3
      username  "u"
      name      "U"`,
    ],
  ])('reports %s', async (_, before, now, existing, expected) => {
    const text = (await shown(before, now, existing)).replace(
      /\n\n(?:The token may not view|An apply would) [^]*/,
      '',
    );
    expect(text).toBe(expected);
  });

  test.each([
    ['{ groups: [7] }', 'everyone', 'groups', '[ 7 ]', '"everyone"'],
    ['everyone', '{ groups: [7] }', 'groups', '"everyone"', '[ 7 ]'],
    ['{ groups: [7], users: [8] }', '{ groups: [7] }', 'users', '[ 8 ]', '[]'],
    ['{ groups: [7] }', '{ groups: [7], users: [8] }', 'users', '[]', '[ 8 ]'],
  ])('shows access for everyone as it is written: %s, now %s', async (before, now, field, was, is) => {
    const text = (access: string): string =>
      `applications: [{ slug: a, name: A, access: ${access} }]`.replace('groups: [7]', `groups: [${group}]`);
    const output = await shown(text(before), text(now), { a: { name: 'A' } });
    expect(output.replaceAll(`"${group}"`, '7')).toContain(
      `      access.${field}\n        before    ${was}\n        now       ${is}\n`,
    );
  });

  test('shows all removed entries in lines of at most 80 columns', async () => {
    const many = Array.from({ length: 100 }, (_, index) => `user-${index}`);
    const text = written(
      await planned(users(...many.map((name) => `username: ${name}`)), ''),
      'text',
      [],
      80,
    );
    for (const name of many) expect(text).toMatch(new RegExp(`user\\.${name}\\b`));
    expect(Math.max(...text.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(80);
  });
});

describe('the comment of a plan with a baseline', () => {
  const roll = (count: number): string =>
    users(...Array.from({ length: count }, (_, index) => `username: user-${index}, name: User ${index}`));

  test.runIf(inFull)(
    'is ten lines long for one new user among 2,000, and folds the other users',
    async () => {
      const text = written(
        await planned(roll(2000), `${roll(2000)}  - { username: zoe, name: Zoe Example }\n`),
        'markdown',
      );
      const [open = '', folded = ''] = text.split('<details>');
      expect(open.split('\n').slice(1).join('\n'))
        .toBe(`### rollcall plan for \`production (https://id.example.com)\`

**In this change: 1 added.** Plan: 2001 to add, 0 to change, 0 to destroy. 0 to create, 2001 to create if absent, 0 differ, 0 in sync.

\`\`\`diff
Compared with .before:

? user.zoe is added  m.yaml:2003
    username  "zoe"
    name      "Zoe Example"
\`\`\`

`);
      expect(folded).toContain('<summary>Not affected by this change: 2000 to create if absent</summary>');
      expect(folded).toContain('? user.user-0  m.yaml:3\n');
      expect(folded).not.toContain('zoe');
      expect(folded).toContain('… and 1950 more users that are created if they are absent.\n');
      expect(folded).toContain('Plan: 2001 to add, 0 to change, 0 to destroy.\n```\n\n</details>\n');
      expect(text.length).toBeLessThanOrEqual(60_000);
    },
  );

  test('folds new entries if there are many, and names the first removed entries', async () => {
    const text = written(
      await planned(
        roll(60),
        apps(
          ...(roll(60)
            .match(/(?<=username: )user-\d+/g)
            ?.map((name) => `slug: ${name}, name: N`) ?? []),
        ),
      ),
      'markdown',
    );
    expect(text.match(/<summary>.*/g)).toEqual([
      '<summary>Show this change</summary>',
      '<summary>Show the notes</summary>',
    ]);
    expect(text).toMatch(
      /\nNo longer declared, and left unchanged: (?:user\.user-\d+,? ?){50} and 10 more\n```\n/,
    );
  });
});

test('the comment of a plan with a baseline folds a small change below many errors', async () => {
  const result = await planned('', apps('slug: a, name: A'));
  const errors = Array.from({ length: 61 }, (_, index) =>
    diagnosticFor('m.yaml', { code: 'name-not-found', summary: `there is no group ${index}` }),
  );
  const summaries = (diagnostics: readonly Diagnostic[]): RegExpMatchArray | null =>
    formats.markdown(planReport({ result, diagnostics, filenames: [] })).match(/(?<=<summary>).*(?=<)/g);
  expect(summaries([])).toEqual(['Show the notes']);
  expect(summaries(errors)).toEqual(['Show this change', 'Show the notes']);
});

test('with a baseline, an HTML report shows a new entry whose record is as declared', async () => {
  const page = written(await planned('', apps('slug: a, name: A'), { a: { name: 'A' } }), 'html');
  expect(page).toMatch(/<h2>.* application\.a<\/h2>/);
});

test('with a baseline, an HTML report names each value of an altered field', async () => {
  const before = apps('slug: a, name: A');
  const page = written(await planned(before, apps('slug: a, name: B'), { a: { name: 'Z' } }), 'html');
  expect(page).toContain(
    '<del>- &quot;A&quot;</del> before\n<ins>+ &quot;B&quot;</ins> now\n  &quot;Z&quot; observed\n',
  );
});

test('with a baseline, the GitHub report annotates the line of a new difference and the file of a removed entry', async () => {
  const before = apps('slug: a, name: A', 'slug: b, name: B') + users('username: u, name: U');
  const plan = await planned(before, apps('slug: a, name: A', 'slug: b, name: B 2'), {
    a: { name: 'Z' },
    b: { name: 'Z' },
  });
  expect(written(plan, 'github').split('\n')).toEqual([
    expect.stringMatching(
      /^::warning file=m\.yaml,line=4,.*title=differs \(production\)::application\.b differs in `name`/,
    ),
    expect.stringMatching(
      /^::warning file=m\.yaml,line=1,.*title=no-longer-declared \(production\)::user\.u is no longer declared/,
    ),
    '',
  ]);
  // If a file is no longer read, no line of it can be shown.
  expect(written(plan, 'github', [])).toMatch(/^::warning title=no-longer-declared \(production\)::user\.u/m);
  expect(written(plan, 'junit').match(/<testcase /g)).toHaveLength(2);
  // If the plan fails, the reason appears at all entries.
  const failing = planReport({ result: plan, diagnostics: [], filenames: [] }, 'error');
  expect(failing.findings.map(({ address, severity }) => `${severity} ${address}`)).toEqual([
    'error application.a',
    'error application.b',
    'warning user.u',
  ]);
});

test('the HTML plan with a baseline begins with new and removed entries, and folds the others', async () => {
  const before = apps('slug: a, name: A', 'slug: b, name: B') + users('username: u, name: U');
  const page = written(await planned(before, apps('slug: a, name: A', 'slug: b, name: B 2')), 'html');
  const [open = '', folded = ''] = page.split('<details>');
  expect(open).toContain('In this change, compared with .before: 1 altered, 1 no longer declared.');
  expect(
    open.match(/<\/span> \S+(?=<\/h2>)|(?<=<p class="verdict">).*(?=<)|(?<=<p class="soft">).*(?=<)/g),
  ).toEqual([
    '</span> application.b',
    'Altered. Will be created.',
    'm.yaml:4:5',
    '</span> user.u',
    'No longer declared, and left unchanged.',
    'm.yaml:6:5, before',
  ]);
  expect(open).toContain('<del>- &quot;B&quot;</del> before\n<ins>+ &quot;B 2&quot;</ins> now');
  expect(folded).toContain('<summary>Not affected by this change: 1 to create</summary>');
  expect(folded).toContain('</span> application.a</h2>');
});

test.each([
  [true, true],
  [undefined, true],
  [false, false],
])('the advice for a removed account whose activity is %s disables it: %s', (active, isAdvised) => {
  const entry = { address: 'user.u', ...(active !== undefined && { active }) } as const;
  const [warning] = removedEntryWarnings({ baseline: { path: '.before', noLongerDeclared: [entry] } }, []);
  expect(warning?.detail.includes('To disable the account, declare')).toBe(isAdvised);
  expect(warning?.detail).toContain('To delete it, declare');
});

test.each<[Address, entry: string | undefined]>([
  ['user.u', '`- { username: "u", state: absent }`'],
  ['application.w', '`- { slug: "w", state: absent }`'],
  ['group.a/b', '`- { name: "a/b", state: absent }`'],
  ['rac_endpoint.R/db', '`- { name: "db", provider: …, state: absent }`'],
  ['rac_endpoint.db', '`- { name: "db", state: absent }`'],
  ['entitlement.a/b/c', '`- { name: "b/c", app: …, state: absent }`'],
  ['policy.p', '`- { name: "p", type: …, state: absent }`'],
  ['settings.x', undefined],
])('the advice for the removed entry %s is to declare %s', (address, entry) => {
  const noLongerDeclared = [{ address }];
  const [warning] = removedEntryWarnings({ baseline: { path: '.before', noLongerDeclared } }, []);
  expect(/To delete it, declare (`.*`)\.$/.exec(warning?.detail ?? '')?.[1]).toBe(entry);
});
