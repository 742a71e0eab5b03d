import type { Problem } from '../base/diagnostic.ts';
import { textOf, type JsonObject } from '../base/json.ts';
import { isMasked } from '../base/sensitive.ts';
import { likelyRefusedProblem, refusedProblem } from './release.ts';
import { emailRefusal } from './email.ts';
import { hasNoTimeZone, timeChecks } from './time.ts';
import { type FieldRows, kindFrom, type RowKind } from './row.ts';

const ofServiceItself = 'internal_service_account';

const fields = {
  username: { changeWarning: () => 'the login name of the account changes' },
  name: {
    ifMissing: () =>
      likelyRefusedProblem('the service is known to require a `name`', 'It may be an empty string: name: ""'),
  },
  is_active: {
    changeWarning: (active) => {
      if (typeof active !== 'boolean') return 'the account gains or loses the ability to log in';
      return active ? 'the account can log in again' : 'the account can no longer log in';
    },
    default: true,
  },
  last_login: {
    default: null,
    isHistorical: true,
    checks: [lastLoginRefusal, ...timeChecks],
  },
  groups: {
    fact: { field: 'is_superuser', grants: "a superuser's rights" },
    default: [],
  },
  roles: { addedRights: 'the rights of the role', default: [] },
  email: { default: '', checks: [emailRefusal] },
  attributes: { default: {} },
  path: { default: 'users', checks: [pathRefusal] },
  type: {
    default: 'internal',
    changeWarning: (type, before) =>
      isMasked(type) || isMasked(before)
        ? 'the type of the account changes'
        : `the type of the account changes from ${textOf(before)} to ${textOf(type)}`,
    checks: [typeRefusal],
  },
} satisfies FieldRows;

const password = 'rollcall sets no passwords: `rollcall help users` explains how people get one.';
const rights =
  'rollcall sets no permissions. In the service, grant them to a role, give the role to a group, and add the user to the group.';
const superuser = 'Members of a superuser group are superusers. Add such a group to `groups`.';

const notDeclarable = {
  password,
  password_hash: password,
  permissions: rights,
  is_superuser: superuser,
};

export const user: RowKind = kindFrom({
  list: 'users',
  documented: ['create'],
  unique: true,
  login: { kind: 'superuser', isActive: 'is_active', groups: 'groups', flag: 'is_superuser' },
  rights: { to: 'a user', takenBy: { groups: 'removal', roles: 'removal' } },
  listing: { paramsIfUndeclared: { groups: ['include_groups', 'false'], roles: ['include_roles', 'false'] } },
  update: {
    refusal: (observed, declared) => {
      if (observed['type'] === ofServiceItself)
        return 'the service rejects changes to its own accounts, and this is one of them';
      if (declared['type'] !== ofServiceItself) return undefined;
      return 'it would become an account of the service itself, and the service rejects changes to its own accounts';
    },
    protectedOnSelf: ['is_active', 'type'],
  },
  deletion: {
    isUser: true,
    refusal: (observed) => (isInternal(observed) ? 'it is an account of the service itself' : undefined),
  },
  isPersonal: true,
  isInternal,
  fields,
  notDeclarable,
  words: {
    nameTakenHint:
      'A user with this name probably exists already. After the other fields are corrected, the outcome is `exists`.',
    incompleteRecordAdvice:
      'Check the user in the service, especially the groups. If rollcall cannot look up users, another run can report only that the name is taken.',
  },
});

function pathRefusal(folder: string): Problem | undefined {
  if (!/^\/|\/$|\/\//.test(folder)) return undefined;
  return refusedProblem(
    'a path like this',
    'Remove slashes at the beginning and the end, and double slashes.',
  );
}

function typeRefusal(type: string): Problem | undefined {
  if (type !== ofServiceItself) return undefined;
  return likelyRefusedProblem(
    'the service is known to refuse to create this type',
    'The service creates such accounts itself.',
  );
}

function isInternal({ type, path: folder }: JsonObject): boolean {
  return (
    type === 'internal_service_account' ||
    (typeof folder === 'string' && `${folder}/`.startsWith('goauthentik.io/outposts/'))
  );
}

function lastLoginRefusal(time: string): Problem | undefined {
  if (time.endsWith('z'))
    return likelyRefusedProblem('the service is known to refuse a lower-case z', 'Write Z.');
  if (/^.{16}:60/s.test(time))
    return likelyRefusedProblem('the service is known to refuse leap seconds', 'Write 59 in place of 60.');
  const year = new Date(hasNoTimeZone(time) ? `${time}Z` : time).getUTCFullYear();
  if (year < 1 || year > 9999)
    return likelyRefusedProblem(
      'the service is known to refuse this year',
      'In UTC, the year must be from 0001 to 9999.',
    );
  return undefined;
}
