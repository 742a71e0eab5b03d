// Validates, plans and applies the examples in the service of ROLLCALL_URL and ROLLCALL_TOKEN.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const rollcall = fileURLToPath(new URL('../bin/rollcall.cjs', import.meta.url));
const steps = [
  ['validate', 'examples/manifests'],
  ['plan', 'examples/manifests'],
  ['apply', '--yes', 'examples/manifests'],
  ['plan', 'examples/manifests'],
];

const { ROLLCALL_URL: url = '', ROLLCALL_TOKEN: token = '' } = process.env;
const answer = await fetch(`${url}/api/v3/admin/version/`, { headers: { authorization: `Bearer ${token}` } });
const { version_current: release } = JSON.parse(await answer.text());
process.stdout.write(`The service is a sandbox that behaves like authentik ${release}.\n`);

for (const step of steps) {
  process.stdout.write(`\n$ rollcall ${step.join(' ')}\n`);
  const { status, error } = spawnSync(process.execPath, [rollcall, ...step], { stdio: 'inherit' });
  if (error) throw error;
  if (status !== 0) {
    process.exitCode = status ?? 1;
    break;
  }
}
