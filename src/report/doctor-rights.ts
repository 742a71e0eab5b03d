import { kinds, type ResourceType } from '../kinds/all.ts';
import type { Kind } from '../kinds/kind.ts';
import { probedKind } from '../service/probe.ts';
import type { TokenFinding } from '../service/who-am-i.ts';
import { check, type DoctorCheck } from './doctor-check.ts';

export interface RightsFacts {
  /** How the service refused to look an application up, if it did. */
  readonly denial?: string;
  /** What the service says of the token; left out where it was not asked. */
  readonly finding?: TokenFinding;
  /** The types that the manifests of the project declare, where that is known. */
  readonly declared?: ReadonlySet<ResourceType>;
}

const viewName = `view-${probedKind.list}` as const;

export const rightsNames: readonly DoctorCheck['name'][] = [
  'token',
  viewName,
  ...kinds.map((kind) => createName(kind)),
];

function createName({ list }: Kind): DoctorCheck['name'] {
  return `create-${list}`;
}

/** What is known of the token and of its rights, once the service itself has answered. */
export function rightsChecks(facts: RightsFacts): DoctorCheck[] {
  return [tokenCheck(facts), viewCheck(facts), ...kinds.map((kind) => createCheck(kind, facts))];
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
        'So was all else that was asked with this token. Most likely the service does not know it, or it has expired: make a new one there, and see that all of it was copied. If that does not help, something in front of the service may refuse every request from here.',
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

function viewCheck({ denial, finding, declared }: RightsFacts): DoctorCheck {
  const name = viewName;
  if (denial === undefined) {
    const all = finding?.kind === 'valid' && finding.superuser;
    const what = all
      ? `all ${probedKind.list}: it is that of a superuser`
      : `${probedKind.list}, or some of them: nothing tells which`;
    return check(name, 'pass', `the token may view ${what}`);
  }
  if (finding?.kind !== 'valid') return check(name, 'unknown', 'cannot be told yet');
  const summary = `the token may not view ${probedKind.list}`;
  if (declared?.has(probedKind.type) === false)
    return check(name, 'pass', `${summary}; the manifests declare none`);
  // Where it is not known what will be declared, it may be other kinds only.
  const mayCreateOthers = kinds.some(
    ({ type }) => type !== probedKind.type && finding.mayCreate[type] === true,
  );
  const isOfUse = declared === undefined && mayCreateOthers;
  return check(
    name,
    isOfUse ? 'warn' : 'fail',
    summary,
    `Give its user the permission to view ${probedKind.list}. Only a roll without ${probedKind.list} can do without it.`,
  );
}

function createCheck(kind: Kind<ResourceType>, { denial, finding, declared }: RightsFacts): DoctorCheck {
  const { type, list } = kind;
  const name = createName(kind);
  if (finding?.kind === 'wrong' || finding?.kind === 'missing')
    return check(name, 'unknown', 'cannot be told yet');
  const may = finding?.kind === 'valid' ? finding.mayCreate[type] : undefined;
  if (may === undefined) {
    const why = finding === undefined ? 'was not asked' : 'cannot be told: the service does not say';
    return check(name, 'unknown', `whether the token may create ${list} ${why}`);
  }
  if (may) return check(name, 'pass', `the token may create ${list}`);
  const summary = `the token may not create ${list}`;
  if (declared?.has(type) === false) return check(name, 'pass', `${summary}; the manifests declare none`);
  // Whoever may look up what the probe looks up can plan, which needs no right to create anything.
  const canPlan = denial === undefined && declared?.has(probedKind.type) !== false;
  return check(
    name,
    canPlan || declared === undefined ? 'warn' : 'fail',
    summary,
    `To apply, give its user the permission to add ${list}. A plan does not need it.`,
  );
}
