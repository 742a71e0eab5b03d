import { isJsonList, isJsonObject, type JsonObject } from '../base/json.ts';
import { kinds } from '../kinds/all.ts';
import { convertToNewestRelease } from '../kinds/forms.ts';
import { idsOf } from '../kinds/named.ts';
import { recordKey } from '../kinds/values.ts';
import type { ReadContext } from '../service/client.ts';
import { readWholeList } from '../service/read-whole.ts';

/** A group with its direct members, without the members of its subgroups. */
export interface ObservedGroup {
  readonly key: string;
  /** Whether the group makes its members and the members of its subgroups superusers. */
  readonly grants: boolean;
  readonly parents: readonly string[];
  readonly members: readonly { readonly key: string; readonly isActive: boolean }[];
}

/** Reads all groups, or only the groups that make superusers; returns undefined if the groups cannot be read. */
export async function readGroups(
  which: 'all' | 'superusers',
  context: ReadContext,
): Promise<readonly ObservedGroup[] | undefined> {
  const kind = kinds.find(({ login }) => login?.kind === 'superuser group');
  if (kind?.login?.kind !== 'superuser group') return undefined;
  const { family } = kind;
  const { grants, parents } = kind.login;
  const query = {
    ...(which === 'superusers' && { [grants]: 'true' }),
    include_users: 'true',
    ordering: family.identity,
  };
  const read = await readWholeList({ ...family, query }, context);
  if (read.kind !== 'whole') return undefined;
  return read.records.map(({ received }): ObservedGroup => {
    const group = convertToNewestRelease(kind, received);
    return {
      key: recordKey(group['pk'] ?? null),
      grants: group[grants] === true,
      parents: idsOf(group[parents]).map(recordKey),
      members: membersIn(group),
    };
  });
}

function membersIn({ users_obj: users = null }: JsonObject): ObservedGroup['members'] {
  return (isJsonList(users) ? users : []).flatMap((user) =>
    isJsonObject(user) ? [{ key: recordKey(user['pk'] ?? null), isActive: user['is_active'] !== false }] : [],
  );
}
