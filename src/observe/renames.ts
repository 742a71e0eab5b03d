import type { Address } from '../base/diagnostic.ts';
import { fieldOf } from '../kinds/fields.ts';
import { formerly, formerName } from '../kinds/lifecycle.ts';
import { addressOf, withFields, type Resource } from '../kinds/resource.ts';
import type { Observation, ObservedState } from './observation.ts';

/** The resource under the name that it had before; nothing where it had none. */
export function underFormerName(resource: Resource): Resource | undefined {
  const { kind, fields } = resource;
  const name = formerName(resource);
  const at = fields[formerly];
  if (name === undefined || at === undefined) return undefined;
  return {
    ...withFields(resource, (field, key) => (key === kind.identity ? fieldOf(name, at) : field)),
    name,
    address: addressOf(kind.type, name),
  };
}

/**
 * What the service holds of resources, wherever it was found: under its name, or under the one before. To create what was found under
 * neither takes a look that sees all there is: it may be there, and hidden.
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
  if (now.presence === 'unknown' || before.presence === 'unknown')
    return { presence: 'unknown', torn: 'unread' };
  if (now.presence === 'present' && before.presence === 'present')
    return { presence: 'unknown', torn: 'both', ids: [now.held.pk, before.held.pk] };
  if (now.presence === 'present') return now;
  if (before.presence === 'present') return before;
  return seesAll ? now : { presence: 'unknown', torn: 'unseen' };
}
