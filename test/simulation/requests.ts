import type { HttpRequest } from '../../src/service/transport.ts';
import { isSame, type Identity, type Purpose } from './history.ts';

/** What a request asks for. Of what is about no resource, the name is a description. */
export interface Asked extends Identity {
  readonly purpose: Purpose;
}

/** What a request asks for; users and groups go by their ids where they are changed. */
export function askedBy(
  { method, path, body = '' }: HttpRequest,
  declared: readonly Identity[],
  nameOf: (pk: string) => string | undefined,
): Asked {
  const type = path.includes('/users/') ? 'user' : path.includes('/groups/') ? 'group' : 'application';
  const [pathname = '', query = ''] = path.split('?');
  if (method === 'POST') {
    const fields = JSON.parse(body) as Record<string, string>; // a create request, as rollcall made it
    return { purpose: 'create', type, name: fields['slug'] ?? fields['username'] ?? fields['name'] ?? '' };
  }
  const last = pathname.split('/').at(-2) ?? '';
  if (method === 'PATCH')
    return {
      purpose: 'change',
      type,
      name: type === 'application' ? last : (nameOf(last) ?? `(${type} ${last})`),
    };
  if (pathname.endsWith('/admin/version/')) return { purpose: 'release', type, name: '(the release)' };
  if (pathname.endsWith('/users/me/')) return { purpose: 'self', type, name: '(whose token it is)' };
  const searchParams = new URLSearchParams(query);
  const isLookUp = type === 'group' && searchParams.has('name') && !searchParams.has('page');
  if (!isLookUp && (type === 'group' || pathname.includes('/providers/')))
    return {
      purpose: 'name',
      type: 'application',
      name: `(${pathname.split('/').slice(4).join('/')} ${searchParams.toString()})`,
    };
  const page = searchParams.get('page');
  if (page !== null) {
    const size = searchParams.get('page_size') ?? 'as many as they come';
    return { purpose: 'page', type, name: `(page ${page} of ${size})` };
  }
  const name = searchParams.get(type === 'group' ? 'name' : 'username') ?? last;
  const isDeclared = declared.some((identity) => isSame(identity, { type, name }));
  return { purpose: isDeclared ? 'look_up' : 'question', type, name };
}
