import { isJsonObject, parseJson, type JsonValue } from '../base/json.ts';
import { sameUuid } from '../kinds/values.ts';
import { pageIn } from './page.ts';

/** The shape of an answer. For a list, also the field that contains the name of a record. */
export interface NamedShape {
  readonly shape: string;
  readonly identity?: string;
  readonly name?: string;
  readonly within?: Within | undefined;
}

/** For names that are unique only within a parent: the field with the parent, and the parent's id. */
export interface Within {
  readonly field: string;
  readonly id: JsonValue;
}

export function isLookUpInList({ shape }: NamedShape): boolean {
  return shape === 'list' || shape === 'search';
}

/**
 * The requested value in a body. If the body is a list, its only record with the name, or null if the list has no record and is
 * consistent.
 */
export function parseBody(
  text: string,
  status: number,
  { shape, identity = '', name, within }: NamedShape,
): JsonValue | undefined {
  const json = parseJson(text);
  if (!isLookUpInList({ shape }) || status !== 200) return json;
  const { items, count } = pageIn(isJsonObject(json) ? json : undefined, 1) ?? {};
  if (shape === 'search' && items?.length === count) {
    const named = items?.filter(
      (value) =>
        isJsonObject(value) &&
        value[identity] === name &&
        (within === undefined || sameUuid(value[within.field] ?? null, within.id)),
    );
    if (named === undefined || named.length === 0) return named && null;
    return named.length === 1 ? named[0] : named;
  }
  if (count === 0) return null;
  return count === 1 ? (items?.[0] ?? undefined) : items;
}
