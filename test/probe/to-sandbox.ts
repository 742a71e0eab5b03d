import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import type { Exchange } from '../../src/service/transport.ts';
import type { Send } from './session.ts';

export function toSandbox(
  sandbox: Pick<Sandbox, 'handle'>,
  ownToken: string,
): (...args: Parameters<Send>) => Promise<Exchange & { kind: 'answered' }> {
  return async ({ method, path, body = '', token = ownToken }) => ({
    kind: 'answered',
    ...sandbox.handle({
      method,
      path,
      body,
      headers: {
        ...(token !== null && { authorization: `Bearer ${token}` }),
        'content-type': 'application/json',
      },
    }),
  });
}
