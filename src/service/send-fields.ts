import { isJsonObject, parseJson, type JsonObject } from '../base/json.ts';
import { toEveryRelease, formsOf } from '../kinds/forms.ts';
import type { Kind } from '../kinds/kind.ts';
import type { Exchange, HttpRequest, Transport } from './transport.ts';

/**
 * Sends fields in the form that the service accepts. Until this form is known, a request that is refused in the current form is
 * sent again in the form of earlier releases.
 */
export function createFieldSender(
  send: Transport,
): (request: HttpRequest, kind: Kind, fields: JsonObject) => Promise<Exchange> {
  const former = new Set<Kind>();
  return async (request, kind, fields) => {
    const sent = (as: 'sent' | 'former'): Promise<Exchange> =>
      send({ ...request, body: JSON.stringify(toEveryRelease(kind, fields, as)) });
    // A concurrent request may have shown the form already.
    const isKnown = former.has(kind);
    const first = await sent(isKnown ? 'former' : 'sent');
    if (isKnown || !isFormRefused(first, kind, fields)) return first;
    const second = await sent('former');
    if (isFormRefused(second, kind, fields)) return first;
    // Only success shows the form: after another refusal, the value itself may be wrong.
    if (second.kind === 'answered' && second.status < 300) former.add(kind);
    return second;
  };
}

/** Whether the service refused a field whose form differs in earlier releases. */
function isFormRefused(exchange: Exchange, kind: Kind, fields: JsonObject): boolean {
  const formed = Object.keys(formsOf(kind)).filter((field) => Object.hasOwn(fields, field));
  if (formed.length === 0 || exchange.kind !== 'answered' || exchange.status !== 400) return false;
  const said = parseJson(exchange.body);
  return said !== undefined && isJsonObject(said) && formed.some((field) => Object.hasOwn(said, field));
}
