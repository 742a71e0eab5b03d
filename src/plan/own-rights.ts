import type { Address } from '../base/diagnostic.ts';
import { textOf, type JsonValue } from '../base/json.ts';
import { mergedValue, removedIds } from '../kinds/fields.ts';
import { inRange, type Release } from '../kinds/release.ts';
import { plainUuid } from '../kinds/values.ts';
import type { TokenUser } from '../service/read-self.ts';
import { earlierResources, resourcesWithBindings } from './earlier-resources.ts';
import type { ReadyChange } from './plan.ts';

type RightsChange = Extract<ReadyChange, { readonly action: 'update' | 'delete' }>;

export function takesRights(change: ReadyChange): change is RightsChange {
  const { rights, deletion } = change.resource.kind;
  if (rights === undefined) return false;
  // rollcall never deletes the token's own user.
  if (change.action === 'delete') return deletion?.isUser !== true;
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

/** The permissions that the service may remove with an update, although the update does not concern them. */
export function lostPermissions(
  { action, resource: { kind } }: ReadyChange,
  release: Release | undefined,
): string | undefined {
  return action === 'update' && inRange({ before: '2025.12' }, release) !== false
    ? kind.rights?.lostInUpdates
    : undefined;
}

/** The token's user, with its groups and roles, as far as they are known. */
type KnownUser = Partial<TokenUser>;

/**
 * Moves changes to the end if they may take rights from the run's own token, together with the changes that depend on them, and
 * marks both. Of the former, those on which no change depends come last, and among these, changes of tokens.
 */
export function withOwnRightsLast(
  changes: readonly ReadyChange[],
  self: KnownUser,
  release: Release | undefined,
): readonly ReadyChange[] {
  const marked = changes.map((planned): ReadyChange => {
    const lost = lostPermissions(planned, release);
    const remark = `releases before 2025.12 may remove ${lost} with any change`;
    const change =
      lost === undefined ? planned : { ...planned, remarks: [remark, ...(planned.remarks ?? [])] };
    // A superuser needs no permissions.
    const losesPermissions = change.action === 'update' && lost !== undefined && !self.isSuperuser;
    if (!(losesPermissions || takesRights(change)) || !isOwn(change, self)) return change;
    return { ...change, remarks: [takesOwnRights, ...(change.remarks ?? [])], takesOwnRights: true };
  });
  const { behind, awaited } = behindOwnRights(marked);
  const placeOf = ({ resource: { address, kind }, takesOwnRights: isOwnChange }: ReadyChange): number => {
    if (behind.has(address) || (isOwnChange && awaited.has(address))) return 1;
    if (!isOwnChange) return 0;
    return kind.rights?.to === 'a token' ? 3 : 2;
  };
  return marked
    .map((change) =>
      behind.has(change.resource.address) && !change.takesOwnRights
        ? { ...change, remarks: [comesAfterOwn, ...(change.remarks ?? [])] }
        : change,
    )
    .toSorted((a, b) => placeOf(a) - placeOf(b));
}

const takesOwnRights = "may take rights from this run's own token, so this change is made last";
const comesAfterOwn =
  "depends on a change that may take rights from this run's own token; if it is refused, use another token";

/** The changes that depend on changes that may take rights from the token, directly or through others, and what they depend on. */
export function behindOwnRights(changes: readonly ReadyChange[]): {
  readonly behind: ReadonlySet<Address>;
  readonly awaited: ReadonlySet<Address>;
} {
  const own = new Set(changes.flatMap((each) => (each.takesOwnRights ? each.resource.address : [])));
  const [behind, awaited] = [new Set<Address>(), new Set<Address>()];
  if (own.size === 0) return { behind, awaited };
  const parents = new Set(resourcesWithBindings(changes));
  const dependencies = changes.map((change) => {
    const { resource, waitsFor = [] } = change;
    return [resource.address, [...waitsFor, ...earlierResources(change, parents)]] as const;
  });
  // A change may come before one that it depends on, if it gets a reference later.
  for (let size = -1; size < behind.size;) {
    size = behind.size;
    for (const [address, earlier] of dependencies)
      if (earlier.some((one) => own.has(one) || behind.has(one))) {
        behind.add(address);
        for (const one of earlier) awaited.add(one);
      }
  }
  return { behind, awaited };
}

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
