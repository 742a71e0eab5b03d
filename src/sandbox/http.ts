import { isJsonObject, parseJson, type JsonObject, type JsonValue } from '../base/json.ts';
import { typeName } from './python.ts';
import type { ReleaseRules } from './release.ts';

export interface SandboxRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

export interface SandboxResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export function jsonResponse(status: number, body: JsonValue, allow: string): SandboxResponse {
  const headers = { allow, 'content-type': 'application/json' };
  return { status, headers, body: JSON.stringify(body) };
}

export function htmlResponse(status: number, body: string, allow?: string): SandboxResponse {
  const headers = { ...(allow && { allow }), 'content-type': 'text/html; charset=utf-8' };
  return { status, headers, body };
}

export const readOnly = 'GET, HEAD, OPTIONS';

/** The answer of the service after it crashed. Only a GET gets an error page. */
export function crashResponse({ method }: SandboxRequest): SandboxResponse {
  return method === 'GET' ? htmlResponse(500, '<!DOCTYPE html>') : htmlResponse(405, '', readOnly);
}

export function methodNotAllowed({ method }: SandboxRequest, allow: string): SandboxResponse {
  return jsonResponse(405, { detail: `Method "${method}" not allowed.` }, allow);
}

/** The fields of a request, or the answer if the service cannot read them. */
export function bodyOf(
  { headers, body }: SandboxRequest,
  allow: string,
  { isFrom2025 }: ReleaseRules,
): { readonly fields: JsonObject } | { readonly refusal: SandboxResponse } {
  const mediaType = (headers['content-type'] ?? '').split(';', 1)[0] ?? '';
  if (mediaType !== 'application/json')
    return {
      refusal: jsonResponse(415, { detail: `Unsupported media type "${mediaType}" in request.` }, allow),
    };
  const fields = parseJson(body);
  const complaint = parseProblem(body, fields !== undefined, isFrom2025);
  if (fields === undefined || complaint !== undefined)
    return { refusal: jsonResponse(400, { detail: `JSON parse error - ${complaint}` }, allow) };
  if (isJsonObject(fields)) return { fields };
  const wrongType = `Invalid data. Expected a dictionary, but got ${typeName(fields)}.`;
  return { refusal: jsonResponse(400, { non_field_errors: [wrongType] }, allow) };
}

export function fieldsOf({ body }: SandboxRequest): JsonObject {
  const fields = parseJson(body);
  return isJsonObject(fields) ? fields : {};
}

/** The message of the JSON parser. From 2024.8 on, the parser rejects lone surrogates and numbers that are too large. */
function parseProblem(text: string, isJson: boolean, isFrom2025: boolean): string | undefined {
  const tokens = isFrom2025 ? text.matchAll(/"(?:[^"\\]|\\.)*"|-?\d[-+.\deE]*/gsu) : [];
  for (const { 0: token, index } of tokens) {
    const half = /(?<!\\)\\ud[89ab]..(?!\\ud[c-f])/iu.exec(token);
    if (half) return `no low surrogate in string: ${positionIn(text, index + half.index + half[0].length)}`;
    if (Math.abs(Number(token)) === Infinity)
      return `number is infinity when parsed as double: ${positionIn(text, index)}`;
  }
  const end = isFrom2025 ? 'unexpected end of data' : 'Expecting value';
  return isJson ? undefined : `${end}: ${positionIn(text, text.length)}`;
}

function positionIn(text: string, at: number): string {
  const lines = text.slice(0, at).split('\n');
  return `line ${lines.length} column ${(lines.at(-1)?.length ?? 0) + 1} (char ${at})`;
}
