import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { loadManifests } from '../../src/manifest/load-manifests.ts';
import { loadFormats } from '../../src/report/formats/all.ts';
import { validationReport, type ProblemsReport } from '../../src/report/report.ts';
import { memoryFiles } from '../support/memory-files.ts';

const manifests = {
  'm/good.yaml': 'version: 1\nusers: []\n',
  'm/a b.yaml': 'version: 1\nusers:\n  - { username: alice }\n  - { username: bob, "<&\\"\'>": 1 }\n',
  'm/hostile.yaml': 'version: 1\nusers: [{ username: x, name: X, "\\e[2J]]>::error::%0A\\u202e\\n": 1 }]\n',
};

const formats = await loadFormats();
const setting = { toolVersion: '1.2.3' };

async function validated(): Promise<ProblemsReport> {
  return validationReport(await loadManifests(['m'], { files: memoryFiles(manifests) }));
}

describe('SARIF', () => {
  test('satisfies its published schema', async () => {
    const file = createRequire(import.meta.url).resolve(
      '@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json',
    );
    // The published schema is an object.
    const { $schema: _, id: __, ...published } = JSON.parse(readFileSync(file, 'utf8')) as JsonObject;
    const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false });
    addFormats.default(ajv);
    const validate = ajv.compile(published);
    const report = JSON.parse(formats.sarif(await validated(), setting)) as {
      runs: [{ results: unknown[] }];
    };
    expect(validate(report), JSON.stringify(validate.errors)).toBe(true);
    expect(report.runs[0].results).toHaveLength(3);
    expect(validate({ ...report, version: '3' })).toBe(false);
    expect(report.runs[0].results[0]).toMatchObject({
      ruleId: 'likely-refused',
      level: 'warning',
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: 'm/a%20b.yaml' },
            region: { startLine: 3, startColumn: 17 },
          },
        },
      ],
    });
  });
});

describe('JUnit', () => {
  test('has a suite for each file, and a failed case for each error', async () => {
    const report = formats.junit(await validated(), setting);
    expect(report).toContain('<testsuites name="rollcall validate" tests="4" failures="2" errors="0">');
    expect(report).toContain('<testcase name="valid" classname="m/good.yaml" file="m/good.yaml" line="1"/>');
    expect(report).toContain(
      '<failure message="unknown field `&lt;&amp;&quot;&apos;&gt;`" type="unknown-field">',
    );
    expect(report).toContain('<system-out>m/a b.yaml:3:17: warning:');
  });

  test('is XML in which every tag is closed in order, and nothing is unescaped', async () => {
    const open: string[] = [];
    const report = formats.junit(await validated(), setting).replace(/^<\?xml .*\?>\n/, '');
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

describe('GitHub annotations', () => {
  test('stand at their lines', async () => {
    const [first] = formats.github(await validated(), setting).split('\n');
    expect(first).toMatch(
      /^::warning file=m\/a b\.yaml,line=3,endLine=3,col=17,endColumn=22,title=likely-refused::/,
    );
  });

  test('are one command a line, whatever a manifest holds', async () => {
    const lines = formats
      .github(await validated(), setting)
      .trimEnd()
      .split('\n');
    expect(lines).toHaveLength(3);
    for (const line of lines) expect(line).toMatch(/^::(error|warning) file=/);
    expect(lines.join('')).toContain('%250A');
  });
});

test.each(Object.entries(formats))('the report %s lets no control character through', async (_, format) => {
  const report = format(await validated(), setting);
  expect(report.replaceAll('\n', '')).not.toMatch(/\p{C}/u);
});
