// Fetches the schema of a release from the package that has it.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** @param {string} release */
function order(release) {
  const [year = 0, month = 0] = release.split('.').map(Number);
  return year * 100 + month;
}

/**
 * @param {string} a
 * @param {string} b
 */
export function byOrder(a, b) {
  return order(a) - order(b);
}

/**
 * The text of a release's schema.
 *
 * @param {string} version
 * @param {typeof runHere} run
 */
export function fetched(version, run = runHere) {
  const temporary = mkdtempSync(join(tmpdir(), 'service-api-'));
  try {
    if (version.startsWith('v') || order(version) < order('2025.10')) {
      const name = `goauthentik.io/api/v3@${version.startsWith('v') ? version : goVersion(version)}`;
      const { Dir, Error: error } = JSON.parse(run('go', ['mod', 'download', '-json', name], temporary));
      if (error) throw new Error(error);
      return readFileSync(join(Dir, 'schema.yml'), 'utf8');
    }
    const file = run('npm', ['pack', '--silent', `@goauthentik/api@${version}`], temporary).trim();
    run('tar', ['xzf', file, 'package/schema.yml'], temporary);
    return readFileSync(join(temporary, 'package/schema.yml'), 'utf8');
  } finally {
    rmSync(temporary, { recursive: true });
  }
}

/**
 * 2023.10.2 is v3.2023102.1, and 2025.8.6 is v3.2025080.6.
 *
 * @param {string} version
 */
function goVersion(version) {
  const [year, month = '', patch] = version.split('.');
  const line = `v3.${year}${month.padStart(2, '0')}`;
  return order(version) < order('2025.8') ? `${line}${patch}.1` : `${line}0.${patch}`;
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {string} cwd
 */
function runHere(command, args, cwd) {
  const { stdout, error } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (error) throw error;
  return stdout;
}
