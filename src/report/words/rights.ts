import type { ResourceType } from '../../kinds/all.ts';
import type { Capability } from '../../kinds/capability.ts';
import type { Kind } from '../../kinds/kind.ts';
import { inRange, type Release } from '../../kinds/release.ts';
import type { KindRights } from '../../service/kind-rights.ts';
import { probedKind } from '../../service/probe.ts';
import type { TokenFinding } from '../../service/who-am-i.ts';
import { withoutEmpty } from '../printable.ts';

export interface DoctorCheck {
  /** A name such as `token`, or the list of a kind, such as `users`. */
  readonly name: string;
  readonly status: 'pass' | 'warn' | 'fail' | 'unknown';
  readonly summary: string;
  readonly advice: string;
}

export function doctorCheck(
  name: string,
  status: DoctorCheck['status'],
  summary: string,
  advice = '',
): DoctorCheck {
  return { name, status, summary, advice };
}

/** Checks whose results are unknown because another check failed. */
export function unknownChecks(...names: readonly string[]): DoctorCheck[] {
  return names.map((name) => doctorCheck(name, 'unknown', 'not known yet'));
}

export function isHealthy(checks: readonly DoctorCheck[]): boolean {
  return checks.every(({ status }) => status !== 'fail');
}

/** Facts about the release, the token and its rights. A fact is undefined if the service was not asked for it. */
export interface RightsFacts {
  /** The release of the service; null if the service did not return it. */
  readonly release: Release | null | undefined;
  readonly configured: Release | undefined;
  /** How the service denied the look-up of an application; undefined if it did not. */
  readonly denial: string | undefined;
  /** Whether the look-up got a 404 that does not show whether the service accepts the token. */
  readonly isTokenUntested: boolean;
  readonly finding: TokenFinding | undefined;
  /** The kinds to check: if known, the kinds that the manifests declare. */
  readonly kinds: readonly Kind<ResourceType>[];
  readonly areDeclared: boolean;
  readonly rights: ReadonlyMap<Kind, KindRights> | undefined;
  /** The lists that a plan of the manifests needs and the token may not view. */
  readonly denied: readonly NeededList[];
  readonly capabilities: readonly Capability[];
}

const neededWords = 'A plan of the manifests needs them.';

type NeededList = Pick<Kind, 'path' | 'model'>;

/** Why the service was not asked for its release and the token's rights; undefined if it was asked. */
export function notAskedReason(finding: TokenFinding | undefined): string | undefined {
  if (finding === undefined) return 'only documented requests were sent';
  return finding.kind === 'unknown' ? "the service does not return the token's user" : undefined;
}

export function rightsChecks(facts: RightsFacts): DoctorCheck[] {
  const others = facts.denied.filter(({ path }) => facts.kinds.every((kind) => kind.path !== path));
  return [
    tokenCheck(facts),
    ...facts.kinds.flatMap((kind) => kindCheck(kind, facts)),
    ...others.map((list) => {
      const { plural } = list.model;
      const advice = `${neededWords} ${grantAdvice(`view ${plural}`, facts.release)}`;
      return doctorCheck(kindCheckName(list), 'fail', `the token may not view ${plural}`, advice);
    }),
    ...capabilitiesCheck(facts),
  ];
}

/** The service shows only for a single record whether a token may change or delete the record. */
function capabilitiesCheck({ capabilities, finding }: RightsFacts): DoctorCheck[] {
  if (capabilities.length === 0 || finding?.kind !== 'valid' || finding.superuser) return [];
  const rights = capabilities.join(' and ');
  const advice = 'A denied change is an error of `apply`, which then names the missing permission.';
  return [
    doctorCheck('capabilities', 'unknown', `whether the token may ${rights} records is unknown`, advice),
  ];
}

const serviceChecks: ReadonlySet<string> = new Set(['connection', 'base-url', 'release', 'clock']);
const basicChecks: ReadonlySet<string> = new Set([...serviceChecks, 'token']);

export function isTokenDenied(checks: readonly DoctorCheck[]): boolean {
  return checks.some(({ name, status }) => status === 'fail' && !serviceChecks.has(name));
}

/** Whether the service accepts the token, but does not let it do everything. */
export function areOnlyRightsMissing(checks: readonly DoctorCheck[]): boolean {
  const failed = checks.filter(({ status }) => status === 'fail');
  return failed.every(({ name }) => !basicChecks.has(name));
}

export function kindCheckName({ model }: Pick<Kind, 'model'>): string {
  return model.plural.toLowerCase().replaceAll(' ', '-');
}

function tokenCheck({ denial, isTokenUntested, finding }: RightsFacts): DoctorCheck {
  if (denial !== undefined && finding?.kind !== 'valid')
    return doctorCheck('token', 'fail', ...denialWords(denial, finding));
  return isTokenUntested && finding?.kind !== 'valid'
    ? doctorCheck('token', 'unknown', 'no answer shows whether the service accepts it')
    : doctorCheck('token', 'pass', 'the service accepts it');
}

function denialWords(denial: string, finding: TokenFinding | undefined): [summary: string, advice: string] {
  switch (finding?.kind) {
    case 'wrong':
      return [
        denial,
        'Every request with this token was refused. Most likely the token is unknown or has expired: create a new token, and check that it is copied completely. If that does not help, a proxy in front of the service may refuse every request from here.',
      ];
    case 'missing':
      return [
        'a token was sent, but the service received none',
        'A proxy or gateway removes the Authorization header: configure it to pass the header on.',
      ];
    default: {
      const reason = finding === undefined ? 'this was not asked' : 'the service does not name the cause';
      return [
        denial,
        `The token is wrong, has expired, or has no permission to view ${probedKind.list}: ${reason}. Create a new token, or grant this permission to the token's user.`,
      ];
    }
  }
}

function kindCheck(kind: Kind<ResourceType>, facts: RightsFacts): DoctorCheck[] {
  const { finding, release } = facts;
  const { plural: list } = kind.model;
  const name = kindCheckName(kind);
  if (finding?.kind === 'wrong' || finding?.kind === 'missing') return unknownChecks(name);
  if (finding?.kind === 'valid' && finding.superuser)
    return [
      doctorCheck(name, 'pass', `the token may view and create all ${list}: it is a superuser's token`),
    ];
  const { view, create } = rightsTo(kind, facts);
  const known = withoutEmpty(
    view === 'may' && `may view at least some ${list}`,
    view === 'may not' && `may not view ${list}`,
    create === 'may' && `may create ${list}`,
    create === 'may not' && `may not create ${list}`,
  );
  if (known.length === 0) {
    const reason = notAskedReason(finding) ?? 'the service does not say';
    return [
      doctorCheck(name, 'unknown', `it is unknown whether the token may view or create ${list}: ${reason}`),
    ];
  }
  const advice = withoutEmpty(
    view === 'may not' && isNeeded(kind, facts)
      ? neededWords
      : view === 'may not' && !kind.lookUp.isDocumented && `Plans do not show which ${list} exist.`,
    view === 'may not' && grantAdvice(`view ${list}`, release),
    create === 'may not' &&
      `To apply: ${grantAdvice(`add ${list}`, release)} A plan does not need this permission.`,
  );
  return [doctorCheck(name, statusOf(kind, facts), `the token ${known.join('; it ')}`, advice.join(' '))];
}

/** The token's right to view and create a kind. For applications, the connection check has already tested the right to view. */
function rightsTo(
  kind: Kind<ResourceType>,
  { rights, denial, isTokenUntested, finding }: RightsFacts,
): KindRights {
  const { view, create } = rights?.get(kind) ?? { view: 'unknown', create: 'unknown' };
  if (kind.type !== probedKind.type || isTokenUntested) return { view, create };
  if (denial === undefined) return { view: 'may', create };
  return { view: finding?.kind === 'valid' ? 'may not' : 'unknown', create };
}

function isNeeded({ path }: Kind, { denied }: RightsFacts): boolean {
  return denied.some((list) => list.path === path);
}

function statusOf(kind: Kind<ResourceType>, facts: RightsFacts): DoctorCheck['status'] {
  const { view, create } = rightsTo(kind, facts);
  const { kinds, areDeclared } = facts;
  if (view === 'may not') {
    if (isNeeded(kind, facts)) return 'fail';
    if (create === 'may not' && areDeclared) return 'fail';
    // If it is unknown which kinds are declared, a missing right to create a kind is no failure.
    const canDoWithout =
      !areDeclared && kinds.some((other) => other !== kind && rightsTo(other, facts).create === 'may');
    return kind.lookUp.isDocumented && !canDoWithout ? 'fail' : 'warn';
  }
  return create === 'may not' ? 'warn' : 'pass';
}

/** From this release on, only roles have permissions. */
const firstRolesOnlyRelease = '2025.12';

function grantAdvice(right: string, release: Release | null | undefined): string {
  switch (inRange({ from: firstRolesOnlyRelease }, release ?? undefined)) {
    case true:
      return `Grant a role of the token's user the permission to ${right}.`;
    case false:
      return `Grant the token's user, or a role of one of the user's groups, the permission to ${right}.`;
    case 'perhaps':
      return `Grant a role of the token's user the permission to ${right}. Before release ${firstRolesOnlyRelease}, the permission can also be granted to the user directly.`;
  }
}
