import { isJsonList, textOf, type JsonObject } from '../base/json.ts';
import { kinds } from '../kinds/all.ts';
import { familyOfModel } from '../kinds/families.ts';
import type { Family, Kind } from '../kinds/kind.ts';
import { namingFields, keyOfId, referenceKeys } from '../kinds/named.ts';
import { policyBindings, policyField } from '../kinds/policy-bindings.ts';
import type { Resource } from '../kinds/resource.ts';
import { stageBindings } from '../kinds/stage-bindings.ts';
import type { DependentsReading, ReadContext } from './client.ts';
import { retryUntilProven } from './retries.ts';
import type { ObservedRecord } from './types.ts';

export interface DeleteCandidate {
  readonly resource: Pick<Resource, 'kind' | 'name' | 'address'>;
  readonly held: ObservedRecord;
}

export interface Dependent {
  readonly model: string;
  /** Undefined if manifests cannot declare records of this model. */
  readonly family: Family | undefined;
  readonly name: string;
  readonly pk: string;
  readonly words: string;
  readonly isDeletedToo: boolean;
}

/** Undefined if the dependents could not be read. */
export type Dependents = readonly Dependent[] | undefined;

/** Reads the records that depend on a record. */
export async function readDependents(
  { resource: { kind, name }, held }: DeleteCandidate,
  { client, pacing, signal }: ReadContext,
): Promise<Dependents> {
  const ask = (): Promise<DependentsReading> => client.readUses(kind, name, held.pk, signal);
  const reading = await retryUntilProven(ask, pacing);
  if (reading?.proof !== 'exists') return undefined;
  const used = reading.uses.map((use) => [textOf(use['pk']), textOf(use['name'])] as const);
  const names = new Map([[textOf(held.pk), name], ...used]);
  return reading.uses.map((use) => dependentOf(use, names));
}

function dependentOf(use: JsonObject, names: ReadonlyMap<string, string>): Dependent {
  const [app = '', model = '', pk = ''] = ['app', 'model_name', 'pk'].map((key) => textOf(use[key]));
  // The service names a flow-stage binding by the id of its flow.
  const name = textOf(use['name']).replaceAll(uuids, (id) => names.get(id) ?? id);
  const family = familyOf(app, model);
  const type = bindingTypes[model] ?? family?.type.replaceAll('_', ' ') ?? model;
  const isTypeInName = name.toLowerCase().startsWith(`${type} `);
  // Release 2023.10 writes the action in capitals.
  const isDeletedToo = textOf(use['action']).toLowerCase() === 'cascade';
  const words =
    name === '' ? `an unnamed ${type}` : `${isTypeInName ? '' : `the ${type} `}${JSON.stringify(name)}`;
  return { model, family, name, pk, words, isDeletedToo };
}

const uuids = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gi;

/** The types of dependents that manifests declare within other entries. */
const bindingTypes: Readonly<Record<string, string | undefined>> = {
  [policyBindings.model.name]: 'binding',
  [stageBindings.model.name]: 'flow-stage binding',
};

/** Whether a record is a binding of the policy, or has one. */
export function isPolicyUse({ family }: Pick<Kind, 'family'>, { model }: Dependent): boolean {
  return family === policyField.refersTo && model.startsWith(policyBindings.model.name);
}

const maxListed = 10;

/**
 * Whether the plan takes a reference from a record, or deletes a binding, before it deletes the other record. Records are given by
 * the keys of their ids, and bindings by their id.
 */
export type IsReleased = (owner: string, deleted: string) => boolean;

/** Notes about the dependents, except records to which only the deleted record refers, and records that lose nothing in the delete. */
export function dependentNotes(
  { resource: { kind }, held }: DeleteCandidate,
  dependents: readonly Dependent[],
  deletes: readonly DeleteCandidate[],
  isReleased: IsReleased = () => false,
): string[] {
  // The service lists a record once for each direction of a reference in a list.
  const lists = namingFields(kind).filter((field) => isJsonList(held.fields[field] ?? null));
  const own = new Set(referenceKeys(kind, lists, (field) => held.fields[field]).flat());
  const deleted = new Set(deletes.map(({ resource, held: { pk } }) => keyOfId(resource.kind.family, pk)));
  const gone = keyOfId(kind.family, held.pk);
  const notes = dependents.flatMap((dependent) => {
    const { family, pk, words, isDeletedToo } = dependent;
    // A policy is deleted only after the records that it guards no longer have it.
    if (isPolicyUse(kind, dependent)) return [];
    if (isDeletedToo) return isReleased(pk, gone) ? [] : `deletes ${words} with it`;
    const key = family && keyOfId(family, pk);
    if (key === undefined) return `${words} loses it`;
    const isSpared = own.delete(key) || deleted.has(key) || isReleased(key, gone);
    return isSpared ? [] : `${words} loses it`;
  });
  const more = notes.length - maxListed;
  return more > 0 ? [...notes.slice(0, maxListed), `${more} more dependents`] : notes;
}

function familyOf(app: string, model: string): Family | undefined {
  const ofType = kinds.find((kind) => kind.permissionApp === app && kind.model.name === model);
  return familyOfModel(app, model) ?? ofType?.family;
}
