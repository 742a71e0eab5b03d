import type { Problem } from '../base/diagnostic.ts';
import type { User } from '../generated/manifest.ts';
import { emailRefusal } from './email.ts';
import type { FieldsOf, Kind } from './kind.ts';
import { lastLoginRefusal, noSuchDay, noTimeZone } from './last-login.ts';
import { likelyRefused } from './likely-refused.ts';
import { sameInstant, sameUuids } from './same.ts';

const fields = {
  username: {},
  name: {
    ifMissing: likelyRefused(
      'the service is known to demand a `name`',
      'It may be an empty string: name: ""',
    ),
  },
  is_active: {},
  last_login: { same: sameInstant, checks: [noSuchDay, lastLoginRefusal, noTimeZone] },
  groups: { same: sameUuids },
  email: { checks: [emailRefusal] },
  attributes: {},
  path: { checks: [pathRefusal] },
  type: { checks: [typeRefusal] },
} satisfies FieldsOf<User>;

/** A user. The contract has no way to read one. */
export const user: Kind<'user'> = {
  type: 'user',
  list: 'users',
  identity: 'username',
  path: '/api/v3/core/users/',
  fields,
  words: {
    one: 'a user',
    nameRefused:
      'As far as rollcall can tell, the name is taken as well: a user of this name exists already. Once the other fields are right, the outcome is `exists`.',
    perhapsInPart:
      'Check it in the service, its groups above all: rollcall does not look users up, and another run only finds that the name is taken.',
  },
};

function pathRefusal(path: string): Problem | undefined {
  if (!/^\/|\/$|\/\//.test(path)) return undefined;
  return likelyRefused(
    'the service is known to refuse a path like this',
    'No slash at either end, and no two in a row.',
  );
}

function typeRefusal(type: string): Problem | undefined {
  if (type !== 'internal_service_account') return undefined;
  return likelyRefused(
    'the service is known to refuse to create this type',
    'It creates such accounts itself.',
  );
}
