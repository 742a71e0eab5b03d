import { isJsonObject, mostLevelsOfDocuments, parseJson } from '../../base/json.ts';
import { validate } from '../../generated/plan.ts';
import { isOfKind } from '../../kinds/all.ts';
import { planFormatVersion, type PlanDocument } from '../document.ts';
import { planFault } from './fault.ts';
import { contentDigest, type SavedPlan } from './document.ts';

type ReadPlan =
  | { readonly kind: 'plan'; readonly plan: SavedPlan }
  /** Not a saved plan at all. */
  | { readonly kind: 'no_plan'; readonly why: string }
  /** A saved plan that must not be applied. */
  | { readonly kind: 'refused'; readonly why: string };

/** Reads the text of a saved plan. */
export function readSavedPlan(text: string): ReadPlan {
  const document = parseJson(text, mostLevelsOfDocuments);
  if (!isJsonObject(document)) return { kind: 'no_plan', why: 'it is not a JSON document of `plan --out`' };
  const version = document['format_version'];
  if (typeof version !== 'string' || !Array.isArray(document['resource_changes']))
    return { kind: 'no_plan', why: 'it is not a JSON document of `plan --out`' };
  if (majorOf(version) !== majorOf(planFormatVersion)) {
    return {
      kind: 'refused',
      why: `it has the format version ${version}, and this rollcall reads ${majorOf(planFormatVersion)}.x`,
    };
  }
  if (document['digest'] === undefined || document['saved'] === undefined)
    return { kind: 'no_plan', why: 'it is for reading only: a plan to apply is written by `plan --out`' };
  const plan = document as unknown as SavedPlan; // what is used of it before the two checks is checked by them
  if (contentDigest(plan) !== plan.digest || !isPlanDocument(document))
    return { kind: 'refused', why: 'it has been altered since it was written, or was cut short' };
  const fault = planFault(plan);
  if (fault !== undefined) return { kind: 'refused', why: `it has been altered: ${fault}` };
  return { kind: 'plan', plan };
}

/** Whether something is a plan as `plan -o json` prints it, of kinds that this rollcall knows. */
export function isPlanDocument(value: unknown): value is PlanDocument {
  if (!validate(value)) return false;
  const { created_at, resource_changes } = value as PlanDocument; // what satisfies the schema has the fields of the type
  // The schema allows leap seconds, and Date knows none.
  return !Number.isNaN(Date.parse(created_at)) && resource_changes.every((change) => isOfKind(change));
}

function majorOf(version: string): string {
  return version.split('.', 1)[0] ?? version;
}
