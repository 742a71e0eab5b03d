import { createServer, request as plain } from 'node:http';
import { request as secure } from 'node:https';

/**
 * Forwards requests to a service, and counts them.
 *
 * @param {string} service
 * @returns {Promise<{ url: string, count: () => number, close: () => void }>}
 */
export async function countingProxy(service) {
  let count = 0;
  const { protocol, pathname } = new URL(service);
  const send = protocol === 'https:' ? secure : plain;
  const server = createServer((incoming, response) => {
    count += 1;
    const { method, headers, url = '' } = incoming;
    const path = pathname.replace(/\/$/, '') + url;
    const { host: _, ...kept } = headers;
    const passed = send(new URL(path, service), { method, headers: kept }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    passed.once('error', () => response.destroy());
    incoming.pipe(passed);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}`,
    count: () => count,
    close: () => server.close(() => {}).closeAllConnections(),
  };
}
