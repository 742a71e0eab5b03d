import type { Address } from '../base/diagnostic.ts';
import { fieldOf } from '../kinds/fields.ts';
import { formerly, formerName } from '../kinds/lifecycle.ts';
import { addressWithName, withFields, type Resource } from '../kinds/resource.ts';
import type { InconclusiveRead } from '../service/readable-kinds.ts';
import type { Observation, ObservedState } from './observation.ts';

export function withFormerName(resource: Resource): Resource | undefined {
  const { kind, fields } = resource;
  const name = formerName(resource);
  const formerField = fields[formerly];
  if (name === undefined || formerField === undefined) return undefined;
  return {
    ...withFields(resource, (field, key) => (key === kind.identity ? fieldOf(name, formerField) : field)),
    name,
    address: addressWithName(resource, name),
  };
}

/** Combines the observations under the current and the former name; a record with neither name may be hidden from the token. */
export function resolveRenames(
  resources: readonly Resource[],
  observed: ReadonlyMap<Address, Observation>,
  canSeeAll: boolean,
): ObservedState {
  const found = new Map(observed);
  for (const resource of resources) {
    const former = withFormerName(resource);
    if (former === undefined) continue;
    const now = observed.get(resource.address);
    const before = observed.get(former.address);
    found.delete(former.address);
    if (now && before) found.set(resource.address, combineObservations(now, before, canSeeAll));
  }
  return found;
}

function combineObservations(now: Observation, before: Observation, seesAll: boolean): Observation {
  const unread = failedReadOf(now) ?? failedReadOf(before);
  if (now.presence === 'unknown' || before.presence === 'unknown')
    return { presence: 'unknown', torn: 'unread', ...(unread && { unread }) };
  if (now.presence === 'present' && before.presence === 'present') {
    // The record was renamed between the two reads. Before a change, another read shows the current name.
    if (now.held.pk === before.held.pk) return before;
    return { presence: 'unknown', torn: 'both', ids: [now.held.pk, before.held.pk] };
  }
  if (now.presence === 'present') return now;
  if (before.presence === 'present') return before;
  return seesAll ? now : { presence: 'unknown', torn: 'unseen' };
}

function failedReadOf(observation: Observation): InconclusiveRead | undefined {
  return observation.presence === 'unknown' ? observation.unread : undefined;
}
