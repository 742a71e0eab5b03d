import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { watch } from './canary.ts';

export const root: string = fileURLToPath(new URL('../../', import.meta.url));
export const cli: string = fileURLToPath(new URL('../../bin/rollcall.cjs', import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** Called with the process as soon as it has started. */
  readonly started?: (child: ChildProcess) => void;
}

export function rollcall(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  return run(process.execPath, [cli, ...args], options);
}

export function run(program: string, args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: options.cwd ?? root, env: { ...process.env, ...options.env } });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
    watch(`${program} ${args.join(' ')}`, () => stdout + stderr);
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
    child.stdin.on('error', () => {}); // the program may end without reading its input
    child.stdin.end(options.input ?? '');
    options.started?.(child);
  });
}
