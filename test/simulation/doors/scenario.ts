import { stringify } from 'yaml';
import type { Random } from '../../../src/base/clock.ts';
import type { JsonObject } from '../../../src/base/json.ts';

/** Who may open an application: everyone, or groups and users by their names. */
export type Guests = 'everyone' | { readonly groups: readonly string[]; readonly users: readonly string[] };

export interface Door {
  readonly slug: string;
  readonly guests: Guests;
  readonly provider?: number;
  /** A provider that the same run makes, in place of one that is there. */
  readonly made?: Made;
  readonly mode?: Mode;
  /** Whether it had another name before; where it exists, it still has that. */
  readonly isRenamed?: boolean;
  /** What is there before; nothing where it is not. */
  readonly existing?: Existing;
}

/** A provider of the roll, of the name of its application. */
export interface Made {
  readonly type: 'oauth2' | 'proxy';
  /** Whether its secret is declared: no output may show it. */
  readonly hasSecret: boolean;
  /** What is there before of its name; nothing where none is. */
  readonly before?: 'same' | 'other';
}

export type Mode = 'any' | 'all';

export interface Existing {
  readonly provider?: number;
  readonly mode: Mode;
  readonly bindings: readonly Bound[];
}

export interface Bound {
  readonly group?: string;
  readonly user?: string;
  readonly policy?: string;
  readonly enabled?: boolean;
  readonly negate?: boolean;
}

/** What a seed makes happen to applications and to who may open them. */
export interface Scenario {
  readonly doors: readonly Door[];
  readonly trouble: number;
  readonly faults: readonly Fault[];
  readonly runs: readonly PlannedRun[];
  /** Whether the runs are allowed to change what exists. */
  readonly mayUpdate: boolean;
  /** What is to be absent, with the applications to which the group is bound; and whether the first runs may delete. */
  readonly going?: { readonly boundTo: readonly string[]; readonly mayDelete: boolean };
  /** Whether a user of the roll had another name before. */
  readonly hasRenamedUser: boolean;
  /** Whether the token of the first runs is a superuser's. */
  readonly isSuperuser: boolean;
  /** What the token of the first runs may not do. */
  readonly lacks: readonly (
    | 'add_bindings'
    | 'delete_bindings'
    | 'change_applications'
    | 'view_bindings'
    | 'add_providers'
  )[];
  /** Of which application the first runs see no bindings of the first group. */
  readonly blindFor?: string;
  /** Somebody else binds a group, or takes away or disables what is bound. */
  readonly actor: readonly Deed[];
  readonly isLate: boolean;
  readonly ceiling: number;
}

export interface Deed {
  readonly at: number;
  readonly kind: 'binds' | 'removes' | 'disables';
  readonly slug: string;
  readonly group: string;
}

export interface PlannedRun {
  readonly name: string;
  readonly at: number;
  readonly killAfter?: number;
  readonly interruptAfter?: number;
}

export const faults = [
  'refused',
  'reset_before',
  'reset_after',
  'timeout_lost',
  'timeout_late',
  'gateway_502',
  'gateway_504_after',
  'crash_after',
  'unavailable',
  'slow_down',
  'html_200',
  'html_404',
  'html_400_after',
  'other_target',
  'denied',
  'read_only',
  'no_bindings',
  'other_count',
  'echo_400',
] as const;

export type Fault = (typeof faults)[number];

export const groups = ['ga', 'gb', 'gc'] as const;
export const single = 'solo';
/** The group and the application that are to be absent. */
export const gone = { group: 'gx', slug: 'az' };
/** A proxy, of whose name no provider of OAuth2 is to be there: the service shows it as one. */
export const otherType = 'px';

/** The user who had another name before. */
export const renamedUser = { now: 'zed', before: 'old-zed' };

/** What an application was called that has another name now. */
export function formerSlug(slug: string): string {
  return `old-${slug}`;
}

/** Users of every set of groups: `u0` is in none, `u7` in all three. */
export const members: readonly { readonly name: string; readonly groups: readonly string[] }[] = [
  ...Array.from({ length: 8 }, (_, bits) => ({
    name: `u${bits}`,
    groups: groups.filter((_group, index) => (bits >> index) % 2 === 1),
  })),
  { name: single, groups: [] },
];

export function scenarioOf(random: Random): Scenario {
  const chance = (of: number): boolean => random() < of;
  const whole = (from: number, to: number): number => from + Math.floor(random() * (to - from + 1));
  const pick = <Item>(items: readonly Item[]): Item => items[whole(0, items.length - 1)] as Item; // none is empty
  const some = <Item>(items: readonly Item[], of: number): Item[] => items.filter(() => chance(of));
  const guests = (): Guests => {
    if (chance(0.2)) return 'everyone';
    const [named, users] = [some(groups, 0.4), some([single], 0.3)];
    return named.length + users.length === 0 ? { groups: ['ga'], users: [] } : { groups: named, users };
  };
  const bound = (): Bound => {
    const subject = chance(0.75) ? { group: pick(groups) } : chance(0.5) ? { user: single } : { policy: 'p' };
    return { ...subject, ...(chance(0.1) && { enabled: false }), ...(chance(0.07) && { negate: true }) };
  };
  const madeProvider = (): Made => {
    const type = pick(['oauth2', 'proxy'] as const);
    return {
      type,
      hasSecret: type === 'oauth2' && chance(0.7),
      ...(chance(0.4) && { before: pick(['same', 'other'] as const) }),
    };
  };
  const door = (index: number): Door => ({
    slug: `a${index}`,
    guests: guests(),
    ...(chance(0.35) ? { made: madeProvider() } : chance(0.85) && { provider: index + 1 }),
    ...(chance(0.3) && { mode: pick(['any', 'all'] as const) }),
    ...(chance(0.5) && {
      existing: {
        ...(chance(0.7) && { provider: index + 1 }),
        mode: chance(0.75) ? 'any' : 'all',
        bindings: Array.from({ length: whole(0, 4) }, bound),
      },
    }),
  });
  const doors = Array.from({ length: whole(1, 3) }, (_, index) => door(index));
  const run = (name: string, at: number): PlannedRun => ({
    name,
    at,
    ...(chance(0.3) && { killAfter: whole(1, 40) }),
    ...(chance(0.15) && { interruptAfter: whole(1, 40) }),
  });
  const deed = (): Deed => {
    const at = whole(0, 600);
    const kind = (['binds', 'removes', 'disables'] as const)[at % 3] ?? 'binds';
    return { at, kind, slug: pick(doors).slug, group: pick(groups) };
  };
  const made = {
    doors,
    trouble: pick([0, 0, 0.03, 0.1, 0.3, 0.6]),
    faults: chance(0.5) ? faults : some(faults, 0.15).concat(pick(faults)),
    runs: [run('first', 0), ...(chance(0.3) ? [run('second', whole(0, 400))] : [])],
    mayUpdate: chance(0.6),
    lacks: chance(0.25)
      ? some(
          [
            'add_bindings',
            'delete_bindings',
            'change_applications',
            'view_bindings',
            'add_providers',
          ] as const,
          0.35,
        )
      : [],
    ...(chance(0.1) && { blindFor: pick(doors).slug }),
    actor: chance(0.15) ? [deed()] : [],
    isLate: chance(0.5),
    ceiling: pick([1, 2, 8]),
  };
  const isWhole = made.lacks.length === 0 && made.blindFor === undefined;
  const there = doors.flatMap(({ slug, existing }) => (existing ? slug : []));
  return {
    ...made,
    // What is there under neither name is for a superuser to create.
    doors: doors.map((each) => ({ ...each, ...(each.existing && chance(0.3) && { isRenamed: true }) })),
    isSuperuser: isWhole && chance(0.5),
    hasRenamedUser: chance(0.3),
    ...(chance(0.3) && {
      going: { boundTo: some(there, 0.6), mayDelete: made.mayUpdate && chance(0.7) },
    }),
  };
}

/** The secret of every provider that declares one. */
export const declaredSecret = 'canary-of-the-roll';

const flows = {
  authorization_flow: { slug: 'default-provider-authorization-implicit-consent' },
  invalidation_flow: { slug: 'default-provider-invalidation-flow' },
};

/** What a provider of the roll declares, beside its flows and its secret. */
export function fieldsOfMade({ type }: Made): JsonObject {
  return type === 'oauth2'
    ? { sub_mode: 'user_id', access_token_validity: 'minutes=5' }
    : { mode: 'proxy', internal_host: 'http://inside:8080', external_host: 'https://outside.example.com' };
}

/** The manifest of what a seed declares. */
export function manifestOf({
  doors,
  going,
  hasRenamedUser,
}: Pick<Scenario, 'doors' | 'going' | 'hasRenamedUser'>): string {
  const providers: JsonObject[] = doors.flatMap(({ slug, made }) =>
    made === undefined
      ? []
      : {
          name: slug,
          type: made.type,
          ...flows,
          ...fieldsOfMade(made),
          ...(made.type === 'oauth2' && { redirect_uris: [`https://${slug}.example.com/`] }),
          ...(made.hasSecret && { client_secret: '${env:SECRET}' }),
        },
  );
  const absent = going ? [{ name: otherType, type: 'oauth2', state: 'absent' }] : [];
  return stringify({
    version: 1,
    ...(providers.length + absent.length > 0 && { providers: [...absent, ...providers] }),
    ...(hasRenamedUser && {
      users: [{ username: renamedUser.now, formerly: renamedUser.before, name: 'Zed' }],
    }),
    ...(going && { groups: [{ name: gone.group, state: 'absent' }] }),
    applications: [
      ...(going ? [{ slug: gone.slug, state: 'absent' }] : []),
      ...doors.map((door) => entryOf(door)),
    ],
  });
}

function entryOf({ slug, guests, provider, made, mode, isRenamed }: Door): JsonObject {
  return {
    slug,
    ...(isRenamed && { formerly: formerSlug(slug) }),
    name: slug.toUpperCase(),
    ...(provider !== undefined && { provider }),
    ...(made && { provider: { name: slug } }),
    ...(mode && { policy_engine_mode: mode }),
    access:
      guests === 'everyone'
        ? guests
        : {
            ...(guests.groups.length > 0 && { groups: guests.groups.map((name) => ({ name })) }),
            ...(guests.users.length > 0 && { users: guests.users.map((name) => ({ name })) }),
          },
  };
}
