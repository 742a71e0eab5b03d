import type { JsonObject, JsonValue } from '../../src/base/json.ts';
import type { Exchange, HttpRequest, Transport } from '../../src/service/transport.ts';
import { answered } from './scripted-transport.ts';

export interface ServedPage {
  readonly pagination: JsonObject;
  readonly results: readonly JsonValue[];
}

interface Setup {
  readonly users?: readonly JsonObject[];
  readonly applications?: readonly JsonObject[];
  readonly isSuperuser?: boolean;
  /** The maximum number of records on a page, even if a request asks for more. */
  readonly mostOnPage?: number;
  /** Returns an exchange instead of the regular answer, or undefined to keep the answer. */
  readonly instead?: (request: Asked, service: ListingService) => Exchange | undefined;
}

interface Asked {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly list: 'users' | 'applications' | 'me';
  /** The number of the requested page; undefined if a single record is requested. */
  readonly page?: number;
  /** The number of earlier requests. */
  readonly before: number;
}

/** A service with lists of users and applications, as releases from 2025.12 on return them. */
export interface ListingService {
  readonly send: Transport;
  readonly requests: readonly HttpRequest[];
  /** In the order of the list. Tests may change it. */
  readonly users: JsonObject[];
  readonly applications: JsonObject[];
  /** The requested paths, without /api/v3/core. */
  readonly asked: () => string[];
  /** The number of requests for pages of 100, and the number of requests for single records. */
  readonly pages: () => number;
  readonly singles: () => number;
}

const root = '/api/v3/core/';

export function listingService(setup: Setup): ListingService {
  const { isSuperuser = true, mostOnPage = 100, instead } = setup;
  const requests: HttpRequest[] = [];
  const service: ListingService = {
    requests,
    users: [...(setup.users ?? [])],
    applications: [...(setup.applications ?? [])],
    asked: () => requests.map(({ path }) => path.slice(root.length)),
    pages: () => requests.filter(({ path }) => path.includes('page_size=100')).length,
    singles: () =>
      requests.filter(({ path }) => !path.includes('page_size') && !path.includes('/me/')).length,
    send: async (request) => {
      const { pathname, searchParams: query } = new URL(request.path, 'http://localhost');
      const [list = '', name = ''] = pathname.slice(root.length).split('/');
      const asked: Asked = {
        path: pathname,
        query,
        list: name === 'me' ? 'me' : list === 'users' ? 'users' : 'applications',
        ...(query.has('page') && { page: Number(query.get('page')) }),
        before: requests.length,
      };
      requests.push(request);
      return instead?.(asked, service) ?? answerTo(asked, decodeURIComponent(name));
    },
  };

  function answerTo({ list, query, page }: Asked, name: string): Exchange {
    if (list === 'me') return answered(200, { user: { username: 'me', is_superuser: isSuperuser } });
    const all = service[list];
    if (list === 'applications' && name !== '') {
      const found = all.find(({ slug }) => slug === name);
      return found ? answered(200, found) : answered(404, { detail: 'Not found.' });
    }
    const username = query.get('username');
    const some = username === null ? all : all.filter((user) => user['username'] === username);
    return pageOf(some, page ?? 1, Math.min(mostOnPage, Number(query.get('page_size') ?? 20)));
  }

  return service;
}

/** An answer with one page of these records. */
export function pageOf(all: readonly JsonValue[], number: number, size: number): Exchange {
  const pages = Math.max(1, Math.ceil(all.length / size));
  if (number > pages) return answered(404, { detail: 'Invalid page.' });
  const results = all.slice((number - 1) * size, number * size);
  return answered(200, {
    pagination: {
      next: number < pages ? number + 1 : 0,
      previous: number - 1,
      count: all.length,
      current: number,
      total_pages: pages,
      start_index: results.length > 0 ? (number - 1) * size + 1 : 0,
      end_index: (number - 1) * size + results.length,
    },
    results,
  });
}

/** An answer whose page is changed. */
export function withChangedPage(exchange: Exchange, change: (page: ServedPage) => object): Exchange {
  if (exchange.kind !== 'answered' || exchange.status !== 200) return exchange;
  const body = JSON.parse(exchange.body) as ServedPage; // pageOf wrote the body
  return { ...exchange, body: JSON.stringify({ ...body, ...change(body) }) };
}

/** A number of users, numbered from `from`, in the form in which the service shows them. */
export function manyUsers(count: number, from = 0): JsonObject[] {
  return Array.from({ length: count }, (_, index) => userRecord(`u${String(from + index).padStart(5, '0')}`));
}

export function userRecord(username: string): JsonObject {
  return {
    pk: Number.parseInt(username.slice(1), 10) + 1,
    username,
    name: `User ${username}`,
    is_active: true,
    groups: [],
    attributes: {},
  };
}

export function manyApplications(count: number): JsonObject[] {
  return Array.from({ length: count }, (_, index) => {
    const slug = `a${String(index).padStart(5, '0')}`;
    return { pk: `pk-${slug}`, slug, name: `Application ${slug}`, group: '' };
  });
}
