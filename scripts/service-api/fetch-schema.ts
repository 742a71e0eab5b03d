// Fetches the API schema of a release from the package that contains it.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

function order(release: string): number {
  const [year = 0, month = 0] = release.split('.').map(Number);
  return year * 100 + month;
}

export function byOrder(a: string, b: string): number {
  return order(a) - order(b);
}

export function fetched(version: string, run: typeof runHere = runHere): string {
  const temporary = mkdtempSync(join(tmpdir(), 'service-api-'));
  try {
    if (version.startsWith('v') || order(version) < order('2025.10')) {
      const name = `goauthentik.io/api/v3@${version.startsWith('v') ? version : goVersion(version)}`;
      const downloaded = run('go', ['mod', 'download', '-json', name], temporary);
      const { Dir = '', Error: error } = JSON.parse(downloaded) as { Dir?: string; Error?: string }; // as Go prints it
      if (error !== undefined) throw new Error(error);
      return readFileSync(join(Dir, 'schema.yml'), 'utf8');
    }
    const file = run('npm', ['pack', '--silent', `@goauthentik/api@${version}`], temporary).trim();
    run('tar', ['xzf', file, 'package/schema.yml'], temporary);
    return readFileSync(join(temporary, 'package/schema.yml'), 'utf8');
  } finally {
    rmSync(temporary, { recursive: true });
  }
}

/** 2023.10.2 is v3.2023102.1, and 2025.8.6 is v3.2025080.6. */
function goVersion(version: string) {
  const [year, month = '', patch] = version.split('.');
  const line = `v3.${year}${month.padStart(2, '0')}`;
  return order(version) < order('2025.8') ? `${line}${patch}.1` : `${line}0.${patch}`;
}

function runHere(command: string, args: string[], cwd: string) {
  const { stdout, error } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (error) throw error;
  return stdout;
}
