import { defineConfig } from 'vitest/config';
import { everyTest } from './vitest.config.ts';

/** The quick tests of what decides and retries, and a short simulation; once for each mutant. */
export default defineConfig({
  test: {
    ...everyTest,
    include: [
      'test/{apply,observe}/**/*.test.ts',
      'test/service/{pacing,what-answers-prove,redact}.test.ts',
      'test/commands/{main-job,apply-events,update,update-faults}.test.ts',
      'test/simulation/simulation.test.ts',
    ],
    env: { ...everyTest.env, SIMULATION_SEEDS: '200' },
  },
});
