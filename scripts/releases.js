// Runs the tests that meet a sandbox of no release in particular against one of the newest release: where it answers otherwise than the
// oldest, which is the default, so does every release between. Tests of the sandbox, of the probe and of the simulation have releases
// of their own; so has what export says of records that only some releases take.
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
if (release === '' || status !== 0) throw new Error(`not all is well with ${release}`);
