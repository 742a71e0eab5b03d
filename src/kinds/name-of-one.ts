import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import type { Capability } from './capability.ts';

/** What stands in place of an id: the name, exactly as the service has it. */
export interface NameOfOne extends JsonObject {
  readonly name: string;
}

/** What must be turned on for names in place of ids: to look one up is none of the documented operations. */
export const namesNeed: Capability = 'lookup-names';

/** Whether a value that stands where an id can stand is a name. */
export function isNameOfOne(value: JsonValue): value is NameOfOne {
  return isJsonObject(value) && typeof value['name'] === 'string';
}

/** An id or a name as people see it, not yet safe to print: `"Grafana OIDC" (12)` where both are known. */
export function shownId(id: JsonValue, name?: string): string {
  if (isNameOfOne(id)) return JSON.stringify(id.name);
  const text = typeof id === 'string' ? id : JSON.stringify(id);
  return name === undefined ? text : `${JSON.stringify(name)} (${text})`;
}
