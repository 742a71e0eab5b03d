import type { Address } from '../base/diagnostic.ts';
import { fieldOf } from '../kinds/fields.ts';
import { formerly, formerName } from '../kinds/lifecycle.ts';
import { addressNow, withFields, type Resource } from '../kinds/resource.ts';
import type { InconclusiveRead } from '../service/readable-kinds.ts';
import type { Observation, ObservedState } from './observation.ts';

/** The resource under its former name; undefined if it has none. */
export function underFormerName(resource: Resource): Resource | undefined {
  const { kind, fields } = resource;
  const name = formerName(resource);
  const at = fields[formerly];
  if (name === undefined || at === undefined) return undefined;
  return {
    ...withFields(resource, (field, key) => (key === kind.identity ? fieldOf(name, at) : field)),
    name,
    address: addressNow(resource, name),
  };
}

/**
 * The observation of each resource, found under its present or its former name. If neither is found, it may be created only if
 * the token can see all records: it may exist and be hidden.
 */
export function resolveRenames(
  resources: readonly Resource[],
  observed: ReadonlyMap<Address, Observation>,
  seesAll: boolean,
): ObservedState {
  const found = new Map(observed);
  for (const resource of resources) {
    const former = underFormerName(resource);
    if (former === undefined) continue;
    const now = observed.get(resource.address);
    const before = observed.get(former.address);
    found.delete(former.address);
    if (now && before) found.set(resource.address, together(now, before, seesAll));
  }
  return found;
}

function together(now: Observation, before: Observation, seesAll: boolean): Observation {
  const unread = unreadOf(now) ?? unreadOf(before);
  if (now.presence === 'unknown' || before.presence === 'unknown')
    return { presence: 'unknown', torn: 'unread', ...(unread && { unread }) };
  if (now.presence === 'present' && before.presence === 'present') {
    // It was renamed between the two reads. If the former name is gone, the read before a change shows that.
    if (now.held.pk === before.held.pk) return before;
    return { presence: 'unknown', torn: 'both', ids: [now.held.pk, before.held.pk] };
  }
  if (now.presence === 'present') return now;
  if (before.presence === 'present') return before;
  return seesAll ? now : { presence: 'unknown', torn: 'unseen' };
}

function unreadOf(observation: Observation): InconclusiveRead | undefined {
  return observation.presence === 'unknown' ? observation.unread : undefined;
}
