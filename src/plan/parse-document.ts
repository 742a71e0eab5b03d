import { isJsonObject, maxDocumentDepth, parseJson } from '../base/json.ts';
import { validate } from '../generated/plan.ts';
import { isKnownKind } from '../kinds/all.ts';
import { planFormatVersion, type PlanDocument } from './document.ts';

type ParsedPlan =
  | { readonly kind: 'plan'; readonly plan: PlanDocument }
  | { readonly kind: 'no_plan' }
  | { readonly kind: 'refused'; readonly why: string };

export function parsePlan(text: string): ParsedPlan {
  const document = parseJson(text, maxDocumentDepth);
  if (!isJsonObject(document) || !Array.isArray(document['resource_changes'])) return { kind: 'no_plan' };
  const version = document['format_version'];
  if (typeof version === 'string' && majorOf(version) !== majorOf(planFormatVersion))
    return {
      kind: 'refused',
      why: `it has the format version ${version}, and this rollcall reads ${majorOf(planFormatVersion)}.x`,
    };
  return isPlanDocument(document) ? { kind: 'plan', plan: document } : { kind: 'no_plan' };
}

/** Whether a value is a plan as `plan -o json` prints it, with one entry for each address and only kinds that this version knows. */
export function isPlanDocument(value: unknown): value is PlanDocument {
  if (!validate(value)) return false;
  const { created_at, resource_changes } = value as PlanDocument; // the schema requires the fields of this type
  const addresses = new Set(resource_changes.map(({ address }) => address));
  if (addresses.size < resource_changes.length) return false;
  // The schema allows leap seconds, which Date cannot parse.
  return !Number.isNaN(Date.parse(created_at)) && resource_changes.every((change) => isKnownKind(change));
}

function majorOf(version: string): string {
  return version.split('.', 1)[0] ?? version;
}
