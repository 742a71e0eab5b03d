import { pointer, type JsonObject } from '../../src/base/json.ts';
import type { Span } from '../../src/base/source.ts';
import {
  fieldOf,
  fieldValues,
  instructionsOf,
  sentValue,
  shownValue,
  type DeclaredFields,
  type ReferenceTemplates,
} from '../../src/kinds/fields.ts';
import { declaredNames, type NamesByPointer } from '../../src/kinds/named.ts';

/** All declared values, as sent. */
export function sentOf(declared: DeclaredFields): JsonObject {
  return { ...fieldValues(sentValue, declared), ...instructionsOf(declared) };
}

/** All declared values, as shown to people. */
export function shownOf(declared: DeclaredFields): JsonObject {
  return { ...fieldValues(shownValue, declared), ...instructionsOf(declared) };
}

/** Fields with these declared values. All have the same place in the manifest. */
export function fieldsOf(values: JsonObject, at: Span = [0, 0]): DeclaredFields['fields'] {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, fieldOf(value, { at })]));
}

/** The sources of all sensitive texts, by JSON Pointer relative to the fields; undefined if there are none. */
export function templatesOf({ fields }: DeclaredFields): ReferenceTemplates | undefined {
  const all = Object.entries(fields).flatMap(([name, { mask }]) =>
    Object.entries(mask?.sensitive ?? {}).map(
      ([inner, template]) => [`${pointer([name])}${inner}`, template] as const,
    ),
  );
  return all.length === 0 ? undefined : Object.fromEntries(all);
}

/** The names for which ids were looked up, by JSON Pointer relative to the fields; undefined if there are none. */
export function namesOf(declared: DeclaredFields): NamesByPointer | undefined {
  const known = declaredNames(declared).filter(({ id }) => id !== undefined);
  return known.length === 0
    ? undefined
    : Object.fromEntries(
        known.map(({ field, item, name }) => [pointer(item === undefined ? [field] : [field, item]), name]),
      );
}
