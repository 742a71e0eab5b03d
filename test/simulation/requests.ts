import type { HttpRequest } from '../../src/service/transport.ts';
import { bindingsPath } from './access-watch.ts';
import { isSame, type DeclaredIdentity, type Identity, type Purpose } from './history.ts';

/** A request and its purpose. If it is about no resource, `name` is a description. */
export interface InterpretedRequest extends Identity {
  readonly purpose: Purpose;
}

/** What has to be known about the service to interpret a request. */
interface Known {
  readonly declared: readonly DeclaredIdentity[];
  readonly nameOf: (type: string, pk: string) => string | undefined;
  /** The application that a request about bindings concerns, if there is one. */
  readonly targetOf: (path: string, body: string) => string | undefined;
}

/** Derives the purpose of a request. Ids become names, and former names become declared ones. */
export function interpretRequest(
  request: Pick<HttpRequest, 'method' | 'path' | 'body'>,
  known: Known,
): InterpretedRequest {
  const asked = asNamed(request, known);
  const renamed = known.declared.find(({ type, formerly }) => type === asked.type && formerly === asked.name);
  return renamed ? { ...asked, name: renamed.name } : asked;
}

function asNamed(
  { method, path, body = '' }: Pick<HttpRequest, 'method' | 'path' | 'body'>,
  { declared, nameOf, targetOf }: Known,
): InterpretedRequest {
  const [pathname = '', query = ''] = path.split('?');
  const last = pathname.split('/').at(-2) ?? '';
  if (pathname.startsWith(bindingsPath))
    return {
      purpose: 'access',
      type: 'application',
      name: targetOf(path, body) ?? '(bindings of several applications)',
    };
  const parent = declared.find(({ boundAt }) => boundAt !== undefined && pathname.startsWith(boundAt));
  if (parent && method !== 'GET') return { purpose: 'access', type: parent.type, name: parent.name };
  for (const drawn of declared) {
    const place = drawn.paths?.find((each) => pathname.startsWith(each));
    if (place) return askedOfDrawn({ method, path, body }, place, drawn, { declared, nameOf });
  }
  const type = typeAt(pathname);
  if (last === 'used_by') return { purpose: 'access', type, name: '(its dependents)' };
  if (method === 'POST') {
    const fields = JSON.parse(body) as Record<string, string>; // rollcall creates with a JSON object
    return { purpose: 'create', type, name: fields['slug'] ?? fields['username'] ?? fields['name'] ?? '' };
  }
  if (method !== 'GET')
    return {
      purpose: method === 'DELETE' ? 'delete' : 'change',
      type,
      name: type === 'application' ? last : (nameOf(type, last) ?? `(${type} ${last})`),
    };
  if (pathname.endsWith('/admin/version/'))
    return { purpose: 'release', type: 'application', name: '(the release)' };
  if (pathname.endsWith('/admin/settings/'))
    return { purpose: 'release', type: 'application', name: '(the settings)' };
  if (pathname.endsWith('/users/me/')) return { purpose: 'self', type, name: "(the token's user)" };
  const searchParams = new URLSearchParams(query);
  const page = searchParams.get('page');
  const name = searchParams.get(type === 'user' ? 'username' : 'name') ?? last;
  const isDeclared = declared.some(
    (identity) =>
      isSame({ type, name }, { type: identity.type, name: identity.formerly ?? identity.name }) ||
      isSame(identity, { type, name }),
  );
  const isLookUp = type === 'group' && searchParams.has('name') && page === null;
  const isOther = type === 'user' && page === null && !isDeclared;
  if ((!isLookUp && !['application', 'user'].includes(type)) || isOther)
    return {
      purpose: 'name',
      type: 'application',
      name: `(${pathname.split('/').slice(4).join('/')} ${searchParams.toString()})`,
    };
  if (page !== null) {
    const size = searchParams.get('page_size') ?? 'as many as they come';
    return { purpose: 'page', type, name: `(page ${page} of ${size})` };
  }
  return { purpose: isDeclared ? 'look_up' : 'question', type, name };
}

/** Derives the purpose of a request to the path of a random kind. */
function askedOfDrawn(
  { method, path, body = '' }: Pick<HttpRequest, 'method' | 'path' | 'body'>,
  place: string,
  { type, model, field = 'name' }: DeclaredIdentity,
  { declared, nameOf }: Pick<Known, 'declared' | 'nameOf'>,
): InterpretedRequest {
  const [pathname = '', query = ''] = path.split('?');
  const [id = '', more] = pathname.slice(place.length).split('/').filter(Boolean);
  const ofKind = declared.filter((identity) => identity.model === model).map(({ name }) => name);
  if (method === 'POST') {
    const fields = JSON.parse(body) as Record<string, string>; // rollcall creates with a JSON object
    return { purpose: 'create', type, name: fields[field] ?? '' };
  }
  if (more === 'used_by') return { purpose: 'access', type, name: '(its dependents)' };
  const named = ofKind.includes(id) ? id : nameOf(type, id);
  if (method !== 'GET')
    return { purpose: method === 'DELETE' ? 'delete' : 'change', type, name: named ?? `(${type} ${id})` };
  const searchParams = new URLSearchParams(query);
  const asked = named ?? ofKind.find((name) => [...searchParams.values()].includes(name));
  if (asked !== undefined) return { purpose: 'look_up', type, name: asked };
  const isPage = id === '' && !searchParams.has('search') && !searchParams.has(field);
  return isPage
    ? { purpose: 'page', type, name: `(page of ${model} ${query})` }
    : { purpose: 'name', type: 'application', name: `(${model}${id} ${query})` };
}

function typeAt(path: string): string {
  return path.startsWith('/api/v3/admin/') ? 'application' : (/\/(\w+?)s\//.exec(path)?.[1] ?? path);
}
