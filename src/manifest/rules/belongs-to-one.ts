import type { Diagnostic } from '../../base/diagnostic.ts';
import { isJsonList, type JsonValue } from '../../base/json.ts';
import { shownPlace } from '../../base/source.ts';
import { shownId } from '../../kinds/name-of-one.ts';
import { blankFor, diagnosticOf, nameOf, placeOf } from '../../kinds/resource.ts';
import { FirstPlaces } from '../first-places.ts';
import type { Rule } from './rule.ts';

/** A value that belongs to one resource, such as the main provider of an application, is declared in two. */
export const belongsToOne: Rule = (names) => {
  const values = new FirstPlaces();
  return ({ resource, first }) => {
    const diagnostics: Diagnostic[] = [];
    for (const [field, declared] of Object.entries(resource.fields)) {
      const rule = resource.kind.fields[field]?.belongsToOne;
      if (rule === undefined) continue;
      for (const value of valuesIn(declared)) {
        const key = `${resource.kind.type} ${field} ${value}`;
        const known = values.find(key);
        if (known === undefined) values.add(key, placeOf(resource, field), first);
        else if (values.ownerOf(known) !== first) {
          const owner = nameOf(names.textOf(values.ownerOf(known)));
          diagnostics.push(
            diagnosticOf(resource, field, {
              code: rule.code,
              summary: rule.summary(blankFor(resource, field) ?? value, owner),
              detail: `See ${shownPlace(values.placeOf(known))}. ${rule.detail}`,
            }),
          );
        }
      }
    }
    return diagnostics;
  };
};

function valuesIn(declared: JsonValue): Set<string> {
  const values = isJsonList(declared) ? declared : declared === null ? [] : [declared];
  return new Set(values.map((value) => shownId(value)));
}
