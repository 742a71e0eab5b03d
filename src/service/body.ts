import { isJsonObject, parseJson, type JsonValue } from '../base/json.ts';
import { sameUuid } from '../kinds/values.ts';
import { pageIn } from './page.ts';

/** The shape of an answer and, for a list, the field and the value that identify the record. */
export interface LookUpShape {
  readonly shape: string;
  readonly identity?: string;
  readonly name?: string;
  readonly within?: ParentId | undefined;
}

/** The field that contains the parent, and the parent's id, for names that are unique only within a parent. */
export interface ParentId {
  readonly field: string;
  readonly id: JsonValue;
}

export function isLookUpInList({ shape }: LookUpShape): boolean {
  return shape === 'list' || shape === 'search';
}

/**
 * Returns the requested value in a body. For a look-up in a list, this is the only record found, an array of several records, or
 * null if no record was found.
 */
export function parseBody(
  text: string,
  status: number,
  { shape, identity = '', name, within }: LookUpShape,
): JsonValue | undefined {
  const json = parseJson(text);
  if (!isLookUpInList({ shape }) || status !== 200) return json;
  const { items, count } = pageIn(isJsonObject(json) ? json : undefined, 1) ?? {};
  if (items === undefined) return undefined;
  const named = items.filter(
    (value) =>
      isJsonObject(value) &&
      value[identity] === name &&
      (within === undefined || sameUuid(value[within.field] ?? null, within.id)),
  );
  // Any other record in a filtered list means that the service did not apply the filter.
  if (shape === 'list' && named.length < items.length) return undefined;
  if (items.length !== count) return items;
  return named.length > 1 ? named : (named[0] ?? null);
}
