import { describe, expect, test } from 'vitest';
import { diagnosticFor, type Diagnostic } from '../../src/base/diagnostic.ts';
import { github } from '../../src/report/formats/github.ts';
import { formatNames, type ReportFormat } from '../../src/report/formats/all.ts';
import { loadFormats } from '../support/formats.ts';
import { createStyle } from '../../src/report/formats/lines.ts';
import { planText } from '../../src/report/formats/text.ts';
import type { Change } from '../../src/plan/plan.ts';
import { planReport } from '../../src/report/report.ts';
import { planOf } from '../support/plan-of.ts';

const plain = createStyle({ colours: false });
const formats = await loadFormats();

const wiki = 'applications: [{ slug: wiki, name: Wiki }]';
const other = { wiki: { slug: 'wiki', name: 'Other' } };
const alike = { wiki: { slug: 'wiki', name: 'Wiki' } };

describe('the last line of a plan reports the result', () => {
  test.each([
    ['something differs', wiki, other, 'Plan: 0 to add, 0 to change, 0 to destroy.'],
    ['something is absent', wiki, {}, 'Plan: 1 to add, 0 to change, 0 to destroy.'],
    [
      'users are declared',
      'users: [{ username: a, name: A }]',
      {},
      'Plan: 1 to add, 0 to change, 0 to destroy.',
    ],
    ['everything is in sync', wiki, alike, 'No changes. Your infrastructure matches the configuration.'],
    ['nothing is declared', 'users: []', {}, 'No changes. Your infrastructure matches the configuration.'],
  ])('if %s', async (_, manifest, existing, line) => {
    const text = planText(await planOf(`version: 1\n${manifest}\n`, existing), plain);
    expect(text.trimEnd().split('\n').at(-1)).toBe(line);
  });
});

test('the names of dependencies are escaped', async () => {
  const scope = { target: ['user.*'], exclude: [], declared: 2, along: ['group.a\u202eb\u2028c' as const] };
  const shown = planText({ ...(await planOf(`version: 1\n${wiki}\n`)), scope }, plain);
  expect(shown).toContain(String.raw`Among them are dependencies: group.a\u{202e}b\u{2028}c.`);
});

test.each([
  [200, undefined],
  [201, '… and 151 more applications that are created.'],
])('of %i new resources, those that are not named are counted', async (count, line) => {
  const entries = Array.from({ length: count }, (_, index) => `  - { slug: a${index}, name: A }\n`);
  const shown = planText(await planOf(`version: 1\napplications:\n${entries.join('')}`), plain);
  expect(/^ *(… and .*)$/m.exec(shown)?.[1]).toBe(line);
});

test.each([
  ['users alone', '', {}, true],
  ['an absent application', wiki, {}, false],
  ['a different application', wiki, other, false],
  ['an application in sync', wiki, alike, false],
])(
  'a plan says that no request was sent if and only if all declared resources are users: %s',
  async (_, manifest, existing, isSaid) => {
    const text = planText(
      await planOf(`version: 1\n${manifest}\nusers: [{ username: a, name: A }]\n`, existing),
      plain,
    );
    expect(text.includes('no request was sent')).toBe(isSaid);
  },
);

test.each([
  ['same', 'same', 1],
  ['same', 'other', 2],
])('resources with the advice %j and %j, whatever their request ids, show %i texts', async (...given) => {
  const [one, two, count] = given;
  const plan = await planOf('version: 1\nusers: [{ username: a, name: A }, { username: b, name: B }]\n');
  const changes = plan.changes.map((change, index): Change => {
    const detail = `${[one, two][index]} advice\nRequest id: r${index}`;
    const diagnostics = [diagnosticFor('m.yaml', { code: 'service-refused', summary: 'failed', detail })];
    return { ...change, action: 'not-planned', presence: 'unknown', diagnostics };
  });
  expect(planText({ ...plan, changes }, plain).match(/advice/g)).toHaveLength(count);
});

test('the findings of a plan that fails for missing records tell what is known of each', async () => {
  const result = await planOf(`version: 1\n${wiki}\nusers: [{ username: a, name: A }]\n`);
  const { findings } = planReport({ result, diagnostics: [], filenames: [] }, 'error', true);
  expect(findings.map(({ summary }) => summary)).toEqual([
    'application.wiki is missing',
    'user.a may be missing, because the token cannot see it',
  ]);
});

test('a report shows a visible value next to a masked one', async () => {
  const plan = await planOf(`version: 1\n${wiki}\n`, other);
  const [change] = plan.changes;
  if (change === undefined) expect.fail('nothing is planned');
  const shown = (declared: string | null, observed: string | null): string => {
    const changes = [{ ...change, differences: [{ field: 'group', declared, observed }] }];
    return planText({ ...plan, changes }, plain);
  };
  expect(shown('(sensitive)', '(sensitive)')).toContain(
    'group  (sensitive; differs from the declared secret)',
  );
  expect(shown('(sensitive)', null)).toMatch(/observed {2}null\n +declared {2}"\(sensitive\)"/);
  expect(shown('Docs', '(sensitive)')).toMatch(/observed {2}"\(sensitive\)"\n +declared {2}"Docs"/);
});

test.each([
  ['a short list on two lines', 'a', 'b', 'observed  [ { "name": "n", "href": "a" } ]\n'],
  ['a long list as a diff', 'a'.repeat(80), 'b'.repeat(80), `    -     "href": "${'a'.repeat(80)}",\n`],
])('a report shows what differs in mappings that have a `name`: %s', async (_, was, is, line) => {
  const plan = await planOf(`version: 1\n${wiki}\n`, other);
  const [observed, declared] = [was, is].map((href) => [{ name: 'n', href }]);
  const changes = plan.changes.map((change) => ({
    ...change,
    differences: [{ field: 'group', declared: declared ?? null, observed: observed ?? null }],
    since: {
      kind: 'altered' as const,
      fields: [{ field: 'group', before: observed ?? null, now: declared ?? null }],
    },
  }));
  const { since: _since, ...change } = changes[0] ?? expect.fail('nothing is planned');
  expect(planText({ ...plan, changes: [change] }, plain)).toContain(line);
  for (const format of ['text', 'markdown', 'html'] as const)
    for (const result of [
      { ...plan, changes },
      { ...plan, changes: [change] },
    ]) {
      const text = formats[format](planReport({ result, diagnostics: [], filenames: [] }));
      expect(text).toContain(was);
      expect(text).toContain(is);
    }
});

describe('the reports of a plan', () => {
  const problems: readonly Diagnostic[] = [
    diagnosticFor('a,b.yaml', { code: 'too-many-creates', summary: 'an error' }),
    diagnosticFor('a,b.yaml', { code: 'similar-name', severity: 'warning', summary: 'only a warning' }),
  ];
  async function report(format: ReportFormat): Promise<string> {
    const result = await planOf(`version: 1\n${wiki}\n`, other);
    return formats[format](planReport({ result, diagnostics: problems, filenames: ['m.yaml'] }));
  }

  test.each(formatNames)('include errors and warnings in the format %s', async (format) => {
    const text = await report(format);
    expect(text).toContain('an error');
    expect(text).toContain('only a warning');
  });

  test('count errors as failures, but not warnings or differences', async () => {
    expect(await report('junit')).toContain(
      '<testsuites name="rollcall plan for https://id.example.com" tests="3" failures="1" errors="0">',
    );
  });

  test.each(['junit', 'github'] as const)('include differences in the format %s', async (format) => {
    expect(await report(format)).toContain('application.wiki differs in `name`');
  });

  test('report each difference at its line', async () => {
    expect(await report('github')).toMatch(/^::warning file=m\.yaml,line=2,.*differs in `name`/m);
  });
});

test('a GitHub annotation escapes the file name of a diagnostic', () => {
  const found = diagnosticFor('a,b:c d%/é?#.yaml', { code: 'similar-name', summary: 'x' });
  const report = planReport({ diagnostics: [found], filenames: [] });
  expect(github(report)).toContain('file=a%2Cb%3Ac d%25/é?#.yaml,line=1,');
});

test('an HTML report allows no content from elsewhere, and sends no forms', async () => {
  const page = formats.html(planReport({ diagnostics: [], filenames: [] }));
  const [policy] = /(?<=Content-Security-Policy" content=").*(?=">)/.exec(page) ?? [];
  expect(
    policy
      ?.replaceAll(/sha256-[\w+/=]+/g, 'HASH')
      .replaceAll(/&apos;|&#\d+;/g, "'")
      .split('; '),
  ).toEqual([
    "default-src 'none'",
    "style-src 'HASH'",
    "script-src 'HASH'",
    "base-uri 'none'",
    "form-action 'none'",
  ]);
});

test('the HTML plan names the service once, begins with changes, and folds resources in sync', async () => {
  const manifest = `version: 1
applications:
  - { slug: a-same, name: Same }
  - { slug: b-other, name: New }
  - { slug: c-new, name: C }
  - { slug: d-gone, state: absent }
`;
  const plan = await planOf(manifest, {
    'a-same': { slug: 'a-same', name: 'Same' },
    'b-other': { slug: 'b-other', name: 'Old' },
  });
  const page = formats.html(planReport({ result: plan, diagnostics: [], filenames: [] }));
  const [, header = '', shown = '', folded = ''] =
    /<header>([^]*)<\/header>([^]*)<details>([^]*)<\/details>/.exec(page) ?? [];
  expect(header.match(/id\.example\.com/g)).toHaveLength(1);
  expect(Array.from(shown.matchAll(/<h2>.*<\/span> (.*)<\/h2>/g), ([, name]) => name)).toEqual([
    'application.c-new',
    'application.b-other',
  ]);
  expect(folded).toContain('<summary>2 in sync</summary>');
  expect(folded).toMatch(/application\.a-same[^]*Exists[^]*application\.d-gone[^]*Is absent, as declared\./);
});
