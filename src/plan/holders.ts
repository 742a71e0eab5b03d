import type { Address, Diagnostic } from '../base/diagnostic.ts';
import type { JsonValue } from '../base/json.ts';
import { placeholderFor, sentValue } from '../kinds/fields.ts';
import { singleOwnerFields } from '../kinds/kind.ts';
import { idKey, idsOf, shownId } from '../kinds/named.ts';
import { type ReferenceFacts, factKey } from '../kinds/reference-facts.ts';
import { formerName } from '../kinds/lifecycle.ts';
import { addressOf, diagnosticOf, nameOf, type Resource } from '../kinds/resource.ts';
import type { ObservedState } from '../observe/observation.ts';
import type { ObservedRecord } from '../service/types.ts';
import type { Change } from './plan.ts';

/** A unique value that a change sets while another resource still has it. */
export interface Need {
  readonly resource: Resource;
  readonly field: string;
  readonly id: JsonValue;
  readonly holder: Address;
}

/** Finds the record, declared or not, that now has a value which only one record may have. */
export type FindHolder = (resource: Resource, field: string, id: JsonValue) => Address | undefined;

export function createHolderFinder(
  resources: readonly Resource[],
  observed: ObservedState,
  facts: ReferenceFacts,
): FindHolder {
  const seen = new Map<string, Address>();
  for (const { kind, address } of resources) {
    const observation = observed.get(address);
    if (observation?.presence !== 'present') continue;
    for (const field of singleOwnerFields(kind))
      for (const id of idsOf(observation.held.fields[field])) seen.set(factKey(kind, field, id), address);
  }

  /** Returns the holder that the service reports, unless this holder was observed: for observed records, the observed values count. */
  function reportedHolder(kind: Resource['kind'], key: string): Address | undefined {
    const name = facts.get(key);
    const address = typeof name === 'string' ? addressOf(kind.type, name) : undefined;
    return address !== undefined && observed.get(address)?.presence !== 'present' ? address : undefined;
  }

  return ({ kind, address }, field, id) => {
    const key = factKey(kind, field, id);
    const holder = seen.get(key) ?? reportedHolder(kind, key);
    return holder === address ? undefined : holder;
  };
}

/** The ids in a field that a change takes from other records, with these records. */
export function takenIds(
  { resource, field }: Pick<Need, 'resource' | 'field'>,
  held: ObservedRecord['fields'],
  holderOf: FindHolder,
): Pick<Need, 'id' | 'holder'>[] {
  const { kind } = resource;
  const has = new Set(idsOf(held[field]).map((id) => idKey(kind, field, id)));
  return idsOf(sentValue(resource, field)).flatMap((id) => {
    const holder = has.has(idKey(kind, field, id)) ? undefined : holderOf(resource, field, id);
    return holder === undefined ? [] : { id, holder };
  });
}

/** The advice for a new resource that may be the renamed holder, such as after a rename was reverted in the manifests. */
export function renameAdvice({ action, resource }: Change, holder: Address): string {
  if (action !== 'create' || formerName(resource) !== undefined) return '';
  return ` If that record is to get the name of this one, write \`formerly: ${nameOf(holder)}\`.`;
}

export function takenValueProblem({ resource, field, id, holder }: Need, advice: string): Diagnostic {
  const rule = resource.kind.fields[field]?.singleOwner;
  if (rule === undefined) throw new Error(`several records may have a value of ${field}`);
  return diagnosticOf(resource, field, {
    code: rule.takenCode ?? rule.code,
    summary: rule.summary(shownId(resource, field, id, placeholderFor(resource, field)), nameOf(holder)),
    detail: `${rule.detail} ${advice}`,
  });
}
