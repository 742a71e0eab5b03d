import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export const rollcall = fileURLToPath(new URL('../../bin/rollcall.cjs', import.meta.url));

/** @param {string} name */
export function ours(name) {
  return fileURLToPath(new URL(name, import.meta.url));
}

/**
 * Runs Node.js until it ends. If the option `memory` is set, the result has the maximum resident set in MB.
 *
 * @param {readonly string[]} args
 * @param {{ env?: Readonly<Record<string, string>>, memory?: boolean }} [options]
 * @returns {Promise<{ milliseconds: number, memory: number }>}
 */
export async function run(args, { env = {}, memory = false } = {}) {
  const before = performance.now();
  const child = spawn(
    process.execPath,
    [...(memory ? ['--import', new URL('report-memory.js', import.meta.url).href] : []), ...args],
    {
      env: { PATH: process.env['PATH'], NO_COLOR: '1', ...env },
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    },
  );
  let said = '';
  let told = '';
  child.stderr?.on('data', (chunk) => (said += String(chunk)));
  child.stdio[3]?.on('data', (chunk) => (told += String(chunk)));
  const [code] = await once(child, 'close');
  const milliseconds = performance.now() - before;
  if (code !== 0) throw new Error(`node ${args.join(' ')} ended with ${code}\n${said}`);
  return { milliseconds, memory: (Number(told) * 1024) / 1e6 };
}

/**
 * Starts service.js or another program as a service, and uses it until `use` resolves.
 *
 * @template Result
 * @param {readonly string[]} args
 * @param {(url: string, started: { child: import('node:child_process').ChildProcess, lists: string[] }) => Promise<Result>} use
 * @param {readonly string[]} program
 */
export async function withService(args, use, [file = '', ...first] = [ours('service.js')]) {
  const child = fork(file, [...first, ...args]);
  const [{ port, lists }] = await once(child, 'message');
  try {
    return await use(`http://127.0.0.1:${port}`, { child, lists });
  } finally {
    child.disconnect();
    await once(child, 'exit');
  }
}

/**
 * The middle number, or the mean of the two numbers in the middle.
 *
 * @param {readonly number[]} numbers
 */
export function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.slice((sorted.length - 1) >> 1, (sorted.length >> 1) + 1);
  return middle.reduce((sum, number) => sum + number, 0) / middle.length;
}

/**
 * Runs the tasks in turn, round after round, and returns the times of each task.
 *
 * @param {number} rounds
 * @param {readonly (() => Promise<number>)[]} tasks
 */
export async function inTurn(rounds, tasks) {
  /** @type {number[][]} */
  const times = tasks.map(() => []);
  for (let round = 0; round < rounds; round += 1)
    for (const [index, task] of tasks.entries()) times[index]?.push(await task());
  return times;
}
