import { chmodSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import type { Start } from './here.ts';

/** A program that runs in this process, and returns its exit code. */
export type Resident = (start: Start) => Promise<number>;

export interface Residents {
  /** Writes a bash script that calls the program, under this name in the folder. */
  readonly install: (path: string, name: string) => void;
  readonly close: () => Promise<void>;
}

/**
 * Runs programs in this process that a shell calls by name. The shell finds a bash script, which sends the arguments, the
 * variables and, if the program reads it, standard input. The script then prints the output that it receives, and exits with the
 * received code.
 */
export async function serveResidents(programs: Readonly<Record<string, Resident>>): Promise<Residents> {
  const server = createServer((socket) => {
    socket.on('error', () => {}); // the caller may have ended
    void attend(socket, programs);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo; // a TCP server's address is an object
  return {
    install: (path, name) => {
      writeFileSync(path, script(port, name));
      chmodSync(path, 0o755);
    },
    close: () => new Promise((done) => server.close(() => done())),
  };
}

/** The script requests each piece of output, so that a program cannot read the output of the next one. */
const script = (port: number, name: string): string => `#!/usr/bin/env bash
exec 3<>/dev/tcp/127.0.0.1/${port}
{
  printf '%s\\0' '${name}' "$PWD" "$#" "$@"
  while read -r name; do printf '%s=%s\\0' "$name" "\${!name}"; done < <(compgen -e)
  printf '\\0'
} >&3
while printf 'next\\0' >&3 && read -r what number <&3; do
  case $what in
    out) head -c "$number" <&3 ;;
    err) head -c "$number" <&3 >&2 ;;
    in) { cat && printf '\\0'; } >&3 ;;
    exit) exit "$number" ;;
  esac
done
exit 125
`;

async function attend(socket: Socket, programs: Readonly<Record<string, Resident>>): Promise<void> {
  const texts = textsOf(socket);
  const next = async (): Promise<string> => (await texts.next()).value ?? '';
  const name = await next();
  const cwd = await next();
  const args: string[] = [];
  for (let left = Number(await next()); left > 0; left -= 1) args.push(await next());
  const env: Record<string, string> = {};
  for (let entry = await next(); entry !== ''; entry = await next()) {
    const [, key = '', value = ''] = /^([^=]+)=([^]*)$/.exec(entry) ?? [];
    env[key] = value;
  }

  const printed: { readonly where: 'out' | 'err'; text: string }[] = [];
  const print = (where: 'out' | 'err') => (text: string) => {
    const last = printed.at(-1);
    if (last?.where === where) last.text += text;
    else printed.push({ where, text });
  };
  const stdin = async (): Promise<string> => {
    await next(); // waits for the next request
    socket.write('in 0\n');
    return next();
  };
  const code = await started(programs[name], {
    args,
    cwd,
    env,
    stdin,
    stdout: print('out'),
    stderr: print('err'),
  });
  for (const { where, text } of printed) {
    await next();
    const bytes = Buffer.from(text);
    socket.write(`${where} ${bytes.length}\n`);
    socket.write(bytes);
  }
  await next();
  socket.end(`exit ${code}\n`);
}

async function started(program: Resident | undefined, start: Start): Promise<number> {
  try {
    if (program === undefined) throw new Error('there is no such program');
    return await program(start);
  } catch (error) {
    start.stderr(`${error instanceof Error ? error.stack : String(error)}\n`);
    return 1;
  }
}

/** The received texts. Each ends with NUL. */
async function* textsOf(socket: Socket): AsyncGenerator<string, undefined> {
  let rest = '';
  for await (const chunk of socket.setEncoding('utf8')) {
    const parts = (rest + String(chunk)).split('\0');
    rest = parts.pop() ?? '';
    yield* parts;
  }
}
