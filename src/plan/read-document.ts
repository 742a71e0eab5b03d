import { filterKeys, mapValues, pointer } from '../base/json.ts';
import { placeholderFor, shownValue } from '../kinds/fields.ts';
import { hiddenFields } from '../kinds/hide.ts';
import type { NamesByPointer } from '../kinds/named.ts';
import { withHidden, type Resource } from '../kinds/resource.ts';
import {
  changeParts,
  partsOfDocument,
  planParts,
  type ChangeDocument,
  type PlanDocument,
} from './document.ts';
import { notPlanned } from './not-planned.ts';
import type { Change, Plan } from './plan.ts';

export function planFromDocument(
  document: PlanDocument,
  resourceOf: (change: ChangeDocument) => Resource | undefined,
): Plan {
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
    changes: document.resource_changes.map((change) => changeFromDocument(change, resourceOf)),
  };
}

export function changeFromDocument(
  document: ChangeDocument,
  resourceOf: (change: ChangeDocument) => Resource | undefined,
): Change {
  const { address, presence, change, differences, observed_names: allNames = {}, since } = document;
  const known = resourceOf(document);
  if (known === undefined) throw new Error(`${address} is planned, but not declared`);
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
