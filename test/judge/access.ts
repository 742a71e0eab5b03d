/** Compares the access that a plan reports with the access that the service's rules give, in random worlds in memory. */
import * as rollcall from '../../dist/index.js';
import { writeFile } from 'node:fs/promises';
import { chance, pick, textOf, type Fields, type Json } from './json.ts';

type Subject = 'group' | 'user' | 'policy';
type Binding = Readonly<{
  of: Subject;
  n: number;
  order: number;
  negate: boolean;
  enabled: boolean;
  failure: boolean;
}>;
type Mode = 'any' | 'all';
interface App {
  readonly mode: Mode;
  readonly bindings: readonly Binding[];
  readonly declared: {
    readonly access?: readonly Binding[];
    readonly policies?: readonly Binding[];
    readonly mode?: Mode;
  };
}
interface World {
  readonly seed: number;
  readonly old: boolean;
  /** The parents of each group, the groups of each user, and the result of each policy. */
  readonly parents: readonly (readonly number[])[];
  readonly users: readonly { readonly groups: readonly number[]; readonly isActive: boolean }[];
  readonly policies: readonly (boolean | 'fails')[];
  readonly apps: readonly App[];
}
const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const range = (n: number): number[] => Array.from({ length: n }, (_, index) => index);
const counts = { group: 5, user: 6, policy: 4 };
const base = { group: 100, user: 10, policy: 300 };

export function worldOf(seed: number, apps: number): World {
  const at = (...of: (string | number)[]): number => chance(seed, 'access', ...of);
  const old = at('old') < 0.5;
  const bindings = (app: number, what: string, some: readonly Subject[], isPlain: boolean): Binding[] =>
    range(Math.floor(at(app, what) * 4)).map((nth) => {
      const is = (key: string, rate: number): boolean => !isPlain && at(app, what, nth, key) < rate;
      const of = pick(some, at(app, what, nth, 'of')) ?? 'group';
      const n = Math.floor(at(app, what, nth, 'n') * counts[of]);
      return {
        of,
        n,
        order: nth * 10,
        negate: is('negate', 0.25),
        enabled: !is('off', 0.2),
        failure: of === 'policy' && is('failure', 0.3),
      };
    });
  const all = ['group', 'user', 'policy'] as const;
  const mode = (...of: (string | number)[]): Mode => (at(...of) < 0.5 ? 'any' : 'all');
  return {
    seed,
    old,
    // There are no circles. In early releases, a group has at most one parent.
    parents: range(counts.group).map((n) =>
      range(n)
        .filter((other) => at('parent', n, other) < 0.35)
        .slice(0, old ? 1 : 5),
    ),
    users: range(counts.user).map((n) => ({
      groups: range(counts.group).filter((group) => at('in', n, group) < 0.3),
      isActive: at('active', n) < 0.8,
    })),
    policies: range(counts.policy).map((n) => pick([true, false, 'fails'] as const, at('policy', n)) ?? true),
    apps: range(apps).map((app) => {
      const isByPolicies = at(app, 'form') < 0.4;
      const own = bindings(
        app,
        'own',
        at(app, 'few') < 0.5 ? ['group', 'user'] : all,
        at(app, 'plain') < 0.5,
      );
      const access = bindings(app, 'access', ['group', 'user'], true);
      // Half of the declared subjects are bound already.
      const kept = own.filter(
        ({ of, negate, enabled }, nth) => of !== 'policy' && !negate && enabled && at(app, 'kept', nth) < 0.7,
      );
      const declared = isByPolicies
        ? {
            policies: [
              ...own.filter((_, nth) => at(app, 'stays', nth) < 0.6),
              ...bindings(app, 'new', all, false).map((one) => ({ ...one, order: one.order + 100 })),
            ],
          }
        : { access: [...kept, ...(at(app, 'same') < 0.3 ? [] : access)] };
      return {
        mode: mode(app, 'mode'),
        bindings: own,
        declared: { ...declared, ...(at(app, 'sets') < 0.4 && { mode: mode(app, 'to') }) },
      };
    }),
  };
}

/** The groups of a user, and all ancestors of these groups. */
function groupsOf({ parents, users }: World, user: number): Set<number> {
  const found = new Set(users[user]?.groups);
  for (const group of found) for (const parent of parents[group] ?? []) found.add(parent);
  return found;
}
function isPassed(world: World, user: number, { of, n, negate, failure }: Binding): boolean {
  const result = {
    group: groupsOf(world, user).has(n),
    user: n === user,
    policy: world.policies[n] ?? false,
  }[of];
  return (result === 'fails' ? failure : result) !== negate;
}
/** The result of the service's `check_access`. */
export function mayOpen(world: World, user: number, mode: Mode, bindings: readonly Binding[]): boolean {
  const passed = bindings.filter(({ enabled }) => enabled).map((one) => isPassed(world, user, one));
  return passed.length === 0 || (mode === 'any' ? passed.includes(true) : !passed.includes(false));
}

const isManaged = ({ of, negate, enabled }: Binding): boolean => of !== 'policy' && !negate && enabled;
/** The bindings after the plan has been applied. */
function after({ mode, bindings, declared }: App): {
  readonly mode: Mode;
  readonly bindings: readonly Binding[];
} {
  const others = bindings.filter((one) => !isManaged(one));
  return {
    mode: declared.mode ?? mode,
    bindings: declared.policies ?? [...others, ...(declared.access ?? [])],
  };
}

/** Whether the reported words about access include a user. */
function isAbout(world: World, user: number, words: string): boolean {
  if (words === 'everyone' || /^(?:users who pass any|everyone admitted by policies)/.test(words))
    return true;
  const named = [
    ...words.matchAll(/(whoever [a-z ]+ )?the (group|user|policy) "[gup](\d)"[^,"]*(, or where it fails)?/g),
  ];
  const parts = named.map(([, whoever = '', of, n, failing]) => {
    const negate = /fails|not/.test(whoever);
    const one = {
      of: of as Subject,
      n: Number(n),
      order: 0,
      enabled: true,
      negate,
      failure: failing !== undefined,
    }; // the pattern matches only these
    return isPassed(world, user, one);
  });
  return parts.length > 0 && !parts.includes(false);
}

function manifestOf({ apps }: World): string {
  const names = (some: readonly Binding[], of: Subject): Json[] =>
    [...new Set(some.flatMap((one) => (one.of === of ? one.n : [])))].map((n) => ({ name: `${of[0]}${n}` }));
  const applications = apps.map(({ declared: { access, policies, mode } }, n) => {
    const [groups, users] = [names(access ?? [], 'group'), names(access ?? [], 'user')];
    const lists = { ...(groups.length > 0 && { groups }), ...(users.length > 0 && { users }) };
    const bound = (policies ?? []).map(({ of, n: child, order, negate, enabled, failure }) => ({
      [of]: { name: `${of[0]}${child}` },
      order,
      negate,
      enabled,
      ...(of === 'policy' && { failure_result: failure }),
    }));
    return {
      slug: `a${n}`,
      name: `A ${n}`,
      ...(mode && { policy_engine_mode: mode }),
      ...(policies ? { policies: bound } : { access: Object.keys(lists).length > 0 ? lists : 'everyone' }),
    };
  });
  return JSON.stringify({ version: 1, applications });
}

type Send = Awaited<ReturnType<NonNullable<NonNullable<rollcall.PlanOptions['world']>['connect']>>>['send'];
/** The records of the service and its answers to reads. */
function serviceOf(world: World): Send {
  const { old, parents, users, policies, apps } = world;
  const ids = (some: readonly number[] = []): string[] => some.map((n) => uuid(base.group + n));
  const groups = parents.map((own, n) => ({
    pk: uuid(base.group + n),
    name: `g${n}`,
    is_superuser: false,
    attributes: {},
    roles: [],
    ...(old ? { parent: ids(own)[0] ?? null } : { parents: ids(own) }),
  }));
  const people = users.map((one, n) => ({
    pk: base.user + n,
    username: `u${n}`,
    name: `U ${n}`,
    is_active: one.isActive,
    groups: ids(one.groups),
    roles: [],
    email: '',
    attributes: {},
    path: 'users',
    type: 'internal',
  }));
  const rules = policies.map((_, n) => ({
    pk: uuid(base.policy + n),
    name: `p${n}`,
    component: 'ak-policy-dummy-form',
    meta_model_name: 'authentik_policies_dummy.dummypolicy',
  }));
  const applications = apps.map(({ mode }, n) => ({
    pk: uuid(1000 + n),
    slug: `a${n}`,
    name: `A ${n}`,
    provider: n + 1,
    backchannel_providers: [],
    policy_engine_mode: mode,
  }));
  const bindings = apps.flatMap((app, nth) =>
    app.bindings.map(({ of, n, order, negate, enabled, failure }, at) => {
      const own = {
        policy: null,
        group: null,
        user: null,
        [of]: of === 'user' ? base.user + n : uuid(base[of] + n),
      };
      const record = { group: groups[n], user: people[n], policy: rules[n] }[of];
      return {
        pk: uuid(10_000 + nth * 10 + at),
        target: uuid(1000 + nth),
        ...own,
        [`${of}_obj`]: record ?? null,
        order,
        negate,
        enabled,
        timeout: 30,
        failure_result: failure,
      };
    }),
  );
  const lists: Readonly<Record<string, readonly Fields[]>> = {
    'core/groups': groups,
    'core/users': people,
    'policies/all': rules,
    'policies/bindings': bindings,
    'core/applications': applications,
  };
  return async ({ path }) => {
    const { pathname, searchParams: query } = new URL(path, 'http://service');
    const say = (status: number, body: Json) =>
      ({
        kind: 'answered',
        status,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }) as const;
    if (pathname.endsWith('/users/me/'))
      return say(200, { user: { pk: 1, username: 'robot', is_superuser: true } });
    if (pathname.endsWith('/version/')) return say(200, { version_current: old ? '2025.10.2' : '2026.2.2' });
    const [, list = '', key] = /^\/api\/v3\/(\w+\/\w+)\/(?:([-\w]+)\/)?$/.exec(pathname) ?? [];
    const all = lists[list];
    const one = all?.find(({ pk, slug }) => key !== undefined && [textOf(pk), slug].includes(key));
    if (all === undefined || (key !== undefined && one === undefined))
      return say(404, { detail: 'Not found.' });
    if (one) return say(200, one);
    const targets = query.getAll('target_in');
    const found = all.filter(
      ({ name = '', username = name, target = null }) =>
        [null, name].includes(query.get('name')) &&
        [null, username].includes(query.get('username')) &&
        textOf(name).includes(query.get('search') ?? '') &&
        (targets.length === 0 || targets.includes(textOf(target))),
    );
    const size = Math.min(Number(query.get('page_size') ?? 20), 100);
    const page = Number(query.get('page') ?? 1);
    const pages = Math.max(1, Math.ceil(found.length / size));
    const results = found.slice((page - 1) * size, page * size);
    const start = results.length === 0 ? 0 : (page - 1) * size + 1;
    return say(200, {
      pagination: {
        count: found.length,
        current: page,
        total_pages: pages,
        previous: page - 1,
        next: page < pages ? page + 1 : 0,
        start_index: start,
        end_index: start + results.length - 1,
      },
      results,
    });
  };
}

/** The disagreements between a plan and the service's rules. `falsify` can falsify the plan's report first. */
export async function disagreements(
  world: World,
  file: string,
  falsify: (
    reported: readonly string[],
    action: string | undefined,
  ) => readonly [readonly string[], string | undefined] = (...all) => all,
): Promise<string[]> {
  await writeFile(file, manifestOf(world));
  const { plan, diagnostics } = await rollcall.plan([file], {
    url: 'https://id.example.com',
    env: { ROLLCALL_TOKEN: 'access-token' },
    capabilities: ['update', 'delete'],
    allow: ['update', 'delete'],
    maxUpdates: 1000,
    world: { connect: async () => ({ send: serviceOf(world), close: async () => undefined }) },
  });
  if (plan === undefined)
    return [
      `seed ${world.seed}: no plan: ${JSON.stringify(diagnostics.map(({ summary, detail }) => [summary, detail]))}`,
    ];
  return world.apps.flatMap((app, nth) => {
    const change = plan.resource_changes.find(({ address }) => address === `application.a${nth}`);
    const will = after(app);
    const [reported, action] = falsify(change?.opens ?? [], change?.change.actions[0]);
    return range(counts.user).flatMap((user) => {
      const [was, is] = [
        mayOpen(world, user, app.mode, app.bindings),
        mayOpen(world, user, will.mode, will.bindings),
      ];
      const where = `seed ${world.seed}: a${nth}: ${JSON.stringify({ app, reported, action })}`;
      if (action === 'no-op' && was !== is)
        return [`${where} is reported in sync, but u${user} may ${is ? '' : 'not '}open it as declared`];
      const isTold = reported.some((words) => isAbout(world, user, words));
      return is && !was && !isTold ? [`${where} opens it to u${user}`] : [];
    });
  });
}
