import { describe, expect, test } from 'vitest';
import { diagnosticFor } from '../../src/base/diagnostic.ts';
import { loadManifests } from '../../src/manifest/load-manifests.ts';
import type { ReportFormat } from '../../src/report/formats/all.ts';
import { loadFormats } from '../support/formats.ts';
import { planReport, validationReport, type ProblemsReport } from '../../src/report/report.ts';
import { memoryFiles } from '../support/memory-files.ts';
import { schemaErrors } from '../support/schemas.ts';
import { loadText } from '../support/desired.ts';

const manifests = {
  'm/good.yaml': 'version: 1\nusers: []\n',
  'm/a b.yaml': 'version: 1\nusers:\n  - { username: alice }\n  - { username: bob, "<&\\"\'>": 1 }\n',
  'm/hostile.yaml': 'version: 1\nusers: [{ username: x, name: X, "\\e[2J]]>::error::%0A\\u202e\\n": 1 }]\n',
};

const formats = await loadFormats();

async function validated(): Promise<ProblemsReport> {
  return validationReport(await loadManifests(['m'], { files: memoryFiles(manifests) }));
}

describe('a JUnit report of a validation', () => {
  test('has a suite for each file, and a failed case for each error', async () => {
    const report = formats.junit(await validated());
    expect(report).toContain('<testsuites name="rollcall validate" tests="4" failures="2" errors="0">');
    expect(report).toContain('<testcase name="valid" classname="m/good.yaml" file="m/good.yaml" line="1"/>');
    expect(report).toContain(
      '<failure message="unknown field `&lt;&amp;&quot;&apos;&gt;`" type="unknown-field">',
    );
    expect(report).toContain('<system-out>m/a b.yaml:3:17: warning: user.');
  });

  test('has no line number for diagnostics without a place', () => {
    const problem = diagnosticFor(undefined, { code: 'invalid-usage', summary: 'a flag is wrong' });
    const report = formats.junit(planReport({ diagnostics: [problem], filenames: [] }));
    expect(report).toContain(
      '<testcase name="invalid-usage" classname="rollcall"><failure message="a flag is wrong" type="invalid-usage">error: a flag is wrong</failure>',
    );
  });

  test('is well-formed XML with texts escaped', async () => {
    const open: string[] = [];
    const report = formats.junit(await validated()).replace(/^<\?xml .*\?>\n/, '');
    for (const [, close, name = '', , empty] of report.matchAll(
      /<(\/?)([a-z-]+)((?: [a-z]+="[^"<>]*")*)(\/?)>/g,
    )) {
      if (close) expect(open.pop()).toBe(name);
      else if (!empty) open.push(name);
    }
    expect(open).toEqual([]);
    expect(report.replace(/<\/?[a-z-]+(?: [a-z]+="[^"<>]*")*\/?>/g, '')).not.toMatch(
      /[<>]|&(?!amp;|lt;|gt;|quot;|apos;)/,
    );
  });
});

test('the JSON document of a validation counts errors and warnings separately', async () => {
  expect(JSON.parse(formats.json(await validated()))).toMatchObject({ error_count: 2, warning_count: 1 });
});

describe('GitHub annotations of a validation', () => {
  test('are at the lines of the diagnostics', async () => {
    const [first] = formats.github(await validated()).split('\n');
    expect(first).toMatch(
      /^::warning file=m\/a b\.yaml,line=3,endLine=3,col=17,endColumn=22,title=likely-refused::/,
    );
  });

  test('have no columns if they span several lines', () => {
    const [start, end] = [
      { line: 3, column: 9 },
      { line: 5, column: 2 },
    ];
    const problem = diagnosticFor('m.yaml', { code: 'invalid-value', summary: 'x' });
    const diagnostics = [{ ...problem, range: { filename: 'm.yaml', start, end } }];
    expect(formats.github(planReport({ diagnostics, filenames: [] }))).toBe(
      '::error file=m.yaml,line=3,endLine=5,title=invalid-value::x\n',
    );
  });

  test('are one command on each line, for any manifest', async () => {
    const lines = formats
      .github(await validated())
      .trimEnd()
      .split('\n');
    expect(lines).toHaveLength(3);
    for (const line of lines) expect(line).toMatch(/^::(error|warning) file=/);
    expect(lines.join('')).toContain('%250A');
  });
});

describe('values left unchecked without secrets', () => {
  const text = (secrets: readonly string[]): string =>
    `version: 1\nusers: [${secrets.map((secret, index) => `{ username: u${index}, name: "${secret}" }`).join()}]\n`;
  const validatedWithout = async (...secrets: string[]): Promise<ProblemsReport> =>
    validationReport(await loadText(text(secrets), { secrets: 'assumed' }));

  test('are reported in every format', async () => {
    const report = await validatedWithout('${env:A}${file:b c}', '${env:A}');
    const words = '2 values were not checked, because their secrets were not read: ${env:A}, ${file:b c}.';
    for (const name of ['text', 'markdown', 'html', 'junit', 'github'] as const)
      expect(formats[name](report), name).toContain(words);
    expect(formats.text(report)).toBe(`${words}\nValid: 2 users.\n`);
    expect(formats.github(report)).toBe(`::notice title=rollcall::${words}\n`);
    const document: unknown = JSON.parse(formats.json(report));
    expect(document).toMatchObject({ unchecked: { value_count: 2, variables: ['A'], files: ['b c'] } });
    expect(schemaErrors('validation', document)).toEqual([]);
  });

  test('are listed one by one, but shortened if there are many', async () => {
    expect(formats.text(await validatedWithout('${env:A}'))).toMatch(
      /^1 value was not checked, because its secrets were not read: \$\{env:A\}\.$/m,
    );
    const many = await validatedWithout(
      Array.from({ length: 12 }, (_, index) => `\${env:A${index}}`).join(''),
    );
    expect(formats.text(many)).toContain(' ${env:A9}, and 2 more.\n');
    const none = await validatedWithout();
    expect(formats.text(none)).toBe('Valid: nothing is declared.\n');
    expect(JSON.parse(formats.json(none))).toHaveProperty('unchecked.value_count', 0);
  });

  test('are escaped in the report', async () => {
    const report = await validatedWithout('${env:\\e[2J</pre>\\n::error::}');
    for (const [name, format] of Object.entries(formats)) {
      const written = format(report);
      expect(written.replaceAll('\n', ''), name).not.toMatch(/\p{C}|^::error/mu);
      expect(written, name).not.toMatch(
        name === 'html' || name === 'junit' ? /env:[^\n]*<\/pre>/ : /\n::error/,
      );
    }
  });
});

test.each(Object.entries(formats))('the %s report escapes control characters', async (_, format) => {
  const report = format(await validated());
  expect(report).toMatch(/a b\.yaml/);
  expect(report.replaceAll('\n', '')).not.toMatch(/\p{C}/u);
});

describe('an error in forty places', () => {
  const folder = (path: string): string => `repository/${path}`;
  const written = async (format: ReportFormat): Promise<string> => {
    const text = `version: 1\nusers:\n${Array.from({ length: 40 }, (_, index) => `  - { username: u${index + 10}, name: "\${var:team}" }\n`).join('')}`;
    const options = { files: memoryFiles({ 'm.yaml': text }), variables: {} };
    const report = validationReport(await loadManifests(['m.yaml'], options));
    return formats[format](report, { pathInRepository: folder });
  };

  test.each<[ReportFormat, string]>([
    ['text', 'm.yaml'],
    ['markdown', 'm.yaml'],
    ['html', 'm.yaml'],
    ['github', 'repository/m.yaml'],
  ])('is reported once, with all places, in a format for people: %s', async (format, file) => {
    const places = Array.from({ length: 39 }, (_, index) => `${index + 4}:28`).join(', ');
    const text = await written(format);
    expect(text.match(/the variable `team` has no value/g)).toHaveLength(1);
    expect(text).toContain(`The same for: ${file}:${places}`);
    if (format !== 'github') expect(text).toContain('Invalid: 1 error in 40 places. Nothing was sent.');
  });

  test.each<[ReportFormat, string]>([
    ['json', '"summary": "the variable `team` has no value"'],
    ['junit', '<failure '],
  ])('is reported for each place in a format for programs: %s', async (format, part) => {
    const text = await written(format);
    expect(text.split(part)).toHaveLength(41);
    expect(text).not.toContain('The same for');
  });
});
