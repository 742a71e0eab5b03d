import { defineConfig } from 'vitest/config';

export default defineConfig({
  logLevel: 'error', // GitHub's packages name source maps that they do not bring
  test: {
    // Node.js 20 does not import their JSON files.
    server: { deps: { inline: [/@actions/] } },
    maxWorkers: '100%', // most of them wait for a program
    testTimeout: 30_000,
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/support/canary.ts'],
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
  },
});
