import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isJsonObject, parseJson, type JsonObject } from '../../src/base/json.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';

/** `cut before` closes the connection before the service sees the request; `cut after` closes it after the service has carried out the request. */
export const faults = ['cut before', 'cut after', 'half an answer', '500', '502', '503', '429'] as const;
export type Fault = (typeof faults)[number];

/** The faults, denials and other events that the requests of one run meet. */
export interface RunFaults {
  /** The fault of a request. Requests are numbered from 1 in each run. */
  fault(request: number): Fault | undefined;
  before(request: number): void;
  isDenied(method: string, path: string): boolean;
}

/** A request that changed the service. */
export interface Write {
  readonly method: string;
  readonly path: string;
  readonly record: JsonObject;
}

export const noFaults: RunFaults = { fault: () => undefined, before: () => {}, isDenied: () => false };

/** A sandbox over HTTP that can inject faults. */
export class Front {
  runFaults: RunFaults = noFaults;
  requests = 0;
  writes: Write[] = [];
  readonly met = new Map<Fault, number>();
  readonly #sandbox: Sandbox;
  readonly #server: Server;

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    const { port } = this.#server.address() as AddressInfo; // a TCP server's address is an object
    return `http://127.0.0.1:${port}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /** Resets the counts, and sets the faults of the next run. */
  begin(runFaults: RunFaults): void {
    Object.assign(this, { runFaults, requests: 0, writes: [] });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer); // without an encoding, chunks are buffers
    } catch {
      return; // the client went away
    }
    const { method = '', url: path = '', headers } = request;
    const number = (this.requests += 1);
    this.runFaults.before(number);
    const fault = this.runFaults.fault(number);
    if (fault) this.met.set(fault, (this.met.get(fault) ?? 0) + 1);
    if (fault === 'cut before') return void request.socket.destroy();
    if (fault && Number(fault) > 0) {
      response.writeHead(Number(fault), { 'content-type': 'text/html' });
      return void response.end('<html><body>Something is wrong</body></html>');
    }
    const answer = this.runFaults.isDenied(method, path)
      ? {
          status: 403,
          headers: { 'content-type': 'application/json' },
          body: '{"detail":"You do not have permission to perform this action."}',
        }
      : this.#sandbox.handle({
          method,
          path,
          headers: {
            authorization: headers.authorization,
            'content-type': headers['content-type'],
            cookie: headers.cookie,
          },
          body: Buffer.concat(chunks).toString('utf8'),
        });
    if (!/^(?:GET|HEAD|OPTIONS)$/.test(method) && answer.status < 300) {
      const record = parseJson(answer.body === '' ? '{}' : answer.body);
      this.writes.push({ method, path, record: isJsonObject(record) ? record : {} });
    }
    if (fault === 'cut after') return void request.socket.destroy();
    const body = Buffer.from(answer.body);
    response.writeHead(answer.status, { ...answer.headers, 'content-length': body.length });
    if (fault !== 'half an answer' || body.length < 2) return void response.end(body);
    response.write(body.subarray(0, body.length / 2));
    setImmediate(() => request.socket.destroy());
  }
}
