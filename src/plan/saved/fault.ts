import type { JsonObject, JsonValue } from '../../base/json.ts';
import { isBlank, sensitive } from '../../base/sensitive.ts';
import { kindOf } from '../../kinds/all.ts';
import { isInstruction, savedValue } from '../../kinds/fields.ts';
import { type Kind } from '../../kinds/kind.ts';
import { state } from '../../kinds/lifecycle.ts';
import { idsIn, referring } from '../../kinds/named.ts';
import { canonical } from '../canonical.ts';
import {
  countedDocument,
  shownResource,
  withDeclared,
  type ChangeDocument,
  type DifferenceDocument,
  type PlanDocument,
} from '../document.ts';
import type { ObservedFields } from '../plan.ts';
import type { SavedPlan } from './document.ts';

/**
 * Why a saved plan cannot be one that `plan` made, even if its digest is right: anyone who can replace the file can make a new
 * digest. It must satisfy the schema. Whether a manifest can declare its resources is checked when they are read from it.
 */
export function planFault(plan: SavedPlan): string | undefined {
  const { resource_changes: changes, saved } = plan;
  const bare = changes.find(({ address }) => !Object.hasOwn(saved, address));
  if (bare) return `${bare.address}: what applying it needs is missing`;
  const addresses = new Set<string>(changes.map(({ address }) => address));
  const extra = Object.keys(saved).find((address) => !addresses.has(address));
  if (extra !== undefined) return `${extra} is no change of it`;
  const other = changes.find((change) => !isBlankedOut(change, saved[change.address]?.declared));
  return other ? `${other.address}: it declares what its change does not blank out` : documentFault(plan);
}

/** Whether a change shows all of these fields blanked out, and does nothing to them. */
function isBlankedOut({ change, differences }: ChangeDocument, declared: JsonObject = {}): boolean {
  return Object.keys(declared).every(
    (field) => change.before?.[field] === sensitive && differences.every((each) => each.field !== field),
  );
}

/** The same of a plan that was printed, in what both have. */
export function documentFault(plan: PlanDocument): string | undefined {
  const { resource_changes: changes } = plan;
  const seen = new Set<string>();
  for (const change of changes) {
    const { address } = change;
    if (seen.has(address)) return `${address} is in it twice`;
    seen.add(address);
    const fault = changeFault(change, plan.contract_only) ?? namesFault(change, plan.contract_only);
    if (fault !== undefined) return `${address}: ${fault}`;
  }
  const waiting = changes.find(({ waits_for: others }) => others?.some((other) => !seen.has(other)));
  if (waiting) return `${waiting.address}: it waits for what is no change of it`;
  const { resource_drift: drift, summary } = countedDocument(changes);
  if (!same(plan.resource_drift, drift)) return 'its drift does not match its changes';
  const stated: Readonly<Record<string, unknown>> = { ...plan.summary };
  const counted = Object.entries(summary).every(([kind, count]) => same(stated[kind] ?? 0, count));
  return counted ? undefined : 'its summary does not count its changes';
}

function changeFault(change: ChangeDocument, contractOnly = false): string | undefined {
  const { address, type, model, name, differences } = change;
  if (address !== `${type}.${name}`) return `this is not the address of the ${type} ${JSON.stringify(name)}`;
  const { actions, before, after } = change.change;
  const kind = kindOf(type, model);
  if (actions[0] === 'not-planned') {
    const isKnown = change.presence !== 'unknown' || before !== null || after !== null;
    const isKept = change.diagnostics?.some(({ severity }) => severity === 'error') ?? false;
    return isKept && !isKnown && differences.length === 0 ? undefined : 'it could have been planned';
  }
  if (Object.keys({ ...before, ...after }).some((field) => isInstruction(kind, field)))
    return 'how an entry is treated is no field of it';
  if (change.state === 'absent') return departingFault(change);
  const isUnknown = change.presence === 'unknown';
  const fits = isUnknown ? !kind.lookUp.isDocumented : kind.lookUp.isDocumented || !contractOnly;
  switch (fits && `${change.presence} ${actions.join()}`) {
    case 'absent create':
    case 'unknown create':
      return before === null && after !== null && differences.length === 0
        ? undefined
        : 'what is to be created is not there yet';
    case 'present no-op':
      if (before === null || !same(before, after)) return 'what exists is left as it is';
      return differencesFault(before, differences);
    case 'present update':
      if (before === null || differences.length === 0) return 'what is to be changed does not differ';
      if (!same(after, withDeclared(before, differences))) return 'it changes what does not differ';
      return differencesFault(before, differences);
    default:
      return `${actions.join()} does not go with ${kind.words.one} whose presence is ${change.presence}`;
  }
}

/** What is to be absent is deleted, or left with that alone as what differs, or is absent already. */
function departingFault({
  presence,
  differences,
  change: { actions, before, after },
}: ChangeDocument): string | undefined {
  const isLeft = same(differences, [{ field: state, declared: 'absent', observed: 'present' }]);
  switch (`${presence} ${actions.join()}`) {
    case 'present delete':
      return before !== null && after === null && isLeft ? undefined : 'what is to be deleted is there';
    case 'present no-op':
      return before !== null && same(before, after) && isLeft ? undefined : 'what exists is left as it is';
    case 'absent no-op':
      return before === null && after === null && differences.length === 0
        ? undefined
        : 'what is absent holds nothing';
    default:
      return `${actions.join()} does not go with what is to be absent`;
  }
}

function differencesFault(
  before: ObservedFields,
  differences: readonly DifferenceDocument[],
): string | undefined {
  return differences.every(
    ({ field, observed }) => Object.hasOwn(before, field) && same(before[field], observed),
  )
    ? undefined
    : 'it differs in what was not observed';
}

/** Each name is that of an id in the change: of a declared one, or of one that was observed where it differs. */
function namesFault(change: ChangeDocument, contractOnly = false): string | undefined {
  const { names = {}, observed_names: observedNames = {}, differences } = change;
  const resource = shownResource(change);
  const declared = (field: string): JsonValue | undefined => savedValue(resource, field);
  const observed = (field: string): JsonValue | undefined =>
    differences.find((each) => each.field === field)?.observed;
  const kind = kindOf(change.type, change.model);
  const places = [...Object.keys(names), ...Object.keys(observedNames)];
  if (places.length > 0 && contractOnly) return 'names are not looked up with contract_only';
  const areIds =
    Object.keys(names).every((place) => isIdAt(place, kind, declared)) &&
    Object.keys(observedNames).every((place) => isIdAt(place, kind, observed));
  return areIds ? undefined : 'a name is not that of an id';
}

function isIdAt(place: string, kind: Kind, valueOf: (field: string) => JsonValue | undefined): boolean {
  return referring(kind).some(([field]) =>
    idsIn(field, valueOf(field) ?? null).some(
      (id) => id.place === place && typeof id.id !== 'object' && !isBlank(id.id),
    ),
  );
}

function same(a: unknown, b: unknown): boolean {
  // Both come from a JSON document, or are made of parts of it.
  return canonical(a as JsonValue) === canonical(b as JsonValue);
}
