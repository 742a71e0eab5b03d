import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isJsonObject, parseJson, textOf } from '../../src/base/json.ts';

export interface Comment {
  readonly id: number;
  body: string;
  readonly user: { readonly login: string; readonly type: 'Bot' | 'User' };
}

/** GitHub's comments on issue 7 of acme/roll, in the part of the API that pipelines use. */
export interface CommentsApi {
  readonly url: string;
  readonly comments: Comment[];
  /** The requests in order, in the form `METHOD path`. */
  readonly requests: string[];
  /** Answers all requests of a method with this status and text. */
  fail(method: string, status: number, text: string): void;
  close(): Promise<void>;
}

const collection = '/repos/acme/roll/issues/7/comments';
const bot = { login: 'github-actions[bot]', type: 'Bot' } as const;

export async function serveComments(): Promise<CommentsApi> {
  const comments: Comment[] = [];
  const requests: string[] = [];
  const failures = new Map<string, readonly [status: number, text: string]>();
  const answer = (method: string, url: URL, body: string): readonly [status: number, content: unknown] => {
    const sent = parseJson(body);
    const text = isJsonObject(sent) ? textOf(sent['body']) : '';
    if (method === 'GET' && url.pathname === '/user')
      return [403, { message: 'Resource not accessible by integration' }];
    if (method === 'GET' && url.pathname === collection) {
      const size = Number(url.searchParams.get('per_page'));
      const start = (Number(url.searchParams.get('page')) - 1) * size;
      return [200, comments.slice(start, start + size)];
    }
    if (method === 'POST' && url.pathname === collection) {
      const comment = { id: 1000 + comments.length, body: text, user: bot };
      comments.push(comment);
      return [201, comment];
    }
    const known = comments.find(({ id }) => url.pathname === `/repos/acme/roll/issues/comments/${id}`);
    if (method !== 'PATCH' || known === undefined) return [404, { message: 'Not Found' }];
    known.body = text;
    return [200, known];
  };
  const server = createServer((request, response) => {
    const { method = '', url = '/', headers } = request;
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      requests.push(`${method} ${url}`);
      const failure = failures.get(method);
      const [status, content] =
        headers.authorization === 'Bearer github-canary'
          ? (failure ?? answer(method, new URL(url, 'http://localhost'), body))
          : [401, { message: 'Bad credentials' }];
      response.writeHead(status, { location: 'http://127.0.0.1:9/' });
      response.end(typeof content === 'string' ? content : JSON.stringify(content));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a TCP server's address is an object
  return {
    url: `http://127.0.0.1:${port}`,
    comments,
    requests,
    fail: (method, status, text) => failures.set(method, [status, text]),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
