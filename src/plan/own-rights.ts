import { textOf, type JsonValue } from '../base/json.ts';
import { mergedValue, removedIds } from '../kinds/fields.ts';
import { plainUuid } from '../kinds/values.ts';
import type { TokenUser } from '../service/read-self.ts';
import type { ReadyChange } from './plan.ts';

/** The token's user, with its groups and roles, as far as they are known. */
type KnownUser = Partial<TokenUser>;

type RightsChange = Extract<ReadyChange, { readonly action: 'update' | 'delete' }>;

export function takesRights(change: ReadyChange): change is RightsChange {
  const { rights, deletion } = change.resource.kind;
  if (rights === undefined) return false;
  // rollcall never deletes the token's own user.
  if (change.action === 'delete') return deletion?.isOwned !== true;
  if (change.action !== 'update') return false;
  const { resource, base, differences } = change;
  return differences.some(({ field }) => {
    const observed = base.fields[field];
    switch (rights.takenBy?.[field]) {
      case undefined:
        return false;
      case 'change':
        return true;
      case 'false':
        return mergedValue(resource, field, observed) === false;
      case 'removal':
        return removedIds(resource, field, observed).length > 0;
    }
  });
}

/** Moves changes to the end if they may take rights from the run's own token, and marks them. Changes of tokens come last. */
export function withOwnRightsLast(changes: readonly ReadyChange[], self: KnownUser): readonly ReadyChange[] {
  const others: ReadyChange[] = [];
  const [last, ofTokens]: [ReadyChange[], ReadyChange[]] = [[], []];
  for (const change of changes) {
    if (!takesRights(change) || !isOwn(change, self)) {
      others.push(change);
      continue;
    }
    const remarks = [takesOwnRights, ...(change.remarks ?? [])];
    const place = change.resource.kind.rights?.to === 'a token' ? ofTokens : last;
    place.push({ ...change, remarks, takesOwnRights: true });
  }
  const moved = new Set([...last, ...ofTokens].map(({ resource }) => resource.address));
  const isBehind = ({ waitsFor = [] }: ReadyChange): boolean =>
    waitsFor.some((address) => moved.has(address));
  return [
    ...others.filter((change) => !isBehind(change)),
    ...last,
    ...ofTokens,
    ...others.filter((change) => isBehind(change)),
  ];
}

const takesOwnRights = "may take rights from this run's own token, so this change is made last";

/** Whether a record gives, or may give, rights to the token of the run. */
function isOwn({ resource, base }: RightsChange, self: KnownUser): boolean {
  const { rights } = resource.kind;
  switch (rights?.to) {
    case undefined:
      return false;
    case 'a user':
      return self.pk === undefined || self.pk === base.pk;
    case 'a token':
      return self.pk === undefined || self.pk === textOf(base.fields[rights.owner ?? ''] ?? null);
    case 'its members':
      return isAmong(self.groups, base.pk) ?? true;
    case 'its holders':
      // Releases before 2025.12 do not show the roles of a user. A superuser needs no roles.
      return isAmong(self.roles, base.pk) ?? self.isSuperuser !== true;
  }
}

function isAmong(ids: readonly JsonValue[] | undefined, pk: string): boolean | undefined {
  return ids?.some((id) => plainUuid(id) === plainUuid(pk));
}
