import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { seedSandbox } from '../../src/sandbox/seed.ts';
import { serveSandbox } from '../../src/sandbox/server.ts';
import { temporaryFolder } from '../support/canary.ts';
import { root, run, type Ended } from '../support/cli.ts';
import { rollcallHere } from '../support/here.ts';
import { serveResidents, type Residents } from '../support/resident.ts';
import { inFull } from '../support/effort.ts';

let residents: Residents;
beforeAll(async () => {
  residents = await serveResidents({ rollcall: rollcallHere });
});
afterAll(() => residents.close());

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
  mkdirSync(join(folder, 'manifests'));
  mkdirSync(join(folder, 'bin'));
  residents.install(join(folder, 'bin/rollcall'), 'rollcall');
  const slugs = Array.from({ length: 40 }, (_, index) => `  - { slug: app-${index}, name: A }`);
  writeFileSync(join(folder, 'manifests/apps.yaml'), `version: 1\napplications:\n${slugs.join('\n')}\n`);
});

function example(name: string): unknown {
  return parse(readFileSync(join(root, 'examples/pipelines', name), 'utf8'));
}

const scriptOf = (lines: readonly string[]): string =>
  ['npx() { shift; "$@"; }', 'set -e', ...lines].join('\n');
const searchPath = (): string => `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`;

/** Runs lines of a shell one after the other against one sandbox; npx finds the rollcall of this process. */
async function inSandbox(lines: readonly string[]): Promise<Ended> {
  const server = await serveSandbox(seedSandbox({}).sandbox, { port: 0, latencyMs: 0 });
  const env = { ROLLCALL_URL: server.url, ROLLCALL_TOKEN: 'sandbox-token', PATH: searchPath() };
  try {
    return await run('bash', ['-c', scriptOf(lines)], { cwd: folder, env });
  } finally {
    await server.close();
  }
}

describe('the example pipelines', () => {
  test.runIf(inFull)(
    'for GitHub: the shards of its matrix create all of the roll, and their reports are joined',
    async () => {
      const { jobs } = example('github-shards.yaml') as {
        jobs: Record<
          'apply' | 'report',
          { strategy?: { matrix: { shard: number[] } }; steps: { run?: string }[] }
        >;
      };
      const [command = ''] = jobs.apply.steps.flatMap(({ run: line }) =>
        line?.includes('apply') ? [line] : [],
      );
      const [merge = ''] = jobs.report.steps.flatMap(({ run: line }) =>
        line?.includes('merge') ? [line] : [],
      );
      const shards = jobs.apply.strategy?.matrix.shard ?? [];
      const ran = await inSandbox([...shards.map((shard) => `SHARD=${shard}\n${command}`), merge]);
      expect(ran).toMatchObject({ code: 0, stderr: '' });
      expect(ran.stdout).toContain('Apply complete! Resources: 40 added');
    },
  );
});
