import { kinds } from '../kinds/all.ts';
import { lazy } from '../base/memoize.ts';

/** Top-level keys of an error that name a field, including keys inside fields. */
export const fieldNamesInErrors: () => ReadonlySet<string> = lazy(
  () =>
    new Set([
      ...kinds.flatMap(({ fields }) => Object.keys(fields)),
      'pk',
      'detail',
      'non_field_errors',
      'code',
    ]),
);

/** Fields whose keys the service complains about individually: the key `room` of `attributes` as `attributes_room`. */
const fieldsWithKeys = lazy(() =>
  kinds.flatMap(({ fields }) =>
    Object.keys(fields).filter((field) => fields[field]?.tableForm === 'columns'),
  ),
);

/** The names of fields in earlier releases. */
const former = lazy(
  () =>
    new Map(
      kinds.flatMap(({ fields }) =>
        Object.entries(fields).flatMap(([field, { formerly }]) =>
          formerly === undefined ? [] : [[formerly, field] as const],
        ),
      ),
    ),
);

/** The field of a top-level key, and the key inside the field if there is one; dots lead deeper. */
export function fieldNamed(name: string): { readonly field: string; readonly key?: string } {
  const later = former().get(name);
  if (later !== undefined) return { field: later };
  const field = fieldNamesInErrors().has(name)
    ? undefined
    : fieldsWithKeys().find((owner) => name.startsWith(`${owner}_`));
  return field === undefined ? { field: name } : { field, key: name.slice(field.length + 1) };
}
