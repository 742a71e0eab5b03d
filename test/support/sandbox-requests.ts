import { isJsonList, isJsonObject, type JsonObject } from '../../src/base/json.ts';
import { seedSandbox, sandboxToken } from '../../src/sandbox/seed.ts';
import type { SandboxSeed } from '../../src/generated/sandbox-seed.ts';
import type { SandboxRelease } from '../../src/sandbox/release.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { askSandbox } from './ask-sandbox.ts';
import type { HttpRequest, Transport } from '../../src/service/transport.ts';

export interface SandboxTransport {
  readonly sandbox: Sandbox;
  readonly send: Transport;
  readonly requests: readonly HttpRequest[];
  /** The method and path of each request in readable form. Requests for applications and users are left out. */
  readonly lookUps: () => string[];
  readonly sent: () => unknown[];
  /** Sends a request as another client whose token has all permissions. The path is relative to /api/v3. */
  readonly ask: (method: string, path: string, body?: JsonObject) => JsonObject;
  /** The records in a list, as that client sees them. */
  readonly list: (path: string) => readonly JsonObject[];
}

/** A transport to a sandbox in this process, with one of its tokens. */
export function sandboxTransport(
  seed: SandboxSeed,
  token: string = sandboxToken,
  release?: SandboxRelease,
): SandboxTransport {
  const { sandbox, refused } = seedSandbox(seed, release);
  if (refused.length > 0) throw new Error(JSON.stringify(refused));
  const requests: HttpRequest[] = [];
  const ask: SandboxTransport['ask'] = (method, path, body) => askSandbox(sandbox, method, path, body).body;
  return {
    sandbox,
    requests,
    ask,
    list: (path) => {
      const records = ask('GET', path)['results'] ?? null;
      return isJsonList(records) ? records.filter((one) => isJsonObject(one)) : [];
    },
    lookUps: () =>
      requests
        .map(({ path }) => decodeURIComponent(path.replace('/api/v3', '').replaceAll('+', ' ')))
        .filter((path) => !/^\/core\/(?:applications|users)/.test(path)),
    sent: () => requests.flatMap(({ body }) => (body === undefined ? [] : [JSON.parse(body) as unknown])),
    send: async (request) => {
      requests.push(request);
      const { method, path, body = '' } = request;
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const answer = sandbox.handle({ method, path, headers, body });
      return { kind: 'answered', ...answer };
    },
  };
}

/** A transport to a sandbox in this process, with a superuser's token. */
export function sandboxHere(seed: SandboxSeed = {}, release?: SandboxRelease): SandboxTransport {
  const tokens = [{ token: 'superuser-token', username: 'akadmin', superuser: true }];
  return sandboxTransport({ tokens, ...seed }, 'superuser-token', release);
}
