// Runs the tests of the default sandbox with a sandbox of the newest release, instead of the oldest release. Excludes tests that choose
// their releases themselves.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { globSync } from 'tinyglobby';

const meetsSandbox =
  /\b(?:Sandbox\(|sandboxHere|sandboxTransport|serveSandbox|seedSandbox|update-world|endedHere)/;
const own = ['test/{sandbox,probe,simulation,service-api}/**', 'test/commands/export.test.ts'];
const files = globSync('test/**/*.test.ts', { ignore: own }).filter((file) =>
  meetsSandbox.test(readFileSync(file, 'utf8')),
);
const [release = ''] =
  /(?<=sandboxReleases = \[[^\]]*')[\d.]+(?='\])/.exec(readFileSync('src/sandbox/release.ts', 'utf8')) ?? [];

const vitest = ['vitest', 'run', '--project', 'quick', '--reporter', 'dot', '--mode', release, ...files];
const { status } = spawnSync('npx', vitest, { stdio: 'inherit' });
if (release === '' || status !== 0) throw new Error(`tests fail with release ${release}`);
