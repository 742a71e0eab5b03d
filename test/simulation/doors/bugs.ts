import { isJsonList, isJsonObject, parseJson, textOf, type JsonObject } from '../../../src/base/json.ts';
import type { Exchange, HttpRequest } from '../../../src/service/transport.ts';

import type { DoorBug } from './simulate.ts';

const bindings = '/api/v3/policies/bindings/';

function isBind({ method, path }: HttpRequest): boolean {
  return method === 'POST' && path === bindings;
}

function isListed({ method, path }: HttpRequest): boolean {
  return method === 'GET' && path.startsWith(bindings);
}

function answered(status: number, body: unknown): Exchange {
  return { kind: 'answered', status, headers: {}, body: JSON.stringify(body) };
}

function listOf(results: readonly JsonObject[]): Exchange {
  const count = results.length;
  const pagination = {
    next: 0,
    previous: 0,
    count,
    current: 1,
    total_pages: 1,
    start_index: Math.min(1, count),
    end_index: count,
  };
  return answered(200, { pagination, results });
}

function bodyOf({ body = '{}' }: HttpRequest): JsonObject {
  return JSON.parse(body) as JsonObject; // as rollcall made it
}

/** The mistakes that are easy to make with who may open an application; each has to be found. */
export const doorBugs: Readonly<Record<string, DoorBug>> = {
  'waits for a lost answer for ever': {
    breaks: 'ends',
    transport: (network) => async (request, signal) => {
      const exchange = await network(request, signal);
      return exchange.kind === 'lost' ? new Promise(() => {}) : exchange;
    },
  },
  'gives the provider before all are bound': {
    breaks: 'opened',
    transport:
      (network, { doors }) =>
      (request, signal) => {
        if (request.method !== 'POST' || !request.path.endsWith('/applications/'))
          return network(request, signal);
        const body = bodyOf(request);
        const provider = doors.find(({ slug }) => slug === body['slug'])?.provider;
        const sent = provider === undefined ? body : { ...body, provider };
        return network({ ...request, body: JSON.stringify(sent) }, signal);
      },
  },
  'binds again after a lost answer without a look': {
    breaks: 'bound_once',
    transport: (network) => async (request, signal) => {
      const exchange = await network(request, signal);
      return isBind(request) && exchange.kind === 'lost' ? network(request, signal) : exchange;
    },
  },
  'takes a denied list for one without anybody': {
    breaks: 'silent',
    from: 130,
    transport: (network) => async (request, signal) => {
      const exchange = await network(request, signal);
      return isListed(request) && exchange.kind === 'answered' && exchange.status === 403
        ? listOf([])
        : exchange;
    },
  },
  'creates under the new name what is there under the one before': {
    breaks: 'renamed',
    transport: (network) => async (request, signal) => {
      const isRename = request.method === 'PATCH' && bodyOf(request)['slug'] !== undefined;
      if (!isRename) return network(request, signal);
      const body = JSON.stringify({ name: 'X', ...bodyOf(request) });
      return network({ ...request, method: 'POST', path: '/api/v3/core/applications/', body }, signal);
    },
  },
  'takes the type under which a record is shown for its own': {
    breaks: 'own_type',
    transport: (network) => async (request, signal) => {
      const exchange = await network(request, signal);
      if (exchange.kind !== 'answered' || !request.path.startsWith('/api/v3/providers/all/')) return exchange;
      return { ...exchange, body: exchange.body.replaceAll('proxy.proxyprovider', 'oauth2.oauth2provider') };
    },
  },
  'deletes more than is declared as absent': {
    breaks: 'deleted',
    transport: (network) => async (request, signal) => {
      if (request.method === 'DELETE' && request.path.includes('/groups/')) {
        const { path } = request;
        await network({ method: 'DELETE', path: path.replace(/groups\/./, 'groups/0') });
      }
      return network(request, signal);
    },
  },
  'believes that it has deleted what it has asked for': {
    breaks: 'true',
    transport: (network) => (request, signal) =>
      request.method === 'DELETE' && !request.path.startsWith(bindings)
        ? Promise.resolve(answered(204, ''))
        : network(request, signal),
  },
  'prints what the service shows of a provider': {
    breaks: 'secret',
    print: (text, world) => text + world.secrets().at(-1),
  },
  'changes what exists without being allowed to': {
    breaks: 'changed',
    transport: (network) => async (request, signal) => {
      if (!isListed(request)) return network(request, signal);
      const [first] = recordsIn(await network(request, signal));
      if (first) await network({ method: 'DELETE', path: `${bindings}${textOf(first['pk'])}/` });
      return network(request, signal);
    },
  },
  'leaves what is bound twice': {
    breaks: 'converges',
    transport: (network) => async (request, signal) => {
      const exchange = await network(request, signal);
      if (!isListed(request) || exchange.kind !== 'answered' || exchange.status !== 200) return exchange;
      const met = new Set<string>();
      return listOf(
        recordsIn(exchange).filter((binding) => {
          const key = JSON.stringify([
            binding['target'],
            binding['group'],
            binding['user'],
            binding['policy'],
          ]);
          return met.size < met.add(key).size;
        }),
      );
    },
  },
};

function recordsIn(exchange: Exchange): readonly JsonObject[] {
  const body = exchange.kind === 'answered' ? parseJson(exchange.body) : undefined;
  const results = isJsonObject(body ?? null) ? (body as JsonObject)['results'] : undefined;
  return isJsonList(results ?? null) ? (results as readonly JsonObject[]) : [];
}
