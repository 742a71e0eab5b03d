import { filterKeys, mapValues, pointer, isJsonObject, maxDocumentDepth, parseJson } from '../base/json.ts';
import { placeholderFor, shownValue } from '../kinds/fields.ts';
import { hiddenFields } from '../kinds/hide.ts';
import type { NamesByPointer } from '../kinds/named.ts';
import { withHidden } from '../kinds/resource.ts';
import {
  changeParts,
  partsOfDocument,
  planParts,
  resourceForDisplay,
  type ChangeDocument,
  type PlanDocument,
  planFormatVersion,
} from './document.ts';
import { notPlanned } from './not-planned.ts';
import type { Change, Plan } from './plan.ts';
import { validate } from '../generated/plan.ts';
import { isKnownKind } from '../kinds/all.ts';

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

export function planFromDocument(document: PlanDocument): Plan {
  const { baseline } = document;
  return {
    toolVersion: document.tool_version,
    createdAt: new Date(document.created_at),
    service: document.service,
    environment: document.environment,
    manifestDigest: () => document.manifest_digest,
    ...partsOfDocument<Plan, typeof planParts>(document, planParts),
    ...(baseline && {
      baseline: { path: baseline.path, noLongerDeclared: baseline.no_longer_declared },
    }),
    ...(document.undeclared && {
      undeclared: { found: document.undeclared.found, gaps: document.undeclared.gaps ?? [] },
    }),
    changes: document.resource_changes.map(changeFromDocument),
  };
}

function changeFromDocument(document: ChangeDocument): Change {
  const { presence, change, differences, observed_names: allNames = {}, since } = document;
  const known = resourceForDisplay(document);
  const resource = withHidden(known, hiddenFields(known.kind, []));
  const [action] = change.actions;
  const { before } = change;
  if (action === 'not-planned') return notPlanned(resource, document.diagnostics ?? [], since);
  return {
    resource,
    presence,
    action,
    ...(before && {
      observed: mapValues(before, (value, field) => placeholderFor(resource, field) ?? value),
    }),
    differences: differences.map((difference) => {
      const { field, declared } = difference;
      const observed = placeholderFor(resource, field);
      const observedNames = namesOf(field, allNames);
      return observed === undefined
        ? { ...difference, ...(Object.keys(observedNames).length > 0 && { observedNames }) }
        : { field, declared: shownValue(resource, field) ?? declared, observed };
    }),
    ...partsOfDocument<Change, typeof changeParts>(document, changeParts),
  };
}

function namesOf(field: string, names: NamesByPointer): NamesByPointer {
  const whole = pointer([field]);
  return filterKeys(names, (place) => place === whole || place.startsWith(`${whole}/`));
}
