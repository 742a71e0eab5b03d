import { isJsonList, type JsonObject, type JsonValue } from '../base/json.ts';
import type { TypeFacts } from '../kinds/facts.ts';
import { rejected, type Rejection } from './kind.ts';
import { answers } from './recorded.ts';

export function missingRequired(
  path: string,
  { fields }: TypeFacts,
  sent: JsonObject,
  isCreate: boolean,
): Rejection | undefined {
  for (const { oneOf, message: says, isForCreate: isOfCreate, ifGiven } of answers().demands[path] ?? []) {
    if ((isOfCreate && !isCreate) || !oneOf.some((name) => name in fields)) continue;
    const given = ifGiven && (sent[ifGiven.field] ?? null);
    if (ifGiven && (given === null || (ifGiven.value !== undefined && given !== ifGiven.value))) continue;
    if (oneOf.some((name) => hasValue(sent[name] ?? null))) continue;
    return says === undefined ? { crashedOver: oneOf.join() } : rejected(says);
  }
  return undefined;
}

function hasValue(value: JsonValue): boolean {
  return isJsonList(value) ? value.length > 0 : value !== null && value !== '' && value !== false;
}
