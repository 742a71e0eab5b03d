import type { SandboxSeed } from '../generated/sandbox-seed.ts';
import { htmlResponse, methodNotAllowed, type SandboxRequest, type SandboxResponse } from './http.ts';

const operations: readonly { readonly method: string; readonly path: RegExp }[] = [
  { method: 'POST', path: /^\/api\/v3\/core\/(?:applications|users)\/$/ },
  { method: 'GET', path: /^\/api\/v3\/core\/applications\/[^/]+\/$/ },
];

/** Refuses all requests except the three documented operations, if the seed has `documented_only`. */
export function undocumentedRefusal(
  request: SandboxRequest,
  { documented_only: isLimited }: SandboxSeed,
): SandboxResponse | undefined {
  if (!isLimited) return undefined;
  const path = request.path.split('?', 1)[0] ?? '';
  const here = operations.filter((one) => one.path.test(path));
  if (here.some(({ method }) => method === request.method)) return undefined;
  const allow = [...here.map(({ method }) => method), 'OPTIONS'].join(', ');
  return here.length > 0 ? methodNotAllowed(request, allow) : htmlResponse(404, '<!DOCTYPE html>');
}
