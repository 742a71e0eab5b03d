import { readFile, stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { glob } from 'tinyglobby';
import type { Files } from '../files.ts';
import { undiciTransport } from '../service/undici-transport.ts';
import type { ServiceSettings } from '../settings/service-settings.ts';
import type { Connection, Context, Output } from './context.ts';

/** The real world, as a Context. `colours` is what the flags say of colours, if anything. */
export function nodeContext(toolVersion: string, signal: AbortSignal, colours: boolean | undefined): Context {
  const terminal = process.stdin.isTTY && process.stderr.isTTY;
  return {
    env: process.env,
    files: nodeFiles,
    clock: { now: () => Date.now(), sleep: (milliseconds) => delay(milliseconds) },
    random: () => Math.random(),
    stdout: outputTo(process.stdout, colours),
    stderr: outputTo(process.stderr, colours),
    connect,
    ...(terminal && { ask: (question: string) => ask(question, signal) }),
    signal,
    toolVersion,
  };
}

const nodeFiles: Files = {
  async kindOf(path) {
    const found = await stat(path).catch(() => undefined);
    if (found === undefined) return 'absent';
    return found.isFile() ? 'file' : found.isDirectory() ? 'folder' : 'other';
  },
  read: (path) => readFile(path),
  glob: (pattern) => glob(pattern, { expandDirectories: false }),
  filesBelow: async (folder) => {
    const below = await glob(['**/*.yaml', '**/*.yml'], { cwd: folder, expandDirectories: false });
    return below.map((path) => `${folder.replace(/\/+$/, '')}/${path}`);
  },
  async readStandardInput() {
    const chunks: Buffer[] = [];
    for await (const chunk of process.stdin) chunks.push(chunk as Buffer); // no encoding is set
    return Buffer.concat(chunks);
  },
};

function outputTo(stream: NodeJS.WriteStream, colours: boolean | undefined): Output {
  return {
    write: (text) => void stream.write(text),
    isTerminal: stream.isTTY,
    colours: colours ?? coloursByEnvironment(stream),
  };
}

/** NO_COLOR (no-color.org) and FORCE_COLOR, when they are set to anything; else whether it is a terminal. */
function coloursByEnvironment(stream: NodeJS.WriteStream): boolean {
  if (process.env['NO_COLOR']) return false;
  if (process.env['FORCE_COLOR']) return process.env['FORCE_COLOR'] !== '0';
  return stream.isTTY && process.env['TERM'] !== 'dumb';
}

function connect({ baseUrl, token, timeoutMs }: ServiceSettings): Connection {
  return undiciTransport({ baseUrl, timeoutMs, authorization: () => `Bearer ${token.reveal()}` });
}

/** One line from the terminal; an empty one when the input ends or the run is interrupted. */
function ask(question: string, signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
    signal.addEventListener('abort', () => lines.close(), { once: true });
    let answered = '';
    lines.once('close', () => {
      if (answered === '') process.stderr.write('\n');
      resolve(answered.trim());
    });
    lines.question(question, (answer) => {
      answered = `${answer}\n`;
      lines.close();
    });
  });
}
