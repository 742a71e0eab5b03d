import { html, notAllowed, type SandboxRequest, type SandboxResponse } from './http.ts';

const operations: readonly { readonly method: string; readonly path: RegExp }[] = [
  { method: 'POST', path: /^\/api\/v3\/core\/(?:applications|users)\/$/ },
  { method: 'GET', path: /^\/api\/v3\/core\/applications\/[^/]+\/$/ },
];

/** The answer of a service that offers only the three documented operations; undefined if it offers this one. */
export function withheld(request: SandboxRequest, path: string): SandboxResponse | undefined {
  const here = operations.filter((one) => one.path.test(path));
  if (here.some(({ method }) => method === request.method)) return undefined;
  const allow = [...here.map(({ method }) => method), 'OPTIONS'].join(', ');
  return here.length > 0 ? notAllowed(request, allow) : html(404, '<!DOCTYPE html>');
}
