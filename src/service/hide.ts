import { isJsonObject, parseJson, type JsonObject } from '../base/json.ts';
import { hidden } from '../base/sensitive.ts';
import { kinds } from '../kinds/all.ts';
import type { Kind } from '../kinds/kind.ts';
import { hiddenFields, type HiddenFieldNames } from '../kinds/hide.ts';
import { fieldOfErrorKey } from './field-names.ts';
import type { Transport } from './transport.ts';

/** A transport that removes hidden fields from the service's error messages, but not from records, because records are compared. */
export function hideFields(send: Transport, hide: HiddenFieldNames): Transport {
  if (hide.length === 0) return send;
  return async (request, signal) => {
    const exchange = await send(request, signal);
    if (exchange.kind !== 'answered' || exchange.status < 300) return exchange;
    const kind = kinds.find(({ path }) => request.path.startsWith(path));
    if (kind === undefined) return exchange;
    const fields = hiddenFields(kind, hide);
    const body = fields.size > 0 ? parseJson(exchange.body) : undefined;
    if (!isJsonObject(body)) return exchange;
    return { ...exchange, body: JSON.stringify(without(kind, fields, body)) };
  };
}

function without(kind: Kind, fields: ReadonlySet<string>, errors: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(errors).map(([name, value]) => {
      const { field } = fieldOfErrorKey(name, kind);
      return fields.has(field) ? [field, hidden] : [name, value];
    }),
  );
}
