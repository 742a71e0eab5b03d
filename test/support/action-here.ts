import { relative } from 'node:path';
import { showReport } from '../../scripts/action/comment.js';
import { runRollcall } from '../../scripts/action/run.js';
import { cli, root } from './cli.ts';
import { rollcallHere } from './here.ts';
import type { Resident } from './resident.ts';

/** The program that the steps of action.yml call as `node`. It runs the action's scripts, and the rollcall that they start, in this process. */
export const nodeHere: Resident = async ({ args: [script = ''], stdout, ...start }) => {
  const print = (line: string): void => stdout(`${line}\n`);
  switch (relative(root, script)) {
    case 'scripts/action-comment.js':
      await showReport(start.env, print);
      return 0;
    case 'scripts/action-run.js':
      return runRollcall({
        ...start,
        print,
        start: (program, args, env, input) => {
          if (program !== cli) throw new Error(`${program} is not our rollcall`);
          return rollcallHere({ ...start, args, env, stdout, stdin: async () => input });
        },
      });
    default:
      throw new Error(`${script} does not run here`);
  }
};
