import type { JsonObject } from '../base/json.ts';

export interface SandboxResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export const jsonType = 'application/json';

export function json(status: number, body: JsonObject, allow: string): SandboxResponse {
  const headers = { allow, 'content-type': jsonType };
  return { status, headers, body: JSON.stringify(body) };
}

export function html(status: number, body: string, allow?: string): SandboxResponse {
  const headers = { ...(allow && { allow }), 'content-type': 'text/html; charset=utf-8' };
  return { status, headers, body };
}
