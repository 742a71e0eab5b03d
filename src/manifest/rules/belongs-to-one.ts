import type { Diagnostic } from '../../base/diagnostic.ts';
import { shownPlace } from '../../base/source.ts';
import { blankFor, sentValue } from '../../kinds/fields.ts';
import { idsIn, nameIn, namesById } from '../../kinds/named.ts';
import { shownId } from '../../kinds/name-of-one.ts';
import { diagnosticOf, nameOf, placeOf, type Resource } from '../../kinds/resource.ts';
import { FirstPlaces } from '../first-places.ts';
import type { Rule } from './rule.ts';

/** A value that belongs to one resource, such as the main provider of an application, is declared in two. */
export const belongsToOne: Rule = (names) => {
  const values = new FirstPlaces();
  return ({ resource, first }) => {
    const diagnostics: Diagnostic[] = [];
    for (const field of Object.keys(resource.fields)) {
      const rule = resource.kind.fields[field]?.belongsToOne;
      if (rule === undefined) continue;
      for (const [value, shown] of valuesIn(resource, field)) {
        const key = `${resource.kind.type} ${field} ${value}`;
        const known = values.find(key);
        if (known === undefined) values.add(key, placeOf(resource, field), first);
        else if (values.ownerOf(known) !== first) {
          const owner = nameOf(names.textOf(values.ownerOf(known)));
          diagnostics.push(
            diagnosticOf(resource, field, {
              code: rule.code,
              summary: rule.summary(blankFor(resource, field) ?? shown, owner),
              detail: `See ${shownPlace(values.placeOf(known))}. ${rule.detail}`,
            }),
          );
        }
      }
    }
    return diagnostics;
  };
};

/** Each value of a field once, in a form that is its own, and as people see it. */
function valuesIn(resource: Resource, field: string): Map<string, string> {
  const found = new Map<string, string>();
  const names = namesById(resource, field);
  for (const { id } of idsIn(field, sentValue(resource, field) ?? null)) {
    const key = shownId(id);
    if (!found.has(key)) found.set(key, shownId(id, nameIn(names, resource.kind, field, id)));
  }
  return found;
}
