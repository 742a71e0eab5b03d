import { pointer, type JsonObject } from '../../src/base/json.ts';
import type { Span } from '../../src/base/source.ts';
import {
  fieldOf,
  fieldsBy,
  instructionsOf,
  sentValue,
  shownValue,
  type Declared,
  type Templates,
} from '../../src/kinds/fields.ts';
import { declaredNames, idPointer, type Names } from '../../src/kinds/named.ts';

/** All that is declared, as it is sent. */
export function sentOf(declared: Declared): JsonObject {
  return { ...fieldsBy(sentValue, declared), ...instructionsOf(declared) };
}

/** All that is declared, as people may see it. */
export function shownOf(declared: Declared): JsonObject {
  return { ...fieldsBy(shownValue, declared), ...instructionsOf(declared) };
}

/** Fields that declare these values, all at one place. */
export function fieldsOf(values: JsonObject, at: Span = [0, 0]): Declared['fields'] {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, fieldOf(value, { at })]));
}

/** What all sensitive texts are made of, by their JSON Pointers from the fields; undefined where there is none. */
export function templatesOf({ fields }: Declared): Templates | undefined {
  const all = Object.entries(fields).flatMap(([name, { mask }]) =>
    Object.entries(mask?.sensitive ?? {}).map(
      ([inner, template]) => [`${pointer([name])}${inner}`, template] as const,
    ),
  );
  return all.length === 0 ? undefined : Object.fromEntries(all);
}

/** The names of ids that were looked up, by their JSON Pointers from the fields; undefined where there is none. */
export function namesOf(declared: Declared): Names | undefined {
  const known = declaredNames(declared).filter(({ id }) => id !== undefined);
  return known.length === 0 ? undefined : Object.fromEntries(known.map((one) => [idPointer(one), one.name]));
}
