import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { globSync } from 'tinyglobby';
import { defineConfig } from 'vitest/config';
import type { ViteUserConfig } from 'vitest/config';

/** How it shows that a test starts programs, replaces a module or what belongs to the whole process, or counts what it holds open. */
const needsItsOwn = [
  /'(?:node:child_process|nock)'/,
  /\b(?:run|rollcall)\b[^;]*from '\.\.?\/(?:support\/)?cli\.ts'/,
  /from '\.\.\/support\/workflow-runner\.ts'/,
  /\bvi\.(?:mock|doMock|hoisted|stub\w+|useFakeTimers)\b/,
  /\bprocess\.(?:chdir|on|once|getActiveResourcesInfo)\b|\bprocess\.(?:exitCode|env\[.*?\]) = /,
];

const tests = globSync('test/**/*.test.ts', { cwd: import.meta.dirname });
const whole = tests.filter((file) => {
  const text = readFileSync(join(import.meta.dirname, file), 'utf8');
  return needsItsOwn.some((sign) => sign.test(text));
});

/** What goes for every test. */
export const everyTest = {
  // Node.js 20 does not import their JSON files.
  server: { deps: { inline: [/@actions/] } },
  // Against hanging only: no test is about how long something takes, and the machine may be busy.
  testTimeout: 120_000,
  hookTimeout: 120_000,
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

/** What test/support/effort.ts reads. Said to each project: one that extends this file is not told the mode itself. */
function effort(mode: string): { readonly TESTS: string } {
  return { TESTS: mode };
}

export default defineConfig(({ mode }) => ({
  logLevel: 'error', // GitHub's packages name source maps that they do not bring
  test: {
    ...everyTest,
    maxWorkers: '100%', // many of them wait for a program
    projects: [
      {
        extends: true,
        test: {
          name: 'quick',
          env: effort(mode),
          include: ['test/**/*.test.ts'],
          exclude: whole,
          // They leave nothing behind, and so can share one copy of what they all load.
          pool: 'threads',
          isolate: false,
        },
      },
      { extends: true, test: { name: 'whole', env: effort(mode), include: whole, pool: 'forks' } },
    ],
  },
}));
