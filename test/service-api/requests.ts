import { allKinds, kinds } from '../../src/kinds/all.ts';
import { listQuery } from '../../src/kinds/kind.ts';
import { releaseRequest } from '../../src/service/release.ts';
import { ownUserPath } from '../../src/service/who-am-i.ts';
import type { Facts } from './facts.ts';

/** A request as the API describes it: `GET /core/users/`, and the names of its parameters. */
export interface Asked {
  readonly operation: string;
  readonly parameters: readonly string[];
}

/** A path as the API has it, where a kind was elsewhere before. */
export function pathIn(facts: Facts, path: string): string {
  const plain = path.replace('/api/v3', '');
  const kind = kinds.find((one) => one.was && path.startsWith(one.path));
  if (kind?.was === undefined || facts.has(`POST ${kind.path.replace('/api/v3', '')}`)) return plain;
  return path.replace(kind.path, kind.was.path).replace('/api/v3', '');
}

/** What a request is to the API, where that has such a path. */
export function askedBy(method: string, path: string, facts: Facts): Asked | undefined {
  const [plain = '', query = ''] = pathIn(facts, path).split('?');
  const operations = [...facts.keys()].filter((key) => key.startsWith(`${method} `) && !key.includes('?'));
  // A path that the API has is that path, and not the record of that name.
  const operation =
    operations.find((key) => key === `${method} ${plain}`) ??
    operations.find((key) => formOf(key.slice(method.length + 1)).test(plain));
  return operation === undefined
    ? undefined
    : { operation, parameters: [...new Set(new URLSearchParams(query).keys())] };
}

function formOf(template: string): RegExp {
  return new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`);
}

/** Every request of which rollcall's kinds know, each with all of its parameters. */
export function everyRequest(): { readonly method: string; readonly path: string }[] {
  const page = { page: '1', page_size: '1' };
  const name = 'no-name';
  const withQuery = (path: string, query: Readonly<Record<string, string>>): string =>
    `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams(query).toString()}`;
  return [
    { method: 'GET', path: releaseRequest.path },
    { method: 'GET', path: ownUserPath },
    ...kinds.flatMap((kind) => {
      const { path, query } = listQuery(kind, new Set());
      return [
        { method: 'POST', path: kind.path },
        { method: 'GET', path: kind.lookUp.path(name) },
        { method: 'GET', path: withQuery(path, { ...query, ...page }) },
        { method: 'PATCH', path: kind.update.path(name, '1') },
      ];
    }),
    ...kinds.flatMap(({ access }) =>
      access
        ? [
            { method: 'POST', path: access.path },
            { method: 'DELETE', path: `${access.path}${name}/` },
            {
              method: 'GET',
              path: withQuery(access.path, { target_in: 'x', ordering: 'pk', ...page }),
            },
          ]
        : [],
    ),
    ...allKinds.flatMap(({ byName }) =>
      byName
        ? [
            {
              method: 'GET',
              path: withQuery(byName.path, { ...byName.query, ...byName.narrowedTo('x'), ...page }),
            },
          ]
        : [],
    ),
  ];
}
