import { accesses, kinds, listsOf, modelOf, type ResourceType } from '../../kinds/all.ts';
import { capabilities, capabilityWords, type Capability } from '../../kinds/capability.ts';
import type { Access } from '../../kinds/bound.ts';
import type { Kind } from '../../kinds/kind.ts';
import { referring } from '../../kinds/named.ts';
import type { ReadRight } from '../../service/read-rights.ts';
import { probedKind } from '../../service/probe.ts';
import type { TokenFinding } from '../../service/who-am-i.ts';
import { answerWords } from './answers.ts';
import { isIn, type Release } from '../../kinds/release.ts';

type Right = `${'view' | 'create' | 'capability'}-${string}`;

/** Something that must be right so that rollcall can work with a service. */
export interface DoctorCheck {
  readonly name:
    | 'connection'
    | 'base-url'
    | 'token'
    | 'release'
    | 'licence'
    | 'capabilities'
    | 'clock'
    | Right;
  readonly status: 'pass' | 'warn' | 'fail' | 'unknown';
  readonly summary: string;
  /** What to do about it. Empty when there is nothing to do. */
  readonly advice: string;
}

/** Makes a check; without advice, there is nothing to do. */
export function check(
  name: DoctorCheck['name'],
  status: DoctorCheck['status'],
  summary: string,
  advice = '',
): DoctorCheck {
  return { name, status, summary, advice };
}

/** The checks that another failed check makes impossible. */
export function notYet(...names: DoctorCheck['name'][]): DoctorCheck[] {
  return names.map((name) => check(name, 'unknown', 'cannot be told yet'));
}

/** Whether rollcall can work with the service. */
export function isHealthy(checks: readonly DoctorCheck[]): boolean {
  return checks.every(({ status }) => status !== 'fail');
}

/** What is known of the release of a service, of the token and of what it may do; undefined where it was not asked. */
export interface RightsFacts {
  /** The release as the service says it; null where it was asked and did not say. */
  readonly release: Release | null | undefined;
  /** The release as rollcall.yaml says it. */
  readonly configured: Release | undefined;
  /** How the service refused to look an application up, if it did. */
  readonly denial: string | undefined;
  /** What the service says of the token. */
  readonly finding: TokenFinding | undefined;
  /** The types that the manifests of the project declare, where that is known. */
  readonly declared: ReadonlySet<ResourceType> | undefined;
  /** The capabilities that are turned on. */
  readonly turnedOn: readonly Capability[];
  /** Whether the token may read what no documented operation reads, by list. */
  readonly readRights: ReadonlyMap<string, ReadRight> | undefined;
}

/** The checks of the token and of what it may do. */
export function rightsChecks(facts: RightsFacts): DoctorCheck[] {
  return [
    tokenCheck(facts),
    ...viewCheck(facts),
    ...beyondChecks(facts),
    ...kinds.flatMap((kind) => createCheck(kind, facts)),
    ...accesses().flatMap((access) => bindCheck(access, facts)),
    ...licenceCheck(facts),
    ...capabilityChecks(facts),
  ];
}

/** Whether something is wrong with the token or with what it may do. */
export function isDenied(checks: readonly DoctorCheck[]): boolean {
  const rights = new Set<DoctorCheck['name']>(rightsNames);
  const isRight = (name: DoctorCheck['name']): boolean => rights.has(name) || name.startsWith('capability-');
  return checks.some(({ name, status }) => status === 'fail' && isRight(name));
}

/** Only where it stops something: most services have none, and need none. */
function licenceCheck({ finding }: RightsFacts): DoctorCheck[] {
  const { closed } = finding?.kind === 'valid' ? finding : {};
  if (closed === undefined) return [];
  const stopped = kinds.filter((kind) => closed.includes(modelOf(kind).type));
  const others = kinds.filter((kind) => !stopped.includes(kind));
  const { summary, advice } = answerWords({ kind: 'read_only' });
  const not = others.length === 0 ? '' : `, not ${listsOf(others)}`;
  return [check('licence', 'fail', `${summary}. That stops ${listsOf(stopped)}${not}`, advice)];
}

const isUnsaid = 'cannot be told: the service does not say';

/** Whether the token may view what no documented operation reads: rollcall goes on without, and plans show less. */
function beyondChecks({ readRights = new Map(), release, declared }: RightsFacts): DoctorCheck[] {
  return Array.from(readRights, ([list, right]) => {
    const name = `view-${inOneWord(list)}` as const;
    const refused = `the token may not view ${list}`;
    switch (right) {
      case 'may':
        return check(name, 'pass', `the token may view ${list}, or some of them: nothing tells which`);
      case 'may not':
        if (declared && !isNeeded(list, declared))
          return check(name, 'pass', `${refused}; the manifests need none`);
        return check(name, 'warn', refused, `${withoutThem(list)} ${give(`view ${list}`, release)}`);
      case 'unknown':
        return check(name, 'unknown', `whether the token may view ${list} ${isUnsaid}`);
    }
  });
}

/** Whether the token may say who opens what: only where that is known, as a roll can do without. */
function bindCheck({ list, field }: Access, { finding, release }: RightsFacts): DoctorCheck[] {
  const may = finding?.kind === 'valid' ? finding.mayBind : undefined;
  if (may === undefined) return [];
  const name = `create-${list}` as const;
  if (may) return [check(name, 'pass', `the token may create ${list}`)];
  const advice = `Manifests with \`${field}\` cannot be applied with it. ${give(`add ${list}`, release)}`;
  return [check(name, 'warn', `the token may not create ${list}`, advice)];
}

/** Whether manifests that declare these types declare what is in a list, or can name it. */
function isNeeded(list: string, declared: ReadonlySet<ResourceType>): boolean {
  return kinds.some(
    (kind) =>
      declared.has(kind.type) &&
      [kind, ...referring(kind).map(([, related]) => related), ...(kind.access ? [kind.access] : [])].some(
        (one) => modelOf(one).list === list,
      ),
  );
}

function inOneWord(list: string): string {
  return list.toLowerCase().replaceAll(' ', '-');
}

function withoutThem(list: string): string {
  const beside = accesses().find((access) => access.list === list);
  if (beside) return `Manifests cannot declare \`${beside.field}\`.`;
  return kinds.some((kind) => modelOf(kind).list === list)
    ? `Plans do not show which ${list} are there.`
    : `Manifests cannot name ${list}, and write their ids.`;
}

/** What there is to say of each capability that is turned on, and which others the token could use. */
function capabilityChecks({ turnedOn, finding, release }: RightsFacts): DoctorCheck[] {
  const isSuperuser = finding?.kind === 'valid' && finding.superuser;
  const checks = turnedOn.flatMap((capability) => {
    const name = `capability-${capability}` as const;
    if (isUnheard(finding)) return notYet(name);
    if (isSuperuser) return check(name, 'pass', 'is on, and the token may use it: it is that of a superuser');
    const words = 'is on; whether the token may change something shows when it is changed';
    return check(name, 'unknown', words, give(`change ${listsOf(kinds)}`, release));
  });
  const others = isSuperuser ? capabilities.filter((capability) => !turnedOn.includes(capability)) : [];
  if (others.length === 0) return checks;
  const words = others.map((capability) => `${capability} (${capabilityWords[capability]})`).join('; ');
  return [...checks, check('capabilities', 'pass', `off, and the token could use: ${words}`)];
}

const viewName = `view-${probedKind.list}` as const;

/** The checks of the token and of its rights, aside from those of capabilities. */
export const rightsNames: readonly DoctorCheck['name'][] = [
  'token',
  viewName,
  ...kinds.map((kind) => createName(kind)),
];

function createName(kind: Kind): DoctorCheck['name'] {
  return `create-${inOneWord(modelOf(kind).list)}`;
}

/** Whether the token did not get as far as that its rights can be told. */
function isUnheard(finding: TokenFinding | undefined): boolean {
  return finding?.kind === 'wrong' || finding?.kind === 'missing';
}

function tokenCheck({ denial, finding }: RightsFacts): DoctorCheck {
  if (denial === undefined || finding?.kind === 'valid')
    return check('token', 'pass', 'the service takes it');
  switch (finding?.kind) {
    case 'wrong':
      return check(
        'token',
        'fail',
        denial,
        'Whatever else was asked with this token was refused as well. Most likely the service does not know the token, or it has expired: make a new one there, and see that all of it was copied. If that does not help, something in front of the service may refuse every request from here.',
      );
    case 'missing':
      return check(
        'token',
        'fail',
        'the service saw no token, though one was sent',
        'Something on the way takes the Authorization header away: let the proxy or gateway in front of the service pass it on.',
      );
    default: {
      const why = finding === undefined ? 'this was not asked' : 'the service does not say which';
      return check(
        'token',
        'fail',
        denial,
        `The token is wrong or has expired, or it may not view ${probedKind.list}: ${why}. Make a new one, or give its user the permission.`,
      );
    }
  }
}

function viewCheck({ denial, finding, declared, release }: RightsFacts): DoctorCheck[] {
  const { list, type } = probedKind;
  if (denial === undefined) {
    const all = finding?.kind === 'valid' && finding.superuser;
    const which = all
      ? `all ${list}: it is that of a superuser`
      : `${list}, or some of them: nothing tells which`;
    return [check(viewName, 'pass', `the token may view ${which}`)];
  }
  if (finding?.kind !== 'valid') return notYet(viewName);
  const summary = `the token may not view ${list}`;
  if (declared?.has(type) === false)
    return [check(viewName, 'pass', `${summary}; the manifests declare none`)];
  // Where it is not known what will be declared, it may be only kinds that the token may create.
  const mayCreateOthers = kinds.some(
    (kind) => kind.type !== type && finding.mayCreate[modelOf(kind).type] === true,
  );
  const advice = `${give(`view ${list}`, release)} Only a roll without ${list} can do without it.`;
  return [check(viewName, declared === undefined && mayCreateOthers ? 'warn' : 'fail', summary, advice)];
}

function createCheck(kind: Kind<ResourceType>, facts: RightsFacts): DoctorCheck[] {
  const { denial, finding, declared, release } = facts;
  const { type: model, list } = modelOf(kind);
  const name = createName(kind);
  if (isUnheard(finding)) return notYet(name);
  const may = finding?.kind === 'valid' ? finding.mayCreate[model] : undefined;
  if (may === undefined) {
    const why = finding === undefined ? 'was not asked' : isUnsaid;
    return [check(name, 'unknown', `whether the token may create ${list} ${why}`)];
  }
  if (may) return [check(name, 'pass', `the token may create ${list}`)];
  const summary = `the token may not create ${list}`;
  if (declared?.has(kind.type) === false)
    return [check(name, 'pass', `${summary}; the manifests declare none`)];
  // A plan only looks things up. It needs no right to create.
  const canPlan = denial === undefined && declared?.has(probedKind.type) !== false;
  const advice = `To apply: ${give(`add ${list}`, release)} A plan does not need it.`;
  return [check(name, canPlan || declared === undefined ? 'warn' : 'fail', summary, advice)];
}

/** From this release on, only roles have permissions. */
const rolesOnly = '2025.12';

/** What to do so that a token has a right. */
function give(right: string, release: Release | null | undefined): string {
  switch (isIn({ from: rolesOnly }, release ?? undefined)) {
    case true:
      return `Give a role of its user the permission to ${right}.`;
    case false:
      return `Give its user, or a role of one of its groups, the permission to ${right}.`;
    case 'perhaps':
      return `Give a role of its user the permission to ${right}; before release ${rolesOnly}, the user itself can have it as well.`;
  }
}
