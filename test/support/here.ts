import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Context, Output } from '../../src/terminal/context.ts';
import { createPrivateFiles, writePrivateFile, writeReport } from '../../src/terminal/write-file.ts';
import { nodeService } from '../../src/terminal/node-context.ts';
import { nodeFiles } from '../../src/terminal/node-files.ts';
import { runProgram } from '../../src/commands/run-program.ts';
import { exitCodes } from '../../src/base/exit-code.ts';
import { toolVersion } from '../../src/base/package-file.ts';
import { watch } from './canary.ts';
import { root, type Ended, type RunOptions } from './cli.ts';

/** The inputs that a process would get at its start. */
export interface Start {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: () => Promise<string>;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
}

/** Runs the program in this process: starting a process takes longer than most of the program's work. */
export async function rollcallHere(start: Start): Promise<number> {
  const ending = await runProgram(start.args, toolVersion(), {
    env: start.env,
    writeOut: start.stdout,
    writeErr: start.stderr,
    contextFor: async (version, colours = false) => contextOf(start, version, colours),
  });
  return typeof ending === 'string' ? exitCodes[ending] : ending.exitCode;
}

/** Runs the program in this process, and returns its output as `rollcall` in cli.ts does. */
export async function endedHere(
  args: readonly string[],
  { cwd = root, env = {}, input = '' }: Omit<RunOptions, 'started'> = {},
): Promise<Ended> {
  let stdout = '';
  let stderr = '';
  watch(`rollcall ${args.join(' ')}`, () => stdout + stderr);
  const code = await rollcallHere({
    args,
    cwd,
    env: { ...process.env, ...env },
    stdin: async () => input,
    stdout: (text) => (stdout += text),
    stderr: (text) => (stderr += text),
  });
  return { code, stdout, stderr };
}

/** A context with this machine's files, relative to the start folder, and the real network, but without interruptions and prompts. */
function contextOf({ cwd, env, ...start }: Start, version: string, colours: boolean): Context {
  const at = (path: string): string => resolve(cwd, path);
  const output = (write: (text: string) => void): Output => ({ write, isTerminal: false, colours });
  return {
    ...nodeService,
    env,
    files: {
      kindOf: (path) => nodeFiles.kindOf(at(path)),
      realPath: (path) => nodeFiles.realPath(at(path)),
      read: (path, maxBytes) => nodeFiles.read(at(path), maxBytes),
      entriesIn: (folder) => nodeFiles.entriesIn(at(folder)),
      glob: (folder, pattern, look) => nodeFiles.glob(at(folder), pattern, look),
      readStandardInput: async () => Buffer.from(await start.stdin()),
    },
    writeReport: (filename, text) => writeReport(at(filename), text),
    writePrivateFile: (filename, text) => writePrivateFile(at(filename), text),
    createFile: async (filename, text) => {
      await mkdir(dirname(at(filename)), { recursive: true });
      return writeFile(at(filename), text, { flag: 'wx' }).then(
        () => true,
        () => false,
      );
    },
    createPrivateFiles: async (texts) => {
      const names = new Map(Array.from(texts.keys(), (name) => [at(name), name]));
      const taken = await createPrivateFiles(new Map(Array.from(texts, ([name, text]) => [at(name), text])));
      return taken.map((path) => names.get(path) ?? path);
    },
    appendFile: (filename, text) => appendFile(at(filename), text),
    stdout: { ...output(start.stdout), isLost: async () => false },
    stderr: output(start.stderr),
    interruptible: () => ({ signal: new AbortController().signal, urgent: new AbortController().signal }),
    toolVersion: version,
  };
}
