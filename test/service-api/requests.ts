import { kinds } from '../../src/kinds/all.ts';
import { factsOf, type TypeFacts } from '../../src/kinds/facts.ts';
import { listQuery, type Kind } from '../../src/kinds/kind.ts';
import { factPaths } from '../support/fact-paths.ts';

export interface Request {
  readonly method: string;
  readonly path: string;
}

const longestFirst = factPaths.toSorted((a, b) => b.length - a.length);

/** Query parameters of lists that a later release added. Earlier releases ignore them. */
export const laterParameters: Readonly<Record<string, string>> = {
  include_groups: '2024.4',
  include_users: '2024.4',
  include_roles: '2025.12',
};

/** The path of a kind in a release, by the facts. */
export function pathIn({ path, formerPath }: Pick<Kind, 'path' | 'formerPath'>, line: string): string {
  const own = path.replace('/api/v3', '');
  return formerPath && factsOf(line, own) === undefined ? formerPath.path.replace('/api/v3', '') : own;
}

/** The parts of a request that are not in a release's API: its path, or some of its parameters. */
export function unknownIn(line: string, { method, path }: Request): string[] {
  const [plain = '', query = ''] = path.replace('/api/v3', '').split('?');
  const kind = kinds.find((one) => path.startsWith(one.path));
  const asked = kind ? plain.replace(kind.path.replace('/api/v3', ''), pathIn(kind, line)) : plain;
  const list = longestFirst.find((one) => asked.startsWith(one) && factsOf(line, one)) ?? '/';
  const facts = list === '/' ? undefined : factsOf(line, list);
  const parameters = facts && parametersOf(facts, method, asked.slice(list.length));
  if (parameters === undefined) return [`${method} ${plain}`];
  const names = [...new Set(new URLSearchParams(query).keys())];
  return names.filter((name) => !parameters.includes(name)).map((name) => `${method} ${plain} ?${name}`);
}

/** The parameters of requests to paths below a list; undefined if there are none. */
function parametersOf(
  { can, filters, actions }: TypeFacts,
  method: string,
  below: string,
): readonly string[] | undefined {
  const action = actions[`${method} ${below}`] ?? actions[`${method} ${below.replace(/^[^/]+/, '{}')}`];
  if (action) return action;
  if (below === '') {
    if (method === 'GET') return Object.keys(filters);
    return can.includes('create') && /^(?:POST|OPTIONS)$/.test(method) ? [] : undefined;
  }
  const needed = ({ GET: 'read', PATCH: 'change', DELETE: 'delete' } as const)[method];
  return needed && /^[^/]+\/$/.test(below) && can.includes(needed) ? [] : undefined;
}

/** All requests that rollcall sends about a kind, with all of their parameters. */
export function requestsAbout(kind: Kind): Request[] {
  const name = 'no-name';
  const listed = (path: string, query: Readonly<Record<string, string>>): Request => ({
    method: 'GET',
    path: `${path}?${new URLSearchParams({ ...query, page: '1', page_size: '1' }).toString()}`,
  });
  const { path, query } = listQuery(kind, new Set());
  const { family, access, deletion } = kind;
  return [
    { method: 'POST', path },
    { method: 'GET', path: kind.lookUp.path(name) },
    listed(path, query),
    { method: 'PATCH', path: kind.update.path(name, '1') },
    ...(deletion ? [{ method: 'DELETE', path: kind.update.path(name, '1') }] : []),
    listed(family.path, { ...family.query, ...family.searchQuery(name) }),
    ...(access
      ? [
          { method: 'POST', path: access.children.path },
          { method: 'DELETE', path: `${access.children.path}${name}/` },
          listed(access.children.path, { target_in: 'x', ordering: 'pk' }),
        ]
      : []),
  ];
}
