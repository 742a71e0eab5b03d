import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { globSync } from 'tinyglobby';
import { defineConfig } from 'vitest/config';
import { isStale } from './scripts/build-if-stale.js';
import type { Plugin, TestProjectInlineConfiguration, ViteUserConfig } from 'vitest/config';

/** Code that replaces modules, changes the process, or counts its open resources. */
const changesItsProcess =
  /'nock'|\bvi\.(?:mock|doMock|hoisted|stub\w+|useFakeTimers)\b|\bprocess\.(?:(?:chdir|on|once|getActiveResourcesInfo)\b|(?:exitCode|env\[.*?\]) = )/;
const startsPrograms =
  /'node:child_process'|\b(?:run|rollcall)\b[^;]*from '\.\.?\/(?:support\/)?cli\.ts'|from '\.\.\/support\/(?:workflow|gitlab)-runner\.ts'/;

/** The test files of each project. The content of a file determines its project. */
const projects: Record<'quick' | 'whole' | 'alone', string[]> = { quick: [], whole: [], alone: [] };
for (const file of globSync('test/**/*.test.ts', { cwd: import.meta.dirname })) {
  const text = readFileSync(join(import.meta.dirname, file), 'utf8');
  const project = changesItsProcess.test(text) ? 'alone' : startsPrograms.test(text) ? 'whole' : 'quick';
  projects[project].push(file);
}

/** Slow tests, which `npm test` omits: many programs, random instances, faults at every moment, and tests of the test tools. */
const notInQuick = [
  'test/{examine,judge,probe}/**',
  'test/simulation/{login,once-failed,planted-bugs}.test.ts',
  'test/commands/{access-faults,access-writers,outage,update-faults}.test.ts',
  'test/commands/{big-applies,company,deep-answers,deletes-shown,every-bindable,export-all,export-whole}.test.ts',
  'test/commands/{flows,later-release,lists,lists-of-all-kinds,outputs,own-rights,reach,scope,way-in}.test.ts',
  'test/commands/{closed-files,export-gaps,policies}.test.ts',
  'test/docs/{console,documents}.test.ts',
  'test/{manifest/parts,observe/lists,package/package,plan/policies}.test.ts',
  'test/e2e/{baseline,completion,hardened,killed-runs,lost-output,network,never-settles,plans}.test.ts',
  'test/pipelines/{action,gitlab,workflows}.test.ts',
  'test/report/{hostile,widths}.test.ts',
  'test/sandbox/{recorded-kinds,recordings,releases}.test.ts',
  'test/service/{idle-connections,recordings,socket-faults,system-authorities}.test.ts',
];

/** The settings of all tests. */
const everyTest = {
  // These limits only end hanging tests. No test measures time, and the machine may be busy.
  testTimeout: 900_000,
  hookTimeout: 900_000,
  expect: { poll: { timeout: 300_000 } },
  setupFiles: ['test/support/canary-hooks.ts'],
  // No test connects to another machine or depends on the caller's settings.
  env: {
    ROLLCALL_URL: '',
    ROLLCALL_TOKEN: '',
    ROLLCALL_TOKEN_FILE: '',
    NO_COLOR: '1',
    HTTP_PROXY: '',
    HTTPS_PROXY: '',
    http_proxy: '',
    https_proxy: '',
  },
} satisfies ViteUserConfig['test'];

/** With `--mode 2026.2`, tests that do not choose a release get a sandbox of this release. */
function sandboxOf(mode: string): Plugin[] {
  if (!/^\d/.test(mode)) return [];
  return [
    {
      name: 'release-of-the-sandbox',
      transform(code, id) {
        if (!id.endsWith('/src/sandbox/release.ts')) return undefined;
        const changed = code.replace(
          /(?<=defaultRelease\b[^=\n]*= )"[^"]*"|(?<=defaultRelease\b[^=\n]*= )'[^']*'/,
          `'${mode}'`,
        );
        if (changed === code) throw new Error('the sandbox has no default release');
        return changed;
      },
    },
  ];
}

/** Imports the built files if the build is up to date, so that the source is not compiled again. */
function builtSource(mode: string): Plugin[] {
  const root = import.meta.dirname;
  if (/^\d/.test(mode) || !process.argv.includes('run') || isStale(root)) return [];
  return [
    {
      name: 'source-as-it-was-built',
      enforce: 'pre',
      resolveId(source, importer = '') {
        if (!/^\.\.?\/.*\.ts$/.test(source)) return undefined;
        const path = relative(join(root, 'src'), join(dirname(importer), source));
        return path.startsWith('..') ? undefined : join(root, 'dist', path.replace(/\.ts$/, '.js'));
      },
    },
  ];
}

/** Sets TESTS for test/support/effort.ts in each project, because a project that extends this file does not get the mode. */
function projectOf(
  name: keyof typeof projects,
  mode: string,
  how: { readonly pool: 'threads' | 'forks'; readonly isolate?: false },
): TestProjectInlineConfiguration {
  return {
    extends: true,
    plugins: [...sandboxOf(mode), ...(name === 'alone' ? [] : builtSource(mode))],
    test: {
      name,
      include: projects[name],
      exclude: mode === 'quick' ? notInQuick : [],
      env: { TESTS: mode },
      server: { deps: { external: [new RegExp(`^${join(import.meta.dirname, 'dist')}/`)] } },
      ...how,
    },
  };
}

/** Runs only with `--mode browser`, because these tests need a browser. */
const browser: TestProjectInlineConfiguration = {
  extends: true,
  test: { name: 'browser', include: ['test/browser/**/*.browser.ts'] },
};

export default defineConfig(({ mode }) => {
  // In this mode, most code runs only a few times, so optimizing it takes longer than it saves. Threads inherit the flag.
  if (mode === 'quick') setFlagsFromString('--interrupt-budget=1000000');
  return {
    logLevel: 'error', // packages of GitHub refer to source maps that they do not contain
    test: {
      ...everyTest,
      maxWorkers: '100%', // many tests wait for a program
      projects:
        mode === 'browser'
          ? [browser]
          : [
              // Tests without side effects can share loaded modules.
              projectOf('quick', mode, { pool: 'threads', isolate: false }),
              projectOf('whole', mode, { pool: 'forks', isolate: false }),
              projectOf('alone', mode, { pool: 'forks' }),
            ],
    },
  };
});
