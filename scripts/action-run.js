// The step of action.yml that runs rollcall.
import { spawn } from 'node:child_process';
import { runRollcall } from './action/run.js';

process.exitCode = await runRollcall({
  env: process.env,
  cwd: process.cwd(),
  print: (line) => console.log(line),
  start: (script, args, env, input) =>
    new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [script, ...args], {
        stdio: ['pipe', 'inherit', 'inherit'],
        env,
      });
      child.stdin.on('error', () => {}); // the program may end without reading its input
      child.stdin.end(input);
      for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM']))
        process.on(signal, () => child.kill(signal));
      child.once('error', reject);
      child.once('close', (code) => resolve(code ?? 1));
    }),
});
