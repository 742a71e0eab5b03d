import type { Random } from '../../src/base/clock.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { uuidFrom } from '../../src/sandbox/ids.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { blockYaml } from './block-yaml.ts';
import { dice } from './dice.ts';
import type { DeclaredIdentity, Values } from './identity.ts';
import type { Measures } from './measures.ts';

/** The applications, providers and access in the world of a seed. */
export interface AccessScenario {
  readonly applications: readonly DeclaredApplication[];
  /** Whether the first runs may change existing records. Later runs may. */
  readonly mayUpdate: boolean;
  /** The records that are declared absent: the applications to which the group is bound, and whether the first runs may delete the records. */
  readonly absent?: { readonly boundTo: readonly string[]; readonly mayDelete: boolean };
  readonly hasRenamedUser: boolean;
  /** Whether the token of the first runs is a superuser's. */
  readonly isSuperuser: boolean;
  /** The permissions that the token of the first runs lacks. */
  readonly lacks: readonly Lacking[];
  /** An application. The token of the first runs cannot see its bindings of the first group. */
  readonly blindFor?: string;
  readonly accessChanges: readonly AccessChange[];
  readonly isLate: boolean;
}

const lackings = [
  'add_bindings',
  'delete_bindings',
  'change_applications',
  'view_bindings',
  'add_providers',
] as const;

type Lacking = (typeof lackings)[number];

/** An application and its declared access. */
export interface DeclaredApplication {
  readonly slug: string;
  readonly subjects: 'everyone' | { readonly groups: readonly string[]; readonly users: readonly string[] };
  readonly provider?: number;
  /** The provider, if a run creates it together with the application. */
  readonly made?: DeclaredProvider;
  readonly mode?: Mode;
  /** Whether the application has a former name, which an existing record still has. */
  readonly isRenamed?: boolean;
  /** The existing record; undefined if absent. */
  readonly existing?: {
    readonly provider?: number;
    readonly mode: Mode;
    readonly bindings: readonly Bound[];
  };
}

/** A declared provider with the name of its application. */
interface DeclaredProvider {
  readonly type: 'oauth2' | 'proxy';
  /** Whether its secret is declared. No output may show the secret. */
  readonly hasSecret: boolean;
  /** An existing record with its name: of the same type, or of another one. Undefined if there is none. */
  readonly before?: 'same' | 'other';
}

type Mode = 'any' | 'all';

interface Bound {
  readonly group?: string;
  readonly user?: string;
  readonly policy?: string;
  readonly enabled?: boolean;
  readonly negate?: boolean;
}

/** Another client binds a group to an application, or removes or disables its binding. */
export interface AccessChange {
  /** `at` is the time in milliseconds; `after` is the number of requests that the service has processed. */
  readonly when: { readonly at: number } | { readonly after: number };
  readonly kind: 'binds' | 'removes' | 'disables';
  readonly slug: string;
  readonly group: string;
}

export const groups = ['ga', 'gb', 'gc'] as const;
export const onlyUser = 'solo';
/** The group and the application that are declared absent. */
const absentRecords = { group: 'gx', slug: 'az' };
/** A proxy whose name a declared OAuth2 provider has. The service also lists the proxy as an OAuth2 provider. */
const proxyName = 'px';
const user = { now: 'zed', before: 'old-zed' };
/** The declared secret of all providers that declare one. */
export const declaredSecret = 'canary-of-the-providers';

export function formerOf(slug: string): string {
  return `old-${slug}`;
}

/** A user for every set of groups: `m0` is in no group, `m7` in all three. */
export const members: readonly { readonly name: string; readonly groups: readonly string[] }[] = [
  ...Array.from({ length: 8 }, (_, bits) => ({
    name: `m${bits}`,
    groups: groups.filter((_group, index) => (bits >> index) % 2 === 1),
  })),
  { name: onlyUser, groups: [] },
];

export function accessOf(random: Random, measures: Measures): AccessScenario {
  const { chance, whole, pick } = dice(random);
  const some = <Item>(items: readonly Item[], of: number): Item[] => items.filter(() => chance(of));
  const subjects = (): DeclaredApplication['subjects'] => {
    if (chance(0.2)) return 'everyone';
    const [named, users] = [some(groups, 0.4), some([onlyUser], 0.3)];
    return named.length + users.length === 0 ? { groups: ['ga'], users: [] } : { groups: named, users };
  };
  const bound = (): Bound => ({
    ...(chance(0.75) ? { group: pick(groups) } : chance(0.5) ? { user: onlyUser } : { policy: 'p' }),
    ...(chance(0.1) && { enabled: false }),
    ...(chance(0.07) && { negate: true }),
  });
  const made = (): DeclaredProvider => {
    const type = pick(['oauth2', 'proxy'] as const);
    const before = chance(0.4) && { before: pick(['same', 'other'] as const) };
    return { type, hasSecret: type === 'oauth2' && chance(0.7), ...before };
  };
  const applications = Array.from(
    { length: pick(measures.applicationsOfAccess) },
    (_, index): DeclaredApplication => {
      const application: DeclaredApplication = {
        slug: `a${index}`,
        subjects: subjects(),
        ...(chance(0.35) ? { made: made() } : chance(0.85) && { provider: index + 1 }),
        ...(chance(0.3) && { mode: pick(['any', 'all'] as const) }),
        ...(chance(0.5) && {
          existing: {
            ...(chance(0.7) && { provider: index + 1 }),
            mode: chance(0.75) ? 'any' : 'all',
            bindings: Array.from({ length: pick(measures.bindings) }, bound),
          },
        }),
      };
      return {
        ...application,
        ...(application.existing && chance(measures.isRenamed) && { isRenamed: true }),
      };
    },
  );
  const slug = (): string => `a${whole(0, applications.length - 1)}`;
  const lacks = chance(measures.lacks.any) ? some(lackings, measures.lacks.each) : [];
  const blindFor = chance(0.1) ? slug() : undefined;
  const mayUpdate = chance(0.6);
  const there = applications.flatMap((each) => (each.existing ? each.slug : []));
  return {
    applications,
    mayUpdate,
    lacks,
    ...(blindFor !== undefined && { blindFor }),
    accessChanges: chance(0.15)
      ? [
          {
            when: momentOf(whole(0, 600)),
            kind: pick(['binds', 'removes', 'disables']),
            slug: slug(),
            group: pick(groups),
          },
        ]
      : [],
    isLate: chance(0.5),
    isSuperuser: lacks.length === 0 && blindFor === undefined && chance(0.5),
    hasRenamedUser: chance(0.3),
    ...(chance(measures.isAbsent) && {
      absent: { boundTo: some(there, 0.6), mayDelete: mayUpdate && chance(0.7) },
    }),
  };
}

/** Half of the other client's actions happen between two requests of a run. */
function momentOf(number: number): AccessChange['when'] {
  return number % 2 === 0 ? { at: number } : { after: 1 + (number % 40) };
}

/** All declarations of a world of access. */
export function identitiesOf({ applications, absent, hasRenamedUser }: AccessScenario): DeclaredIdentity[] {
  const known = { invalid: false, hidden: false, isOfAccess: true } as const;
  return [
    ...applications.flatMap(({ slug, made, isRenamed }): DeclaredIdentity[] => [
      { ...known, type: 'application', name: slug, ...(isRenamed && { formerly: formerOf(slug) }) },
      ...(made ? [{ ...known, type: 'provider', name: slug, model: made.type }] : []),
    ]),
    ...(hasRenamedUser ? [{ ...known, type: 'user', name: user.now, formerly: user.before }] : []),
    ...(absent
      ? ([
          { ...known, type: 'application', name: absentRecords.slug, absent: 'declared' },
          { ...known, type: 'group', name: absentRecords.group, absent: 'declared' },
          { ...known, type: 'provider', name: proxyName, absent: 'other type', model: 'proxy' },
        ] as const)
      : []),
  ];
}

export function accessManifestOf({ applications, absent, hasRenamedUser }: AccessScenario): string {
  const providers: JsonObject[] = applications.flatMap(({ slug, made }) =>
    made === undefined
      ? []
      : {
          name: slug,
          type: made.type,
          authorization_flow: { slug: 'default-provider-authorization-implicit-consent' },
          invalidation_flow: { slug: 'default-provider-invalidation-flow' },
          ...fieldsOfMade(made),
          ...(made.type === 'oauth2' && { redirect_uris: [`https://${slug}.example.com/`] }),
          ...(made.hasSecret && { client_secret: '${env:SECRET}' }),
        },
  );
  const others = absent ? [{ name: proxyName, type: 'oauth2', state: 'absent' }] : [];
  return blockYaml({
    version: 1,
    ...(providers.length + others.length > 0 && { providers: [...others, ...providers] }),
    ...(hasRenamedUser && { users: [{ username: user.now, formerly: user.before, name: 'Zed' }] }),
    ...(absent && { groups: [{ name: absentRecords.group, state: 'absent' }] }),
    applications: [
      ...(absent ? [{ slug: absentRecords.slug, state: 'absent' }] : []),
      ...applications.map((application) => entryOf(application)),
    ],
  });
}

function entryOf({ slug, subjects, provider, made, mode, isRenamed }: DeclaredApplication): JsonObject {
  const named = (names: readonly string[]): JsonObject[] => names.map((name) => ({ name }));
  return {
    slug,
    ...(isRenamed && { formerly: formerOf(slug) }),
    name: slug.toUpperCase(),
    ...(provider !== undefined && { provider }),
    ...(made && { provider: { name: slug } }),
    ...(mode && { policy_engine_mode: mode }),
    access:
      subjects === 'everyone'
        ? subjects
        : {
            ...(subjects.groups.length > 0 && { groups: named(subjects.groups) }),
            ...(subjects.users.length > 0 && { users: named(subjects.users) }),
          },
  };
}

/** The fields of a declared provider besides its flows and its secret. */
function fieldsOfMade({ type }: DeclaredProvider): JsonObject {
  return type === 'oauth2'
    ? { sub_mode: 'user_id', access_token_validity: 'minutes=5' }
    : { mode: 'proxy', internal_host: 'http://inside:8080', external_host: 'https://outside.example.com' };
}

/** The declared values by address, in normalized form. For a record declared absent, the value is undefined. */
export function accessWantsOf({ applications, hasRenamedUser }: AccessScenario): Record<string, Values> {
  const texts = (fields: JsonObject): Values =>
    Object.fromEntries(Object.entries(fields).map(([field, value]) => [field, JSON.stringify(value)]));
  return Object.fromEntries([
    ...applications.flatMap(({ slug, subjects, provider, made, mode }) => [
      [
        `application.${slug}`,
        texts({
          slug,
          access: subjects === 'everyone' ? [] : [...subjects.groups, ...subjects.users].toSorted(),
          ...(provider !== undefined && { provider: `P${provider}` }),
          ...(made && { provider: slug }),
          ...(mode && { policy_engine_mode: mode }),
        }),
      ] as const,
      ...(made
        ? [
            [
              `provider.${slug}`,
              texts({ ...fieldsOfMade(made), ...(made.hasSecret && { client_secret: declaredSecret }) }),
            ] as const,
          ]
        : []),
    ]),
    ...(hasRenamedUser ? [[`user.${user.now}`, texts({ username: user.now, name: 'Zed' })] as const] : []),
  ]);
}

/** The bodies of existing providers. */
export function providersBefore({ applications, absent, isLate }: AccessScenario): {
  readonly type: DeclaredProvider['type'];
  readonly body: JsonObject;
}[] {
  const declared = applications.flatMap(({ slug, made }) =>
    made?.before === undefined ? [] : [{ name: slug, made }],
  );
  const other = absent
    ? [{ name: proxyName, made: { type: 'proxy', hasSecret: false } as DeclaredProvider }]
    : [];
  return [...declared, ...other].map(({ name, made }) => ({
    type: made.type,
    body: {
      name,
      authorization_flow: uuidFrom('flow default-provider-authorization-implicit-consent'),
      invalidation_flow: uuidFrom('flow default-provider-invalidation-flow'),
      ...fieldsOfMade(made),
      ...(made.type === 'oauth2' && {
        redirect_uris: isLate
          ? [{ matching_mode: 'strict', url: `https://${name}.example.com/` }]
          : `https://${name}.example.com/`,
      }),
      ...(made.hasSecret && { client_secret: declaredSecret }),
      ...(made.before === 'other' && { access_token_validity: 'minutes=9' }),
    },
  }));
}

/** The initial records of the service. `tokens` are the tokens of the first runs, of later runs and of the observer. */
export function accessSeedOf(
  { applications, lacks, blindFor, absent, isSuperuser, hasRenamedUser }: AccessScenario,
  tokens: { readonly first: string; readonly healed: string; readonly monitor: string },
): ConstructorParameters<typeof Sandbox>[0] {
  const existing = applications.flatMap((each) =>
    each.existing
      ? [{ ...each.existing, name: each.isRenamed ? formerOf(each.slug) : each.slug, slug: each.slug }]
      : [],
  );
  const pkOf = (group: string): string =>
    `${[...groups, absentRecords.group].indexOf(group)}0000000-0000-4000-8000-000000000000`;
  const labels = applications.flatMap(({ slug }) =>
    [...groups, onlyUser, 'policy', absentRecords.group].flatMap((name) =>
      slug === blindFor && name === groups[0] ? [] : [`${slug}/${name}`, `${formerOf(slug)}/${name}`],
    ),
  );
  const isLacking = (what: Lacking): boolean => lacks.includes(what);
  return {
    providers: [1, 2, 3].map((pk) => ({ pk, name: `P${pk}` })),
    groups: [...groups, ...(absent ? [absentRecords.group] : [])].map((name, index) => ({
      name,
      num_pk: index,
      pk: pkOf(name),
    })),
    users: [
      ...(hasRenamedUser ? [{ username: user.before, name: 'Zed' }] : []),
      ...members.map(({ name, groups: of }) => ({
        username: name,
        name,
        groups: of.map((group) => pkOf(group)),
      })),
    ],
    applications: [
      ...existing.map(({ name, slug, provider, mode }) => ({
        slug: name,
        name: slug.toUpperCase(),
        policy_engine_mode: mode,
        ...(provider !== undefined && { provider }),
      })),
      ...(absent ? [{ slug: absentRecords.slug, name: 'Gone' }] : []),
    ],
    bindings: existing.flatMap(({ slug, name, bindings }) =>
      [...bindings, ...(absent?.boundTo.includes(slug) ? [{ group: absentRecords.group }] : [])].map(
        (bound) => ({
          application: name,
          ...bound,
        }),
      ),
    ),
    tokens: [
      {
        token: tokens.first,
        superuser: isSuperuser,
        ...(isLacking('add_bindings') && { add_bindings: false }),
        ...(isLacking('delete_bindings') && { delete_bindings: false }),
        ...(isLacking('add_providers') && { add_providers: false }),
        ...(isLacking('change_applications') && { change_applications: 'none' as const }),
        ...(blindFor !== undefined && { view_bindings: labels }),
        ...(isLacking('view_bindings') && { view_bindings: 'none' as const }),
      },
      { token: tokens.healed, superuser: true },
      { token: tokens.monitor, superuser: true },
    ],
  };
}

/** The users with declared access, also through unmanaged bindings, and through the first group's binding if a token cannot see it. */
export function declaredInsiders(
  { subjects, mode, existing }: DeclaredApplication,
  isBlind: boolean,
): readonly string[] {
  const bindings = existing?.bindings ?? [];
  const isCounted = ({ enabled, negate }: Bound): boolean => enabled !== false && negate !== true;
  const beside = bindings.filter(
    ({ policy, enabled, negate }) => enabled !== false && (policy !== undefined || negate === true),
  );
  const unseen = isBlind ? bindings.filter((bound) => bound.group === groups[0] && isCounted(bound)) : [];
  const named =
    subjects === 'everyone'
      ? []
      : [...subjects.groups.map((group) => ({ group })), ...subjects.users.map((name) => ({ user: name }))];
  return letIn([...beside, ...unseen, ...named], mode ?? existing?.mode ?? 'any');
}

function letIn(bindings: readonly Bound[], mode: Mode): readonly string[] {
  return members.flatMap((member) => {
    const passes = ({ group, user: name, negate = false }: Bound): boolean =>
      (name === member.name || (group !== undefined && member.groups.includes(group))) !== negate;
    if (bindings.length === 0) return [member.name];
    const isIn = mode === 'all' ? bindings.every(passes) : bindings.some(passes);
    return isIn ? [member.name] : [];
  });
}
