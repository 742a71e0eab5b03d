import { isJsonObject, parseJson, type JsonObject } from '../../src/base/json.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { sandboxToken } from '../../src/sandbox/seed.ts';

export interface SandboxAnswer {
  readonly status: number;
  readonly allow: string | undefined;
  readonly text: string;
  /** Empty if the answer is not a JSON object. */
  readonly body: JsonObject;
}

/** Sends a request to a sandbox. The path is relative to /api/v3. A body that is a string is sent unchanged. */
export function askSandbox(
  sandbox: Sandbox,
  method: string,
  path: string,
  fields: object | string = '',
  token: string = sandboxToken,
): SandboxAnswer {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const sent = typeof fields === 'string' ? fields : JSON.stringify(fields);
  const answer = sandbox.handle({ method, path: `/api/v3${path}`, headers, body: sent });
  const body = parseJson(answer.body);
  return {
    status: answer.status,
    allow: answer.headers['allow'],
    text: answer.body,
    body: isJsonObject(body) ? body : {},
  };
}
