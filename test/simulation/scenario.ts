import type { Random } from '../../src/base/clock.ts';
import type { Capability } from '../../src/kinds/capability.ts';
import { isSame, type DeclaredIdentity, type Identity } from './history.ts';
import { listFaults, type ListFault } from './list-faults.ts';

/** What a seed makes happen. */
export interface Scenario {
  /** What the runs are allowed beyond the documented operations. */
  readonly capabilities: readonly Capability[];
  readonly declared: readonly DeclaredIdentity[];
  /** What exists before, and whether it differs from what is declared. */
  readonly existing: readonly (Identity & { readonly differs: boolean })[];
  /** How often a request meets a fault: from 0 to 1. */
  readonly trouble: number;
  /** Which of the faults are about; a storm of one kind finds other things than a little of each. */
  readonly faults: readonly (Fault | BeyondFault)[];
  readonly ceiling: number;
  readonly runs: readonly PlannedRun[];
  readonly actor: readonly (Identity & { readonly at: number; readonly action: 'create' | 'delete' })[];
  /** When the token is revoked, if it is. */
  readonly revokedAt?: number;
  readonly failFast: boolean;
  /** The token of the first runs may not look at users at all. */
  readonly mayViewUsers: boolean;
  /** What `--wait` is given, if it is. */
  readonly wait?: '0' | '60';
  readonly restart?: Restart;
}

/** The service goes away for a while: what is under way is lost; nobody listens; its front listens; all is well. */
export interface Restart {
  /** Milliseconds from the start. */
  readonly at: number;
  readonly refusesFor: number;
  readonly startsFor: number;
  readonly front: '502' | '503';
}

export interface PlannedRun {
  readonly name: string;
  readonly at: number;
  /** After so many of its steps the run is killed, or interrupted. */
  readonly killAfter?: number;
  readonly interruptAfter?: number;
  /** After so many more it is interrupted again. */
  readonly insistAfter?: number;
}

export const faults = [
  'refused',
  'unknown_host',
  'reset_before',
  'reset_after',
  'timeout_lost',
  'timeout_late',
  'resent',
  'crash_before',
  'crash_after',
  'gateway_500',
  'gateway_502',
  'gateway_504_after',
  'failure_told',
  'unavailable',
  'unavailable_after',
  'slow_down',
  'slow_down_date',
  'too_early',
  'misdirected',
  'html_404',
  'html_200',
  'html_201',
  'other_identity',
  'json_200',
  'redirect',
  'redirect_after',
  'html_400',
  'html_400_after',
  'denied',
  'clash',
  'too_large',
  'request_timeout',
  'teapot',
  'half_405',
  'half_502',
  'ignored_field',
  'read_only',
] as const;

export type Fault = (typeof faults)[number];

/** Faults that are about only where something is allowed beyond the documented operations. */
export const beyondFaults = [...listFaults, 'half_reset'] as const;

export type BeyondFault = ListFault | 'half_reset';

export function scenarioOf(random: Random): Scenario {
  const chance = (probability: number): boolean => random() < probability;
  const whole = (least: number, most: number): number => least + Math.floor(random() * (most - least + 1));
  const pick = <Item>(items: readonly [Item, ...Item[]]): Item =>
    items[whole(0, items.length - 1)] ?? items[0];

  const invalid = chance(0.4);
  const hidden = chance(0.2);
  const declared: DeclaredIdentity[] = [
    ...Array.from({ length: whole(1, 5) }, (_, index): DeclaredIdentity => ({
      type: 'application',
      name: `a${index}`,
      invalid: invalid && chance(0.3),
      hidden: hidden && chance(0.4),
    })),
    ...Array.from({ length: whole(0, 4) }, (_, index): DeclaredIdentity => ({
      type: 'user',
      name: `u${index}`,
      invalid: invalid && chance(0.3),
      hidden: false,
    })),
  ];
  const some = declared.map(({ type, name }) => ({ type, name }));
  const existing = some.filter(() => chance(0.25)).map((identity) => ({ ...identity, differs: chance(0.3) }));

  const kinds = chance(0.3) ? [...faults] : [pick(faults), pick(faults), pick(faults)];
  const second = chance(0.25);
  const stop = random();
  const first: PlannedRun = {
    name: 'first',
    at: 0,
    ...(stop < 0.25 && { killAfter: whole(0, 40) }),
    ...(stop > 0.8 && { interruptAfter: whole(1, 40) }),
    ...(stop > 0.9 && { insistAfter: whole(1, 6) }),
  };
  const actions = chance(0.3) ? whole(1, 4) : 0;
  return {
    capabilities: [],
    declared,
    existing,
    trouble: pick([0, 0.05, 0.2, 0.2, 0.5, 0.9]),
    faults: kinds,
    ceiling: pick([1, 2, 4, 8]),
    runs: [first, ...(second ? [{ name: 'second', at: whole(0, 500) }] : [])],
    actor: Array.from({ length: actions }, () => ({
      ...pick([{ type: 'application', name: 'a0' }, ...some]),
      at: whole(0, 2000),
      action: pick(['create', 'delete'] as const),
    })),
    ...(chance(0.1) && { revokedAt: whole(0, 1500) }),
    failFast: chance(0.1),
    mayViewUsers: true,
  };
}

/** Lets the service of a scenario restart now and then, mostly with nothing else going wrong; and lets --wait be given. */
export function withPatience(scenario: Scenario, random: Random): Scenario {
  const chance = (probability: number): boolean => random() < probability;
  const whole = (least: number, most: number): number => least + Math.floor(random() * (most - least + 1));
  const waits = random();
  const wait = waits < 0.1 ? '0' : waits < 0.25 ? '60' : undefined;
  const patient: Scenario = { ...scenario, ...(wait !== undefined && { wait }) };
  if (!chance(0.2)) return patient;
  const takes = chance(0.2) ? 45_000 : whole(15_000, 25_000);
  const refusesFor = chance(0.2) ? takes : whole(0, takes);
  const restart: Restart = {
    at: whole(0, 800),
    refusesFor,
    startsFor: takes - refusesFor,
    front: chance(0.5) ? '502' : '503',
  };
  if (chance(0.3)) return { ...patient, restart, failFast: false };
  const { revokedAt: _, ...calm } = patient;
  const runs = scenario.runs.map(({ name, at }) => ({ name, at }));
  return { ...calm, restart, runs, trouble: 0, actor: [], failFast: false };
}

/** Allows the runs something beyond the documented operations, or not; and lets that go wrong. */
export function withCapabilities(scenario: Scenario, random: Random): Scenario {
  const chance = (probability: number): boolean => random() < probability;
  if (chance(0.5)) return scenario;
  const hidden = chance(0.3);
  const declared = scenario.declared.map((identity) =>
    identity.type === 'user' ? { ...identity, hidden: hidden && chance(0.4) } : identity,
  );
  const often = chance(0.3) ? 1 : 0.2;
  const more = beyondFaults.filter(() => chance(often));
  return {
    ...scenario,
    capabilities: ['lookup-users'],
    declared,
    faults: [...scenario.faults, ...more],
    mayViewUsers: !chance(0.03),
  };
}

/** The manifest of a scenario. What is invalid names a provider, or a group, that the service does not know. */
export function manifestOf({ declared }: Scenario): string {
  const list = (type: Identity['type'], key: string): string[] => {
    const identities = declared.filter((identity) => identity.type === type);
    return identities.length === 0 ? [] : [`${key}:`, ...identities.flatMap((identity) => entryOf(identity))];
  };
  return ['version: 1', ...list('application', 'applications'), ...list('user', 'users'), ''].join('\n');
}

const unknownGroup = '99999999-9999-4999-8999-999999999999';
const otherGroup = { pk: '00000000-0000-4000-8000-0000000000aa', name: 'climbers' };
const knownGroups = [
  { pk: 'ffe01d52-77c3-4b0e-9d2a-6c1b5a4f3e2d', name: 'night shift' },
  { pk: 'ab8ef5c2-1b9a-4d62-b3a5-0f4d1f2a3b4c', name: 'staff' },
];

/** What the world holds of what the resources refer to: groups for all users, backchannel providers for each application. */
export const world = {
  groups: [...knownGroups, otherGroup],
  providers: [20, 21, 22, 23, 24, 30, 31, 32, 33, 34].map((pk) => ({ pk, name: `Provider ${pk}` })),
};

/** The field that is missing where the world creates in part. */
export const partialField = { application: 'backchannel_providers', user: 'groups' } as const;

/** What is declared beside the names: what the service writes otherwise than the manifest, and means the same by. */
function detailsOf({ type, name }: Identity): object {
  const number = Number(name.slice(1));
  return type === 'application'
    ? { backchannel_providers: [30 + number, 20 + number] }
    : {
        groups: declaredGroups,
        last_login: '2024-05-01T10:00:00+02:00',
        attributes: { desk: { room: '4.2' } },
      };
}

/** The ids of the groups that are declared, in their order there. */
export const groupIds: readonly string[] = knownGroups.map(({ pk }) => pk);

/** In another form and in another order than the service has them. */
const declaredGroups = groupIds.map((pk) => pk.toUpperCase());

/** What stands beside what is declared, and is nobody's business. */
const besides = {
  application: { meta_publisher: 'Somebody' },
  user: {
    email: 'somebody@example.com',
    groups: [...declaredGroups, otherGroup.pk],
    attributes: { desk: { room: '4.2', floor: 4 }, hired: 2020 },
  },
};

/** What is invalid, and so is never as declared. */
function invalidFieldsOf({ type, name }: Identity): object {
  return type === 'application'
    ? { provider: 90 + Number(name.slice(1)) }
    : { groups: [...declaredGroups, unknownGroup] };
}

function entryOf({ type, name, invalid }: DeclaredIdentity): string[] {
  const key = type === 'application' ? 'slug' : 'username';
  const fields = { ...detailsOf({ type, name }), ...(invalid && invalidFieldsOf({ type, name })) };
  return [
    `  - ${key}: ${name}`,
    `    name: Name of ${name}`,
    ...Object.entries(fields).flatMap(([field, value]) => fieldOf(field, value, '    ')),
  ];
}

/** In blocks: that is read many times as fast as a list in brackets, and most of a simulation is reading. */
function fieldOf(field: string, value: unknown, indent: string): string[] {
  if (Array.isArray(value))
    return [`${indent}${field}:`, ...value.map((item) => `${indent}  - ${JSON.stringify(item)}`)];
  if (typeof value === 'object' && value !== null)
    return [
      `${indent}${field}:`,
      ...Object.entries(value).flatMap(([key, item]) => fieldOf(key, item, `${indent}  `)),
    ];
  return [`${indent}${field}: ${JSON.stringify(value)}`];
}

/** The body of a create request by somebody else. */
export function bodyOf({ type, name }: Identity, differs: boolean): object {
  const key = type === 'application' ? 'slug' : 'username';
  return differs
    ? { [key]: name, name: 'Another name' }
    : { [key]: name, name: `Name of ${name}`, ...detailsOf({ type, name }), ...besides[type] };
}

/** The declared fields that are otherwise in what somebody else created with such a body. */
export function differingIn({ declared }: Scenario, identity: Identity, differs: boolean): readonly string[] {
  const { invalid = false } = declared.find((other) => isSame(other, identity)) ?? {};
  const fields = [
    ...(differs ? ['name', ...Object.keys(detailsOf(identity))] : []),
    ...(invalid ? Object.keys(invalidFieldsOf(identity)) : []),
  ];
  return [...new Set(fields)];
}
