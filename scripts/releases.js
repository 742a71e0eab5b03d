// Runs the tests that meet a sandbox against those of the later releases. The tests of the sandbox, of the probe and of the simulation
// have releases of their own; so has what export is told of records that only some releases take.
import { spawnSync } from 'node:child_process';

const excluded = ['test/sandbox/**', 'test/probe/**', 'test/simulation/**', 'test/commands/export.test.ts'];

for (const release of ['2025.12', '2026.2']) {
  const { status } = spawnSync(
    'npx',
    [
      'vitest',
      'run',
      '--project',
      'quick',
      '--reporter',
      'dot',
      '--mode',
      release,
      ...excluded.flatMap((glob) => ['--exclude', glob]),
    ],
    { stdio: 'inherit' },
  );
  if (status !== 0) throw new Error(`not all is well with ${release}`);
}
