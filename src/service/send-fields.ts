import type { JsonObject } from '../base/json.ts';
import { convertForEveryRelease, formsOf } from '../kinds/forms.ts';
import type { Kind } from '../kinds/kind.ts';
import { jsonAnswerIn, type Exchange, type HttpRequest, type Transport } from './transport.ts';

/** Sends fields in the current form or, if the service refuses that form, in the form of earlier releases for the rest of the run. */
export function createFieldSender(
  send: Transport,
): (request: HttpRequest, kind: Kind, fields: JsonObject) => Promise<Exchange> {
  const former = new Set<Kind>();
  return async (request, kind, fields) => {
    const sent = (as: 'sent' | 'former'): Promise<Exchange> =>
      send({ ...request, body: JSON.stringify(convertForEveryRelease(kind, fields, as)) });
    // The form is read before sending, because a concurrent request may change it.
    const isKnown = former.has(kind);
    const first = await sent(isKnown ? 'former' : 'sent');
    if (isKnown || !isFormRefused(first, kind, fields)) return first;
    const second = await sent('former');
    if (isFormRefused(second, kind, fields)) return first;
    // Only a success proves that the service knows the form, because a refusal may be due to the value itself.
    if (second.kind === 'answered' && second.status < 300) former.add(kind);
    return second;
  };
}

/** Whether the service refused a field whose form differs in earlier releases. */
function isFormRefused(exchange: Exchange, kind: Kind, fields: JsonObject): boolean {
  const formed = formsOf(kind).filter(([field]) => Object.hasOwn(fields, field));
  if (formed.length === 0) return false;
  const { status, body: errors = {} } = jsonAnswerIn(exchange) ?? {};
  return status === 400 && formed.some(([field]) => Object.hasOwn(errors, field));
}
