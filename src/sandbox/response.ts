import type { JsonObject } from '../base/json.ts';

export interface SandboxResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export function json(status: number, body: JsonObject, allow: string): SandboxResponse {
  const headers = { allow, 'content-type': 'application/json', vary: 'Cookie' };
  return { status, headers, body: JSON.stringify(body) };
}

export function html(status: number, body: string, allow?: string): SandboxResponse {
  const headers = { ...(allow && { allow }), 'content-type': 'text/html; charset=utf-8', vary: 'Cookie' };
  return { status, headers, body };
}
