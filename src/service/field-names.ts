import { kinds } from '../kinds/all.ts';
import { once } from '../kinds/once.ts';

/** The names at the top of an answer that mean something: the fields of a request, and those around them. */
export const meaningfulNames: () => ReadonlySet<string> = once(
  () =>
    new Set([
      ...kinds.flatMap(({ fields }) => Object.keys(fields)),
      'pk',
      'detail',
      'non_field_errors',
      'code',
    ]),
);

/** The fields about whose keys the service complains one by one: of `attributes`, the key `room` as `attributes_room`. */
const keyed = once(() =>
  kinds.flatMap(({ fields }) => Object.keys(fields).filter((field) => fields[field]?.inTable === 'columns')),
);

/** By the names that earlier releases have for fields. */
const former = once(
  () =>
    new Map(
      kinds.flatMap(({ fields }) =>
        Object.entries(fields).flatMap(([field, { formerly }]) =>
          formerly === undefined ? [] : [[formerly, field] as const],
        ),
      ),
    ),
);

/** The field that a name at the top of an answer is about, and the key in it where it is about one; dots lead deeper. */
export function fieldNamed(name: string): { readonly field: string; readonly key?: string } {
  const later = former().get(name);
  if (later !== undefined) return { field: later };
  const field = meaningfulNames().has(name)
    ? undefined
    : keyed().find((owner) => name.startsWith(`${owner}_`));
  return field === undefined ? { field: name } : { field, key: name.slice(field.length + 1) };
}
