import { mergedValue, removedIds } from '../kinds/fields.ts';
import { inRange, type Release } from '../kinds/release.ts';
import type { ReadyChange } from './plan.ts';

export type RightsChange = Extract<ReadyChange, { readonly action: 'update' | 'delete' }>;

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
