import { defineConfig } from 'vitest/config';
import tests from './vitest.config.ts';

/** The quick tests of what decides and retries, and a short simulation; once for each mutant. */
export default defineConfig({
  test: {
    ...tests.test,
    include: [
      'test/{apply,observe}/**/*.test.ts',
      'test/service/{pacing,what-answers-prove,redact}.test.ts',
      'test/commands/{main-job,apply-events}.test.ts',
      'test/simulation/simulation.test.ts',
    ],
    env: { ...tests.test?.env, SIMULATION_SEEDS: '300' },
  },
});
