import type { Clock } from '../../src/base/clock.ts';
import type { Ending } from '../../src/base/exit-code.ts';
import { isJsonObject, parseJson, textOf, type JsonObject } from '../../src/base/json.ts';
import type { Exchange, HttpRequest, Transport } from '../../src/service/transport.ts';
import type { Report, ReportedOutcome } from './history.ts';
import type { Rule } from './rules.ts';
import { bindingsPath } from './access-watch.ts';
import { listIn, listOf, type List } from './list-faults.ts';
import { groupIds, missingNamePrefix } from './declaration.ts';
import type { ServiceWorld } from './service-world.ts';
import type { VirtualTime } from './virtual-time.ts';

/** A mistake that an engine could make. It is planted around the real engine, and the simulation must find it. */
export interface PlantedBug {
  /** The promise that the mistake breaks. */
  readonly breaks: Rule;
  /** The first seed to try, if the first seeds do not reveal the mistake. */
  readonly from?: number;
  readonly transport?: (network: Transport, around: Around) => Transport;
  /** Changes the text of the manifest. */
  readonly manifest?: (text: string) => string;
  readonly clock?: (clock: Clock) => Clock;
  readonly report?: (report: Report) => Report;
  readonly ending?: (ending: Ending) => Ending;
  /** Changes the output of the run. */
  readonly print?: (text: string, world: ServiceWorld) => string;
  readonly ignoresInterruption?: boolean;
  readonly ceilingTimes?: number;
  /** Whether the run updates without permission. */
  readonly allows?: boolean;
  /** Sets --keep-going, whatever the scenario says. */
  readonly keepsGoing?: boolean;
  /** Whether the engine treats all names as unique, even where the service accepts duplicates. */
  readonly takesAllForUnique?: boolean;
  /** Sets --wait, whatever the scenario says. */
  readonly wait?: string;
}

interface Around {
  readonly world: ServiceWorld;
  readonly run: string;
  readonly time: VirtualTime;
}

type Answered = Extract<Exchange, { kind: 'answered' }>;

function answeredWith(status: number, body: string): Answered {
  return { kind: 'answered', status, headers: {}, body };
}

const notFound = { status: 404, body: '{"detail":"Not found."}' };

/** A mistake: misreads some answers. */
function misreading(
  mistake: (answer: Answered, request: HttpRequest) => Partial<Answered> | undefined,
): NonNullable<PlantedBug['transport']> {
  return (network) => async (request, signal) => {
    const exchange = await network(request, signal);
    return exchange.kind === 'answered' ? { ...exchange, ...mistake(exchange, request) } : exchange;
  };
}

function takesLostFor(exchange: Exchange): NonNullable<PlantedBug['transport']> {
  return (network) => async (request, signal) => {
    const real = await network(request, signal);
    return real.kind === 'lost' && request.method === 'POST' ? exchange : real;
  };
}

function identityIn({ body = '{}', path }: HttpRequest): Readonly<Record<string, string>> {
  const fields = JSON.parse(body) as Record<string, string>; // rollcall creates with a JSON object
  return path.includes('/users/') ? { username: fields['username'] ?? '' } : { slug: fields['slug'] ?? '' };
}

function changingOutcomes(change: (outcome: string) => string): NonNullable<PlantedBug['report']> {
  return (report) => {
    const outcomes = report.outcomes.map((outcome) => ({ ...outcome, outcome: change(outcome.outcome) }));
    const count = (kind: string): number => outcomes.filter(({ outcome }) => outcome === kind).length;
    const summary = Object.fromEntries(Object.keys(report.summary).map((kind) => [kind, count(kind)]));
    return { ...report, outcomes, summary };
  };
}

function changingEach(
  change: (outcome: ReportedOutcome) => ReportedOutcome,
): NonNullable<PlantedBug['report']> {
  return (report) => ({ ...report, outcomes: report.outcomes.map((outcome) => change(outcome)) });
}

function sentIn({ body = '{}' }: HttpRequest): JsonObject {
  return JSON.parse(body) as JsonObject; // rollcall sends a JSON object
}

/** A mistake: misreads lists filtered by name. */
function misreadingUsers(
  mistake: (list: List, name: string) => Partial<List> | undefined,
): NonNullable<PlantedBug['transport']> {
  return misreading(({ status, body }, { method, path }) => {
    const name = new URL(path, 'https://service.example').searchParams.get('username');
    if (method !== 'GET' || name === null || status !== 200) return undefined;
    const list = listIn(body);
    const misread = mistake(list, name);
    return misread && { body: JSON.stringify({ ...list, ...misread }) };
  });
}

/** A mistake: sends updates with other content. */
function changing(
  change: (fields: JsonObject, request: HttpRequest) => JsonObject,
): NonNullable<PlantedBug['transport']> {
  return (network) => (request, signal) =>
    network(
      request.method === 'PATCH'
        ? { ...request, body: JSON.stringify(change(sentIn(request), request)) }
        : request,
      signal,
    );
}

/** A mistake: uses the first read of a record again instead of later reads. */
function lookingOnce(isSent: boolean): NonNullable<PlantedBug['transport']> {
  return (network) => {
    const looks = new Map<string, Exchange>();
    return async (request, signal) => {
      const first = request.method === 'GET' ? looks.get(request.path) : undefined;
      if (first && !isSent) return first;
      const exchange = await network(request, signal);
      const isLook = request.method === 'GET' && exchange.kind === 'answered' && exchange.status === 200;
      if (!isLook) return exchange;
      looks.set(request.path, first ?? exchange);
      return first ?? exchange;
    };
  };
}

function isListOfBindings({ method, path }: HttpRequest): boolean {
  return method === 'GET' && path.startsWith(bindingsPath);
}

const ofUsers = ({ path }: HttpRequest): boolean => path.includes('/users/');

function isInDeclaredOrder({ groups }: JsonObject): boolean {
  return JSON.stringify(groups) === JSON.stringify(groupIds);
}

export const plantedBugs: Readonly<Record<string, PlantedBug>> = {
  'looks up users under contract_only': {
    breaks: 'contract',
    from: 10,
    transport: (network) => async (request, signal) => {
      if (request.method === 'POST' && ofUsers(request))
        await network({ method: 'GET', path: `${request.path}?username=u0` }, signal);
      return network(request, signal);
    },
  },
  'treats an HTML 404 as absent': {
    breaks: 'absent',
    from: 125,
    transport: misreading(({ status }, { method }) =>
      method === 'GET' && status === 404 ? notFound : undefined,
    ),
  },
  'treats a denied read as absent': {
    breaks: 'denied',
    from: 93,
    transport: misreading(({ status }, { method }) =>
      method === 'GET' && status === 403 ? notFound : undefined,
    ),
  },
  'treats any 2xx as created': {
    breaks: 'created',
    from: 312,
    transport: misreading(({ status }, request) =>
      request.method === 'POST' && status < 300
        ? { status: 201, body: JSON.stringify({ pk: '1', ...identityIn(request) }) }
        : undefined,
    ),
  },
  'follows redirects': {
    breaks: 'wrong_place',
    from: 17,
    transport:
      (network, { world, run }) =>
      async (request, signal) => {
        const exchange = await network(request, signal);
        if (exchange.kind !== 'answered' || exchange.status !== 302) return exchange;
        world.log({ kind: 'followed', run, request: 0 });
        return network(request, signal);
      },
  },
  'treats any 400 as exists': {
    breaks: 'seen',
    from: 110,
    transport: misreading(({ status }, { method, path }) =>
      method === 'POST' && status === 400 && path.includes('/users/')
        ? { body: '{"username":["taken"]}' }
        : undefined,
    ),
  },
  'forgets the doubt of a create after a read that shows nothing': {
    breaks: 'refused',
    from: 23,
    report: changingOutcomes((outcome) => (outcome === 'unknown' ? 'rejected' : outcome)),
  },
  'treats a lost create as never sent': {
    breaks: 'retry',
    from: 23,
    transport: takesLostFor({ kind: 'never_sent', error: new Error('reset'), transient: true }),
  },
  'retries before Retry-After has passed': {
    breaks: 'pause',
    from: 2,
    transport: misreading(({ headers }) => ({
      headers: Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'retry-after')),
    })),
  },
  "treats every token as a superuser's": {
    breaks: 'superusers',
    from: 133,
    transport: misreading(({ body }, { path }) =>
      path.endsWith('/users/me/')
        ? { body: body.replace('"is_superuser":false', '"is_superuser":true') }
        : undefined,
    ),
  },
  'reports a partly created user as complete': {
    breaks: 'in_full',
    from: 88,
    transport: misreadingUsers(({ results }) => ({
      results: results.map((user) => ({ ...user, groups: groupIds })),
    })),
  },
  'compares groups as a sequence': {
    breaks: 'compared',
    from: 11,
    transport: misreadingUsers(({ results }) => ({
      results: results.map((user) => (isInDeclaredOrder(user) ? user : { ...user, groups: [] })),
    })),
  },
  'changes records without reading them again': {
    breaks: 'looks_first',
    transport: lookingOnce(false),
  },
  'overwrites changes by another client': { breaks: 'kept', from: 37, transport: lookingOnce(true) },
  'sends undeclared fields': {
    breaks: 'sparing',
    from: 7,
    transport: changing((fields) => ('name' in fields ? { ...fields, name: 'A name of its own' } : fields)),
  },
  'removes users from undeclared groups': {
    breaks: 'sparing',
    from: 27,
    transport: changing((fields) => ('groups' in fields ? { ...fields, groups: groupIds } : fields)),
  },
  'takes a main provider before its application releases it': {
    breaks: 'handed',
    from: 7,
    transport: misreading(({ status, body }, { method, path }) =>
      method === 'GET' && status === 200 && path.includes('/applications/')
        ? { body: body.replaceAll(/"provider":\d+/g, '"provider":null') }
        : undefined,
    ),
  },
  'reports a change with a lost answer as done': {
    breaks: 'updated',
    from: 7,
    report: changingEach((outcome) =>
      outcome.outcome === 'unknown' ? { ...outcome, outcome: 'updated' } : outcome,
    ),
  },
  'reports its own failed change as a conflict': {
    breaks: 'conflict',
    report: changingEach((outcome) =>
      outcome.outcome === 'updated' ? { ...outcome, outcome: 'conflict' } : outcome,
    ),
  },
  'does not change differences that it may change': {
    breaks: 'converges',
    allows: false,
  },
  'does not wait while the service restarts': { breaks: 'patience', from: 4, wait: '0' },
  "treats a proxy's 502 as an answer of the service": {
    breaks: 'one_asks',
    transport: misreading(({ status }) => (status === 502 ? { status: 500 } : undefined)),
  },
  'ignores an interruption': { breaks: 'interrupted', from: 6, ignoresInterruption: true },
  'hangs on a lost answer': {
    breaks: 'ends',
    transport: (network) => async (request, signal) => {
      const exchange = await network(request, signal);
      return exchange.kind === 'lost' ? new Promise(() => {}) : exchange;
    },
  },
  'exceeds the concurrency limit': { breaks: 'ceiling', ceilingTimes: 4 },
  'omits a resource from its report': {
    breaks: 'one_outcome',
    report: (report) => ({ ...report, outcomes: report.outcomes.slice(1) }),
  },
  'miscounts attempts': {
    breaks: 'attempts',
    from: 3,
    report: (report) => ({
      ...report,
      outcomes: report.outcomes.map((outcome) => ({ ...outcome, attempts: Math.min(1, outcome.attempts) })),
    }),
  },
  'exits with 0 after a failure': {
    breaks: 'ending',
    ending: (ending) => (ending === 'incomplete' ? 'done' : ending),
  },
  'repeats look-ups without end': {
    breaks: 'reads',
    transport: (network) => async (request, signal) => {
      let exchange = await network(request, signal);
      for (let again = 0; again < 6 && request.method === 'GET'; again += 1)
        exchange = await network(request, signal);
      return exchange;
    },
  },
  'drops the doubt from its report': {
    breaks: 'doubt',
    report: changingEach(({ type, name, address, outcome, attempts, differences = [] }) => ({
      type,
      name,
      address,
      outcome,
      attempts,
      differences,
    })),
  },
  'treats the same time in another zone as different': {
    breaks: 'in_full',
    from: 11,
    transport: misreading(({ status, body }, { method, path }) =>
      method === 'POST' && status === 201 && path.includes('/users/')
        ? { body: body.replace('T08:00:00Z', 'T10:00:00Z') }
        : undefined,
    ),
  },
  'continues after the licence is exhausted': {
    breaks: 'denied',
    from: 203,
    transport: misreading(({ body }) =>
      body.includes('denied_license') ? { status: 429, headers: {}, body: '' } : undefined,
    ),
  },
  'drops an unknown name and sends the other fields': {
    breaks: 'kept_going',
    from: 17,
    manifest: (text) =>
      text
        .split('\n')
        .filter((line) => !line.includes(missingNamePrefix))
        .join('\n'),
  },
  'repeats the create of a group after a lost answer': {
    breaks: 'retry',
    from: 51,
    transport: (network) => async (request, signal) => {
      const exchange = await network(request, signal);
      const isGroup = request.method === 'POST' && request.path.includes('/groups/');
      return isGroup && exchange.kind === 'lost' ? network(request, signal) : exchange;
    },
  },
  'treats the names of all kinds as unique': { breaks: 'retry', from: 66, takesAllForUnique: true },
  'treats a missing endpoint as an unreachable service': {
    breaks: 'documented',
    from: 105,
    transport: (network) => async (request, signal) => {
      const exchange = await network(request, signal);
      const isLookUp = request.method === 'GET' && ofUsers(request) && exchange.kind === 'answered';
      return isLookUp && exchange.status === 404
        ? { kind: 'never_sent', error: new Error('not there'), transient: false }
        : exchange;
    },
  },
  'adds users to a group that it failed to create': {
    breaks: 'named',
    from: 3,
    transport: (network) => (request, signal) => {
      if (request.method !== 'POST' || !request.path.includes('/users/')) return network(request, signal);
      const fields = { ...sentIn(request), groups: ['12345678-0000-4000-8000-000000000000'] };
      return network({ ...request, body: JSON.stringify(fields) }, signal);
    },
  },
  'sets the provider before all bindings exist': {
    breaks: 'opened',
    from: 12,
    transport:
      (network, { world }) =>
      (request, signal) => {
        if (request.method !== 'POST' || !request.path.endsWith('/applications/'))
          return network(request, signal);
        const body = sentIn(request);
        const provider = world.access?.applications.find(({ slug }) => slug === body['slug'])?.provider;
        const sent = provider === undefined ? body : { ...body, provider };
        return network({ ...request, body: JSON.stringify(sent) }, signal);
      },
  },
  'does not read access again after setting the provider': {
    breaks: 'reread',
    from: 8,
    transport: (network) => {
      const lists = new Map<string, Exchange>();
      let isGiven = false;
      return async (request, signal) => {
        const isGiving = request.method === 'PATCH' && sentIn(request)['provider'] !== undefined;
        const known = isGiven && isListOfBindings(request) ? lists.get(request.path) : undefined;
        isGiven ||= isGiving;
        if (known) return known;
        const exchange = await network(request, signal);
        if (isListOfBindings(request)) lists.set(request.path, exchange);
        return exchange;
      };
    },
  },
  'repeats a binding after a lost answer without reading': {
    breaks: 'bound_once',
    from: 6,
    transport: (network) => async (request, signal) => {
      const exchange = await network(request, signal);
      const isBind = request.method === 'POST' && request.path === bindingsPath;
      return isBind && exchange.kind === 'lost' ? network(request, signal) : exchange;
    },
  },
  'treats a denied list of bindings as empty': {
    breaks: 'silent',
    from: 2064,
    transport: misreading(({ status }, request) =>
      isListOfBindings(request) && status === 403
        ? { status: 200, body: JSON.stringify(listOf([])) }
        : undefined,
    ),
  },
  'creates a record instead of renaming it': {
    breaks: 'renamed',
    from: 35,
    transport: (network) => async (request, signal) => {
      const isRename = request.method === 'PATCH' && sentIn(request)['slug'] !== undefined;
      if (!isRename) return network(request, signal);
      const body = JSON.stringify({ name: 'X', ...sentIn(request) });
      return network({ ...request, method: 'POST', path: '/api/v3/core/applications/', body }, signal);
    },
  },
  'trusts the type of the list that shows a record': {
    breaks: 'own_type',
    from: 8,
    transport: misreading(({ body }, { path }) =>
      path.startsWith('/api/v3/providers/all/')
        ? { body: body.replaceAll('proxy.proxyprovider', 'oauth2.oauth2provider') }
        : undefined,
    ),
  },
  'deletes records that are not declared as absent': {
    breaks: 'deleted',
    from: 8,
    transport: (network) => async (request, signal) => {
      const { method, path } = request;
      if (method === 'DELETE' && path.includes('/groups/'))
        await network({ method: 'DELETE', path: path.replace(/groups\/./, 'groups/0') });
      return network(request, signal);
    },
  },
  'reports a delete without checking it': {
    breaks: 'true',
    from: 8,
    transport: (network) => (request, signal) =>
      request.method === 'DELETE' && !request.path.startsWith(bindingsPath)
        ? Promise.resolve(answeredWith(204, ''))
        : network(request, signal),
    report: changingOutcomes((outcome) => (outcome === 'unknown' ? 'deleted' : outcome)),
  },
  'sets the last reference of a circle without checking it': {
    breaks: 'complete',
    from: 4,
    transport: (network) => {
      const created = new Map<string, JsonObject>();
      return async (request, signal) => {
        const own = created.get(request.path.split('/').at(-2) ?? '');
        if (own && request.method === 'PATCH')
          return answeredWith(200, JSON.stringify({ ...own, ...sentIn(request) }));
        const exchange = await network(request, signal);
        const made = exchange.kind === 'answered' && exchange.status === 201 && parseJson(exchange.body);
        if (made && isJsonObject(made)) created.set(textOf(made['pk']), made);
        return exchange;
      };
    },
  },
  'prints the secret of a provider': {
    breaks: 'secret',
    print: (text, world) => text + world.secrets().at(-1),
  },
  'changes records without permission': {
    breaks: 'contract',
    from: 61,
    transport: (network) => async (request, signal) => {
      if (!isListOfBindings(request)) return network(request, signal);
      const exchange = await network(request, signal);
      const [first] = exchange.kind === 'answered' ? listIn(exchange.body).results : [];
      if (first) await network({ method: 'DELETE', path: `${bindingsPath}${textOf(first['pk'])}/` });
      return network(request, signal);
    },
  },
  'leaves duplicate bindings': {
    breaks: 'converges',
    from: 8,
    transport: misreading(({ status, body }, request) => {
      if (!isListOfBindings(request) || status !== 200) return undefined;
      const once = new Map(
        listIn(body).results.map((binding) => [
          JSON.stringify(['target', 'group', 'user', 'policy'].map((field) => binding[field])),
          binding,
        ]),
      );
      return { body: JSON.stringify(listOf([...once.values()])) };
    }),
  },
};
