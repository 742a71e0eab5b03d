import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { globSync } from 'tinyglobby';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { exitCodes } from '../../src/base/exit-code.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { schemaNames } from '../../src/base/package-file.ts';
import { kindAt, kinds } from '../../src/kinds/all.ts';
import { recordedOf } from '../../src/sandbox/recorded.ts';
import { sandboxToken, seedSandbox } from '../../src/sandbox/seed.ts';
import { serveSandbox } from '../../src/sandbox/server.ts';
import { inFull, someOf } from '../support/effort.ts';
import { memoryFiles } from '../support/memory-files.ts';
import { projectSettings } from '../support/settings.ts';
import { schemaErrors } from '../support/schemas.ts';
import { rollcall, root, run } from '../support/cli.ts';
import { endedHere } from '../support/here.ts';

function documentText(name: string): string {
  return readFileSync(join(root, name), 'utf8');
}

/** The fenced code blocks in a language, in order. */
function blocks(name: string, language: string): string[] {
  const found = documentText(name).matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, 'g'));
  return Array.from(found, ([, content = '']) => content);
}

describe('the README', () => {
  test('has at most 150 lines, and begins with a way to try it', () => {
    const lines = documentText('README.md').split('\n');
    expect(lines.length).toBeLessThanOrEqual(151);
    expect(lines.slice(0, 15).join('\n')).toContain('`npm run prove`');
  });

  test('gives the number of types in the reference', () => {
    expect(documentText('README.md')).toContain(`[${kinds.length} types](docs/reference.md)`);
  });

  test('promises a demo of validate, plan and apply, and the demo succeeds', async ({ skip }) => {
    skip(!inFull);
    // Leaves out the build of the demo, which would delete the program while other tests run it.
    const { scripts } = JSON.parse(documentText('package.json')) as { scripts: { demo: string } };
    const [build, demo = ''] = scripts.demo.split(' && ');
    expect(build).toBe('node scripts/build-if-stale.js');
    const { code, stdout, stderr } = await run('sh', ['-c', demo]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.match(/^\$ rollcall \w+/gm)).toEqual(
      ['validate', 'plan', 'apply', 'plan'].map((name) => `$ rollcall ${name}`),
    );
    expect(stdout).toContain('Apply complete! Resources: 4 added, 0 changed, 0 destroyed.');
    expect(stdout).toContain('0 to create, 0 to create if absent, 2 differ, 5 in sync.');
  });

  test('has a valid manifest that the sandbox accepts', async () => {
    const [manifest = ''] = blocks('README.md', 'yaml');
    const server = await serveSandbox(seedSandbox({}).sandbox, { port: 0, latencyMs: 0 });
    const applied = await endedHere(['apply', '--yes', '-'], {
      input: manifest,
      env: { ROLLCALL_URL: server.url, ROLLCALL_TOKEN: sandboxToken },
    });
    await server.close();
    expect(applied).toMatchObject({ code: 0, stderr: '' });
    expect(applied.stdout).toContain('Resources: 2 added');
  });
});

test('validate reports the line of each value that no release accepts', async () => {
  const input = [
    'version: 1',
    'applications: [{ slug: a, name: A,',
    '  policy_engine_mode: some,',
    '  meta_launch_url: "javascript:alert(1)" }]',
    'users: [{ username: a,',
    '  type: robot,',
    '  email: nope }]',
  ].join('\n');
  const { code, stdout } = await endedHere(['validate', '-'], { input });
  expect(code).toBe(3);
  expect(stdout.match(/(?<=:)\d+(?=:\d+: error)/g)).toEqual(['3', '4', '6', '7']);
});

describe('the documents in docs/', () => {
  test('have at most 14,000 words, without generated parts, the changelog and blocks of code', () => {
    const generated = new Set([
      'CHANGELOG.md',
      'manifest.md',
      'commands.md',
      'releases.md',
      'diagnostics.md',
    ]);
    const pages = globSync('docs/**/*.md', { cwd: root }).filter(
      (name) => !generated.has(name.replace('docs/', '')) && !/reference(?:-\w+)?\.md$/.test(name),
    );
    const words = pages.flatMap((name) => {
      const text = documentText(name)
        .replaceAll(/<!-- made by [^]*?<!-- end -->/g, '')
        .replaceAll(/^```[^]*?^```$/gm, '');
      return text.match(/\S*\w\S*/g) ?? [];
    });
    expect(words.length).toBeLessThanOrEqual(14_000);
    expect(words.length).toBeGreaterThan(10_000);
  });

  test('list values of Terraform that differ from those of the service', async () => {
    const manifest = blocks('docs/adopting.md', 'yaml').find((block) => block.includes('defaults:')) ?? '';
    const { defaults } = parse(manifest) as { defaults: Record<string, JsonObject> };
    const { code, stdout } = await endedHere(['validate', '-'], { input: `${manifest}users: []\n` });
    expect(code, stdout).toBe(0);
    for (const [of, values] of Object.entries(defaults)) {
      const { path = '' } = kindAt(['defaults', of]) ?? {};
      const { defaults: ofService = {} } = recordedOf('2025.12', path.replace('/api/v3', ''));
      for (const [field, value] of Object.entries(values)) {
        expect(ofService, of).toHaveProperty(field);
        expect(ofService[field], `${of}.${field}`).not.toEqual(value);
      }
    }
  });

  test('list the options that --help lists', async () => {
    const sections = documentText('docs/commands.md')
      .split(/^## (?=rollcall )/m)
      .slice(1);
    expect(sections.length).toBeGreaterThan(10);
    for (const section of sections) {
      const [name = ''] = section.split('\n');
      const listed = Array.from(section.matchAll(/^\| `(?:-\w, )?(--[\w-]+)/gm), ([, flag = '']) => flag);
      const { stdout } = await endedHere([...name.split(' ').slice(1), '--help']);
      const helped = Array.from(stdout.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm), ([, flag = '']) => flag);
      expect(helped.toSorted(), name).toEqual([...listed, '--help'].toSorted());
    }
    expect(documentText('docs/commands.md')).toMatch(/--help` lists the same options, the most used\sfirst/);
  });

  test('contain valid manifests', async () => {
    const [manifest = ''] = blocks('docs/manifest.md', 'yaml');
    expect(await endedHere(['validate', '-', '--strict'], { input: manifest })).toMatchObject({ code: 0 });
  });

  test('contain a valid rollcall.yaml', async () => {
    const config =
      blocks('docs/references.md', 'yaml').find((block) => block.includes('environments:')) ?? '';
    const files = memoryFiles({ 'rollcall.yaml': config, 'vars/all.yaml': 'a: 1' });
    expect(await projectSettings({ env: 'staging' }, {}, files)).toMatchObject({
      diagnostics: [],
      variables: { a: 1, grafana_provider: 3 },
    });
  });

  test.runIf(inFull)('mention that an incomplete export ends with exit code 6', async () => {
    const [row] = /^\| 6 +\|.*$/m.exec(documentText('docs/exit-codes.md')) ?? [];
    expect(row).toContain('`export`: the written manifests [may be incomplete]');
    const exported = [process.execPath, 'bin/rollcall.cjs', 'export', '--list', '--ids'];
    const { code, stderr } = await rollcall(['sandbox', '--', ...exported]);
    expect({ code, stderr }).toEqual({
      code: 6,
      stderr: expect.stringContaining('The export is incomplete'),
    });
  });

  test('explain every exit code, and no others', () => {
    const explained = Array.from(
      documentText('docs/exit-codes.md').matchAll(/^\| (\d+)\s+\|/gm),
      ([, code]) => Number(code),
    );
    expect(explained).toEqual(Object.values(exitCodes));
  });

  test.runIf(inFull)('contain a seed that the sandbox accepts', async () => {
    const [seed = ''] = blocks('docs/sandbox.md', 'yaml');
    expect(await rollcall(['sandbox', '--seed', '-', '--', 'true'], { input: seed })).toMatchObject({
      code: 0,
      stderr: '',
    });
  });
});

describe('the published schemas', () => {
  // The schema of manifests takes longest to compile, and every build compiles it anyway.
  test.each(someOf(schemaNames.toReversed(), 2))(
    '%s is valid, and equals the output of `rollcall schema`',
    async (name) => {
      expect(() => schemaErrors(name, {})).not.toThrow();
      const { stdout } = await endedHere(['schema', name]);
      expect(stdout).toBe(documentText(`schemas/${name}.schema.json`));
    },
  );

  test('describe the selection of resources alike for a plan and an apply', () => {
    const [ofPlan, ofApply] = ['plan', 'apply'].map(
      (name): unknown => JSON.parse(documentText(`schemas/${name}.schema.json`)).properties.scope,
    );
    expect(ofPlan).toHaveProperty('properties.target');
    expect(ofApply).toEqual(ofPlan);
  });

  test('explain every type of the manifest, and every field of the most common types', () => {
    const common = /^\/definitions\/(?:application|group|user|role|provider_oauth2|provider_proxy)\//;
    const undescribed: string[] = [];
    const visit = (schema: unknown, path: string): void => {
      if (typeof schema !== 'object' || schema === null) return;
      for (const [key, value] of Object.entries(schema)) {
        const isType = path === '/definitions' && 'properties' in Object(value);
        const isField = path.endsWith('/properties') && (common.test(path) || path === '/properties');
        const isSaid = 'description' in Object(value) || '$ref' in Object(value);
        if ((isType || isField) && !isSaid) undescribed.push(`${path}/${key}`);
        visit(value, `${path}/${key}`);
      }
    };
    visit(JSON.parse(documentText('schemas/manifest.schema.json')), '');
    expect(undescribed).toEqual([]);
  });
});
