import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { globSync } from 'tinyglobby';
import { defineConfig } from 'vitest/config';
import { isStale } from './scripts/build-if-stale.js';
import type { Plugin, TestProjectInlineConfiguration, ViteUserConfig } from 'vitest/config';

/** Replaces a module or what belongs to the whole process, or counts what that holds open. */
const changesItsProcess =
  /'nock'|\bvi\.(?:mock|doMock|hoisted|stub\w+|useFakeTimers)\b|\bprocess\.(?:(?:chdir|on|once|getActiveResourcesInfo)\b|(?:exitCode|env\[.*?\]) = )/;
const startsPrograms =
  /'node:child_process'|\b(?:run|rollcall)\b[^;]*from '\.\.?\/(?:support\/)?cli\.ts'|from '\.\.\/support\/(?:workflow|gitlab)-runner\.ts'/;

/** Which project a test is of follows from what its file uses. */
const projects: Record<'quick' | 'whole' | 'alone', string[]> = { quick: [], whole: [], alone: [] };
for (const file of globSync('test/**/*.test.ts', { cwd: import.meta.dirname })) {
  const text = readFileSync(join(import.meta.dirname, file), 'utf8');
  const project = changesItsProcess.test(text) ? 'alone' : startsPrograms.test(text) ? 'whole' : 'quick';
  projects[project].push(file);
}

/** Tools that test rollcall, programs started over and over, random instances, faults at each moment: `npm test` leaves them out. */
const notInQuick = [
  'test/{examine,judge,probe}/**',
  'test/simulation/{login,once-failed,planted-bugs}.test.ts',
  'test/commands/{access-faults,access-writers,outage,update-faults}.test.ts',
  'test/commands/{big-applies,company,deletes-shown,every-bindable,export-all,export-whole}.test.ts',
  'test/commands/{flows,later-release,lists,lists-of-all-kinds,scope,way-in}.test.ts',
  'test/docs/console.test.ts',
  'test/observe/lists.test.ts',
  'test/e2e/{baseline,completion,hardened,killed-runs,lost-output,network,never-settles,plans}.test.ts',
  'test/pipelines/{action,gitlab,workflows}.test.ts',
  'test/report/{hostile,widths}.test.ts',
  'test/sandbox/{recorded-kinds,recordings}.test.ts',
  'test/service/{recordings,socket-faults}.test.ts',
];

/** What goes for every test. */
const everyTest = {
  // Against hanging only: no test is about how long something takes, and the machine may be busy.
  testTimeout: 900_000,
  hookTimeout: 900_000,
  expect: { poll: { timeout: 300_000 } },
  setupFiles: ['test/support/canary-hooks.ts'],
  // No test reaches beyond this machine, and none depends on the caller's settings.
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

/** `--mode 2026.2`: the tests meet a sandbox of another release, where they do not say which they want. */
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

/** Where nothing of the source is newer than the build, its files are taken: nothing of it has to be translated once more. */
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

/** TESTS is what test/support/effort.ts reads. It is said to each project: one that extends this file is not told the mode. */
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

/** With `--mode browser` alone: they want a browser. */
const browser: TestProjectInlineConfiguration = {
  extends: true,
  test: { name: 'browser', include: ['test/browser/**/*.browser.ts'] },
};

export default defineConfig(({ mode }) => {
  // Most of the code runs a few times there: to optimize it costs more than it saves. Threads inherit the flag.
  if (mode === 'quick') setFlagsFromString('--interrupt-budget=1000000');
  return {
    logLevel: 'error', // GitHub's packages name source maps that they do not bring
    test: {
      ...everyTest,
      maxWorkers: '100%', // many of them wait for a program
      projects:
        mode === 'browser'
          ? [browser]
          : [
              // What leaves nothing behind can share one copy of what all of it loads.
              projectOf('quick', mode, { pool: 'threads', isolate: false }),
              projectOf('whole', mode, { pool: 'forks', isolate: false }),
              projectOf('alone', mode, { pool: 'forks' }),
            ],
    },
  };
});
