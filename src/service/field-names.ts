import { kinds } from '../kinds/all.ts';
import { fieldsWith, type Kind } from '../kinds/kind.ts';
import { lazy } from '../base/memoize.ts';

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

/** Fields with a separate error for each key: the service reports `attributes_room` for the key `room` of `attributes`. */
const fieldsWithKeys = lazy(() =>
  kinds.flatMap(({ fields }) =>
    Object.keys(fields).filter((field) => fields[field]?.tableForm === 'columns'),
  ),
);

/** Returns the field to which a top-level key of an error refers, and the key inside the field, if any, in dotted form. */
export function fieldOfErrorKey(
  name: string,
  kind?: Kind,
): { readonly field: string; readonly key?: string } {
  const [later] = kind
    ? (fieldsWith(kind, 'earlier').find(([, earlier]) => earlier.field === name) ?? [])
    : [];
  if (later !== undefined) return { field: later };
  const field = fieldNamesInErrors().has(name)
    ? undefined
    : fieldsWithKeys().find((owner) => name.startsWith(`${owner}_`));
  return field === undefined ? { field: name } : { field, key: name.slice(field.length + 1) };
}
