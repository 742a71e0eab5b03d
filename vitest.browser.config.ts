import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    include: ['test/browser/**/*.browser.ts'],
    // One browser at a time: some of these tests measure how long it takes.
    fileParallelism: false,
  },
});
