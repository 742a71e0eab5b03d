import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Sandbox } from './sandbox.ts';

export interface SandboxServer {
  readonly url: string;
  close(): Promise<void>;
}

interface SandboxServerOptions {
  /** With 0, any free port is used. */
  readonly port: number;
  readonly latencyMs: number;
}

/** Serves a sandbox over HTTP, on the loopback interface only. Throws if the port is unavailable. */
export async function serveSandbox(
  sandbox: Pick<Sandbox, 'handle'>,
  options: SandboxServerOptions,
): Promise<SandboxServer> {
  const server = createServer((request, response) => {
    answer(sandbox, request, response, options.latencyMs).catch(() => {
      // The sandbox cannot handle some requests, such as JSON with too many levels.
      if (!response.headersSent) response.writeHead(500, { 'content-type': 'text/html' });
      response.end();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo; // a TCP server has an address with a port
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  sandbox: Pick<Sandbox, 'handle'>,
  request: IncomingMessage,
  response: ServerResponse,
  latencyMs: number,
): Promise<void> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer); // a stream without an encoding returns buffers
  } catch {
    return; // the client closed the connection
  }
  const { status, headers, body } = sandbox.handle({
    method: request.method ?? '',
    path: request.url ?? '',
    headers: {
      authorization: request.headers.authorization,
      'content-type': request.headers['content-type'],
      cookie: request.headers.cookie,
      host: request.headers.host,
    },
    body: Buffer.concat(chunks).toString('utf8'),
  });
  if (latencyMs > 0) await delay(latencyMs, undefined, { ref: false });
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}
