import type { Diagnostic, Problem } from '../../base/diagnostic.ts';
import { isJsonList, type JsonValue } from '../../base/json.ts';
import { sentValue } from '../../kinds/fields.ts';
import { diagnosticOf } from '../../kinds/resource.ts';
import type { Rule } from './rule.ts';

/** The same id twice in one list. One of the two is probably a slip for another. */
export const repeatedId: Rule =
  () =>
  ({ resource }) => {
    const diagnostics: Diagnostic[] = [];
    for (const field of Object.keys(resource.fields)) {
      const form = resource.kind.fields[field]?.idForm;
      const value = (form && sentValue(resource, field)) ?? null;
      if (form === undefined || !isJsonList(value)) continue;
      const seen = new Set<JsonValue>();
      for (const [item, id] of value.map(form).entries()) {
        if (seen.has(id)) diagnostics.push(diagnosticOf(resource, field, problem(field), item));
        seen.add(id);
      }
    }
    return diagnostics;
  };

function problem(field: string): Problem {
  return {
    code: 'repeated-id',
    severity: 'warning',
    summary: `this id stands in \`${field}\` already`,
    detail: 'Once is enough: remove it, or write the one that is meant.',
  };
}
