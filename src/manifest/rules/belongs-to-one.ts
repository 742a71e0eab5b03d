import type { Diagnostic } from '../../base/diagnostic.ts';
import { isJsonList, textOf, type JsonValue } from '../../base/json.ts';
import { shownPlace } from '../../base/source.ts';
import { diagnosticOf, placeOf, type Resource } from '../../kinds/resource.ts';

/** A value that belongs to one resource, such as the main provider of an application, is declared in two. */
export function belongsToOne(resources: readonly Resource[]): Diagnostic[] {
  const owners = new Map<string, Resource>();
  const diagnostics: Diagnostic[] = [];
  for (const resource of resources) {
    for (const [field, declared] of Object.entries(resource.fields)) {
      const rule = resource.kind.fields[field]?.belongsToOne;
      if (rule === undefined) continue;
      for (const value of valuesIn(declared)) {
        const key = `${resource.kind.type} ${field} ${value}`;
        const owner = owners.get(key);
        if (owner === undefined) {
          owners.set(key, resource);
        } else if (owner.address !== resource.address) {
          diagnostics.push(
            diagnosticOf(resource, field, {
              code: rule.code,
              summary: rule.summary(value, owner.name),
              detail: `See ${shownPlace(placeOf(owner, field))}. ${rule.detail}`,
            }),
          );
        }
      }
    }
  }
  return diagnostics;
}

function valuesIn(declared: JsonValue): Set<string> {
  const values = isJsonList(declared) ? declared : declared === null ? [] : [declared];
  return new Set(values.map((value) => textOf(value)));
}
