import type { Random } from '../../src/base/clock.ts';
import type { Capability } from '../../src/kinds/capability.ts';
import { needsSuperuserToLookUp } from '../../src/kinds/kind.ts';
import { accessOf, identitiesOf, type AccessScenario } from './access.ts';
import { edits, type Condition, type Edit, type Style } from './declaration.ts';
import { doubledKinds, drawnKinds } from './kind-fields.ts';
import { drawKinds, isReferredTo, withCircle, type KindsScenario } from './kinds.ts';
import { dice } from './dice.ts';
import type { Measures } from './measures.ts';
import type { DeclaredIdentity, Identity } from './history.ts';
import { listFaults, type ListFault } from './list-faults.ts';
import { undocumentedParts, refusals, type NotOffered, type Refusal } from './offers.ts';

/** What happens under a seed. */
export interface Scenario {
  /** Whether the runs may send only the documented operations. */
  readonly contractOnly: boolean;
  readonly capabilities: readonly Capability[];
  readonly declared: readonly DeclaredIdentity[];
  /** The form of the declaration. Each run has its own edition. */
  readonly style: Omit<Style, 'edition'>;
  /** The existing records and their values. */
  readonly existing: readonly (Identity & { readonly condition: Condition })[];
  /** The probability that a request meets a fault. */
  readonly trouble: number;
  /** The faults that can occur. Many faults of one kind reveal other bugs than a few of each kind. */
  readonly faults: readonly (Fault | BeyondFault | AccessFault)[];
  readonly ceiling: number;
  readonly runs: readonly PlannedRun[];
  readonly actor: readonly (Identity & {
    readonly at: number;
    readonly action: 'create' | 'delete' | Edit;
  })[];
  /** The time at which the token is revoked, if ever. */
  readonly revokedAt?: number;
  readonly failFast: boolean;
  readonly keepGoing: boolean;
  /** The maximum number of records on a page, even if a request asks for more. */
  readonly pageSize: number;
  /** Whether the tokens belong to superusers. */
  readonly superuser: boolean;
  /** A record because of which the service fails to show a page. */
  readonly broken?: Identity;
  /** Whether the runs may update. Somebody confirms the plan after this many milliseconds. */
  readonly changes?: { readonly approvedAfter: number };
  /** Whether the token of the first runs may update records. */
  readonly mayChange: boolean;
  /** Whether the token of the first runs may not view users at all. */
  readonly mayViewUsers: boolean;
  /** The value of `--wait`, if given. */
  readonly wait?: '0' | '60';
  readonly restart?: Restart;
  /** Whether the service refuses a second group with the same name, as releases from 2024.6 on do. */
  readonly uniqueGroups: boolean;
  /** The undocumented parts of the API that the service does not offer. */
  readonly lacks: NotOffered;
  /** The declared access, if this is a world of access. */
  readonly access?: AccessScenario;
  /** Records of random kinds, if this is a world of kinds. */
  readonly kinds?: KindsScenario;
}

/** A restart of the service: requests under way are lost, then nothing listens, then only a proxy answers, and then the service is back. */
export interface Restart {
  /** The time from the start, in milliseconds. */
  readonly at: number;
  readonly refusesFor: number;
  readonly startsFor: number;
  readonly front: '502' | '503';
}

export interface PlannedRun {
  readonly name: string;
  readonly at: number;
  readonly edition?: Style['edition'];
  /** The number of steps after which the run is killed or interrupted. */
  readonly killAfter?: number;
  readonly interruptAfter?: number;
  /** The number of further steps after which the run is interrupted a second time. */
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

/** Faults that occur only if the runs may send more than the documented operations. */
export const beyondFaults = ['half_reset', 'not_offered', ...listFaults] as const;

export type BeyondFault = ListFault | 'half_reset' | 'not_offered';

/** Faults of access, and general faults that also occur in worlds of access. */
export const accessFaults = ['no_bindings', 'other_count', 'echo_400'] as const;

export type AccessFault = (typeof accessFaults)[number];

const faultsOfAccess = [
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
  'other_identity',
  'denied',
  'read_only',
  ...accessFaults,
] as const;

export function scenarioOf(random: Random, measures: Measures): Scenario {
  const { chance, whole, pick } = dice(random);

  const invalid = chance(0.4);
  const hidden = chance(0.2);
  const declared: DeclaredIdentity[] = [
    ...Array.from({ length: pick(measures.applications) }, (_, index): DeclaredIdentity => ({
      type: 'application',
      name: `a${index}`,
      invalid: invalid && chance(0.3),
      hidden: hidden && chance(0.4),
    })),
    ...Array.from({ length: pick(measures.users) }, (_, index): DeclaredIdentity => ({
      type: 'user',
      name: `u${index}`,
      invalid: invalid && chance(0.3),
      hidden: false,
    })),
  ];
  const some = declared.map(({ type, name }) => ({ type, name }));
  const existing = some
    .filter(() => chance(0.25))
    .map((identity) => ({ ...identity, condition: chance(0.3) ? ('bare' as const) : ('same' as const) }));

  const kinds = chance(0.3) ? [...faults] : [pick(faults), pick(faults), pick(faults)];
  const second = chance(measures.isSecond);
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
    contractOnly: true,
    capabilities: [],
    declared,
    style: {
      exactly: false,
      declaresIsActive: false,
      refersByName: false,
      handsOverProviders: false,
      declaredGroups: 0,
    },
    existing,
    trouble: pick(measures.trouble),
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
    keepGoing: false,
    pageSize: 100,
    superuser: false,
    mayChange: true,
    mayViewUsers: true,
    uniqueGroups: true,
    lacks: {},
  };
}

/** Adds --wait and occasional restarts of the service, mostly without other faults. */
export function withPatience(scenario: Scenario, random: Random, measures: Measures): Scenario {
  const { chance, whole } = dice(random);
  const waits = random();
  const wait = waits < 0.1 ? '0' : waits < 0.25 ? '60' : undefined;
  const patient: Scenario = { ...scenario, ...(wait !== undefined && { wait }) };
  if (!chance(0.2)) return patient;
  const takes = chance(measures.isLongRestart) ? 45_000 : whole(15_000, 25_000);
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

/** Decides which reads the runs may send, and adds faults in them. */
export function withReading(scenario: Scenario, random: Random, measures: Measures): Scenario {
  const { chance, pick } = dice(random);
  if (chance(measures.isDocumentedOnly)) return scenario;
  const hidden = chance(0.3);
  const declared = scenario.declared.map((identity) =>
    identity.type === 'user' ? { ...identity, hidden: hidden && chance(0.4) } : identity,
  );
  const often = chance(0.3) ? 1 : 0.2;
  const more = beyondFaults.filter(() => chance(often));
  const looking: Scenario = {
    ...scenario,
    contractOnly: false,
    declared,
    faults: [...scenario.faults, ...more],
    mayViewUsers: !chance(0.06),
  };
  const reading = chance(measures.isWithoutLists) ? looking : withLists(looking, random, measures);
  const allowed = chance(measures.isWithoutChanges) ? reading : withChanges(reading, random);
  // Otherwise, creates in part whose answers are lost would be rare.
  const stormy: Scenario = chance(measures.isStormy)
    ? { ...allowed, faults: ['half_reset', 'half_reset', pick(beyondFaults)] }
    : allowed;
  if (!chance(measures.refersByName)) return stormy;
  return {
    ...stormy,
    style: { ...stormy.style, refersByName: true },
  };
}

/** Lets the runs update, while other clients change records too. */
function withChanges(scenario: Scenario, random: Random): Scenario {
  const { chance, whole, pick } = dice(random);
  const capabilities = [...scenario.capabilities, 'update' as const];
  // A capability without permission changes nothing.
  if (chance(0.1)) return { ...scenario, capabilities };
  const often = pick([0.3, 0.9]);
  const some = scenario.declared.map(({ type, name }) => ({ type, name }));
  const existing = some
    .filter(() => chance(often))
    .map((identity) => ({ ...identity, condition: pick<Condition>(['same', 'bare', 'mixed', 'mixed']) }));
  const isCalm = scenario.trouble === 0 && scenario.restart !== undefined;
  const approvedAfter = pick([0, 100, 1000]);
  const changes =
    isCalm || chance(0.4)
      ? []
      : Array.from({ length: whole(1, 5) }, () => ({
          ...(some[whole(0, some.length - 1)] ?? others[0]),
          at: whole(0, 800 + approvedAfter),
          action: pick(edits),
        }));
  return {
    ...scenario,
    capabilities,
    existing: [
      ...existing,
      ...scenario.existing.filter(({ name }) => others.some((other) => other.name === name)),
    ],
    actor: [...scenario.actor, ...changes],
    style: { ...scenario.style, exactly: chance(0.2), declaresIsActive: chance(0.3) },
    runs: scenario.runs.map((run, index) => ({
      ...run,
      ...(index > 0 && chance(0.6) && { edition: 'second' as const }),
    })),
    changes: { approvedAfter },
    mayChange: !chance(0.05),
  };
}

/** Lets applications hand over main providers, which belong to one application only. */
export function withHandovers(scenario: Scenario, random: Random, measures: Measures): Scenario {
  const { chance } = dice(random);
  if (!scenario.changes || chance(measures.isWithoutHandovers)) return scenario;
  const own = new Set(scenario.declared.map(({ name }) => name));
  const free = namesOf('application', own.size + 1, 0).filter(({ name }) => !own.has(name));
  const givers = free.slice(0, measures.givers);
  return {
    ...scenario,
    declared: [...scenario.declared, ...givers.map((giver) => ({ ...giver, invalid: false, hidden: false }))],
    existing: [...scenario.existing, ...givers.map((giver) => ({ ...giver, condition: 'mixed' as const }))],
    style: { ...scenario.style, handsOverProviders: true },
  };
}

/** Undeclared records whose names come before, between and after the declared ones. */
const others: readonly [Identity, ...Identity[]] = [
  { type: 'application', name: 'A-first' },
  { type: 'application', name: 'a2-b' },
  { type: 'application', name: 'zz-last' },
  { type: 'user', name: 'A-first' },
  { type: 'user', name: 'u1-b' },
  { type: 'user', name: 'zz-last' },
];

/** Lets the runs read lists: declares more resources, and adds undeclared records that come and go. */
function withLists(scenario: Scenario, random: Random, { further }: Measures): Scenario {
  const { chance, whole, pick } = dice(random);
  const superuser = chance(0.7);
  // Lists are read only if enough resources are declared.
  const many = (): number => pick(chance(further.areFew) ? further.few : further.many);
  const more = [...namesOf('application', many(), 5), ...namesOf('user', many(), 5)].map((identity) => ({
    ...identity,
    invalid: chance(0.05),
    hidden: chance(0.05),
  }));
  const declared = [...scenario.declared, ...more].map((identity) => ({
    ...identity,
    hidden: identity.hidden && !superuser,
  }));
  const often = chance(0.7) ? 0.9 : 0.3;
  const existing = [
    ...declared
      .filter(() => chance(often))
      .map(({ type, name }) => ({
        type,
        name,
        condition: pick<Condition>(['same', 'same', 'same', 'bare', 'mixed']),
      })),
    ...others.filter(() => chance(0.5)).map((other) => ({ ...other, condition: 'bare' as const })),
  ];
  const isCalm = scenario.trouble === 0 && scenario.restart !== undefined;
  const movements: Scenario['actor'] =
    isCalm || chance(0.4)
      ? []
      : Array.from({ length: whole(1, 6) }, () => ({
          ...pick(others),
          at: whole(0, 600),
          action: pick(['create', 'delete']),
        }));
  return {
    ...scenario,
    declared,
    existing,
    actor: [...scenario.actor, ...movements],
    pageSize: pick([1, 2, 3, 100]),
    superuser,
    ...(chance(0.1) && { broken: pick(others) }),
  };
}

/** Adds --keep-going, and references to missing records. */
export function withStrays(scenario: Scenario, random: Random, measures: Measures): Scenario {
  const { chance } = dice(random);
  if (chance(measures.isWithoutStrays)) return scenario;
  const { refersByName: named, handsOverProviders: handed } = scenario.style;
  // Resources that depend on a missing record are never done. The promises for other worlds expect that everything is done in the
  // end.
  const isStray = (): boolean => named && !handed && chance(measures.isStray);
  const declared = scenario.declared.map((identity) => ({ ...identity, stray: isStray() }));
  return { ...scenario, declared, keepGoing: true };
}

/** Declares groups to which users and groups refer. Other clients may create these groups too. */
export function withGroups(scenario: Scenario, random: Random, measures: Measures): Scenario {
  const { chance, whole, pick } = dice(random);
  if (scenario.contractOnly || chance(0.5)) return scenario;
  const made = pick(measures.groups);
  const groups = namesOf('group', made, 0);
  const declared = groups.map((group) => ({ ...group, invalid: chance(0.1), hidden: false }));
  const existing = groups
    .filter(() => chance(0.2))
    .map((group) => ({ ...group, condition: 'bare' as const }));
  const isCalm = scenario.trouble === 0 && scenario.restart !== undefined;
  const actor = groups
    .filter(() => !isCalm && chance(0.1))
    .map((group) => ({ ...group, at: whole(0, 800), action: 'create' as const }));
  return {
    ...scenario,
    declared: [...scenario.declared, ...declared],
    existing: [...scenario.existing, ...existing],
    actor: [...scenario.actor, ...actor],
    style: { ...scenario.style, declaredGroups: made },
    uniqueGroups: chance(0.4),
    ...(!isCalm && chance(measures.isLossy) && lossy),
  };
}

/** Only answers that get lost show whether a run may create a record twice. */
const lossy: Pick<Scenario, 'faults' | 'trouble'> = {
  faults: ['reset_before', 'reset_after', 'timeout_lost', 'timeout_late'],
  trouble: 0.3,
};

/** Makes a world that declares only access. */
export function withAccess(scenario: Scenario, random: Random, measures: Measures): Scenario {
  const { chance, whole, pick } = dice(random);
  const run = (name: string, at: number): PlannedRun => ({
    name,
    at,
    ...(chance(0.3) && { killAfter: whole(1, 40) }),
    ...(chance(0.15) && { interruptAfter: whole(1, 40) }),
  });
  const access = accessOf(random, measures);
  const some = faultsOfAccess.filter(() => chance(0.15));
  const { revokedAt: _, restart: __, wait: ___, ...calm } = scenario;
  return {
    ...calm,
    contractOnly: false,
    capabilities: ['update', 'delete'],
    declared: identitiesOf(access),
    existing: [],
    actor: [],
    access,
    trouble: pick(measures.troubleOfAccess),
    faults: chance(0.5) ? faultsOfAccess : [...some, pick(faultsOfAccess)],
    runs: [run('first', 0), ...(chance(measures.isSecondOfAccess) ? [run('second', whole(0, 400))] : [])],
    failFast: false,
    ceiling: pick([1, 2, 8]),
    ...(chance(measures.isLossy) && lossy),
  };
}

/**
 * Makes two records depend on each other, so that several requests create them. The checks can follow that only if no other
 * client writes, and if a run may change what an earlier run has begun.
 */
export async function withCircles(scenario: Scenario, random: Random, measures: Measures): Promise<Scenario> {
  const { chance, pick } = dice(random);
  if (scenario.kinds === undefined || !chance(measures.isCircle)) return scenario;
  const kinds = await withCircle(scenario.kinds, random);
  const declared = kinds.records.map(({ identity }) => identity);
  const begun = declared.find(({ isInParts }) => isInParts && chance(0.2));
  return {
    ...scenario,
    kinds,
    declared,
    capabilities: ['update'],
    changes: { approvedAfter: pick([0, 100, 1000]) },
    existing: [
      ...scenario.existing,
      ...(begun === undefined ? [] : [{ ...begun, condition: 'bare' as const }]),
    ],
    runs: scenario.runs.slice(0, 1),
    actor: [],
  };
}

/** Makes a world that declares only records of random kinds. */
export async function withKinds(scenario: Scenario, random: Random, measures: Measures): Promise<Scenario> {
  const { chance, whole, pick } = dice(random);
  const isLossy = measures.isLossy > 0 && chance(measures.isLossy);
  const kinds = await drawKinds(random, measures, isLossy ? doubledKinds : drawnKinds);
  const declared = kinds.records.map(({ identity }) => identity);
  const mayChange = chance(0.6);
  const often = pick([0, 0.3, 0.9]);
  const some = declared.map(({ type, name }) => ({ type, name }));
  const [first, ...rest] = some;
  const isCalm = scenario.trouble === 0 && scenario.restart !== undefined;
  const approvedAfter = pick([0, 100, 1000]);
  return {
    ...scenario,
    contractOnly: false,
    capabilities: mayChange ? ['update'] : [],
    declared,
    existing: some
      .filter(() => chance(often))
      .map((identity) => ({ ...identity, condition: pick<Condition>(['same', 'bare', 'mixed']) })),
    actor:
      isCalm || first === undefined || chance(0.7)
        ? []
        : Array.from({ length: whole(1, 3) }, () => ({
            ...pick([first, ...rest]),
            at: whole(0, 1000),
            action: pick(['create', 'delete', 'notes'] as const),
          })).filter(({ action, ...identity }) => action !== 'delete' || !isReferredTo(kinds, identity)),
    faults: [...scenario.faults, ...(['half_reset', 'not_offered'] as const).filter(() => chance(0.1))],
    runs: scenario.runs.map((run, index) => ({
      ...run,
      ...(index > 0 && mayChange && chance(0.6) && { edition: 'second' as const }),
    })),
    ...(mayChange && { changes: { approvedAfter } }),
    superuser: chance(0.5) || kinds.records.some(({ kind }) => needsSuperuserToLookUp(kind)),
    pageSize: pick([1, 3, 100]),
    ...(isLossy && !isCalm && lossy),
    kinds,
  };
}

/** Lets the service offer only some undocumented requests, with a random answer to each of the others. */
export function withOffers(scenario: Scenario, random: Random, measures: Measures): Scenario {
  const { contractOnly, changes, style, declared } = scenario;
  const { chance, pick } = dice(random);
  // Updates and references need more than the documented operations.
  if (
    contractOnly ||
    changes ||
    style.refersByName ||
    style.declaredGroups > 0 ||
    chance(measures.isOfferingAll)
  )
    return scenario;
  const [first, ...rest] = Object.keys(refusals) as [Refusal, ...Refusal[]]; // the object has only these keys
  const lacks = undocumentedParts.flatMap((part) => {
    const refusal = pick([first, ...rest]);
    return chance(0.6) ? [[part, refusal] as const] : [];
  });
  return {
    ...scenario,
    lacks: Object.fromEntries(lacks),
    // An existing user that the token cannot see is sent, and refused for its fields.
    declared: declared.map((identity) =>
      identity.type === 'user' ? { ...identity, invalid: false } : identity,
    ),
  };
}

function namesOf(type: Identity['type'], count: number, first: number): Identity[] {
  const letter = type.charAt(0);
  return Array.from({ length: count }, (_, index) => ({ type, name: `${letter}${first + index}` }));
}
