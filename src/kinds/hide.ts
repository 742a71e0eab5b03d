import type { Problem } from '../base/diagnostic.ts';
import { didYouMean } from '../base/suggestion.ts';
import { defaultKinds, kinds, kindsOf } from './all.ts';
import type { Kind } from './kind.ts';
import { lazy, memoizePerKey } from '../base/memoize.ts';

export type HiddenFieldNames = readonly string[];

export const hideableFields: () => HiddenFieldNames = lazy(() => [
  ...new Set(kinds.flatMap((kind) => hideableOf(kind))),
]);

function hideableOf({ type, identity, scope, fields }: Kind): HiddenFieldNames {
  return Object.entries(fields).flatMap(([field, { isInstruction }]) =>
    field === identity || field === scope || isInstruction ? [] : `${type}.${field}`,
  );
}

/** The hidden fields of a kind, which always include secrets. */
export function hiddenFields(
  kind: Pick<Kind, 'type' | 'fields'>,
  hide: HiddenFieldNames,
): ReadonlySet<string> {
  const start = `${kind.type}.`;
  const hiddenByUser = hide.flatMap((name) => (name.startsWith(start) ? name.slice(start.length) : []));
  return new Set([...hiddenByUser, ...secretFields(kind)]);
}

export const secretFields: (kind: Pick<Kind, 'fields'>) => readonly string[] = memoizePerKey(({ fields }) =>
  Object.keys(fields).filter((field) => fields[field]?.isSecret),
);

export function hiddenFieldProblem(name: string): Problem | undefined {
  const [of = ''] = name.split('.', 1);
  if (kindsOf(of).some((kind) => hideableOf(kind).includes(name))) return undefined;
  const identified = kinds.find(({ type, identity, scope }) =>
    [identity, scope].some((field) => name === `${type}.${field}`),
  );
  if (identified)
    return {
      code: 'invalid-value',
      summary: `\`${name}\` cannot be hidden`,
      detail: `Every output uses this field to identify ${identified.words.one}.`,
    };
  const knownFields = hideableFields();
  const parent = knownFields.find((field) => name.startsWith(`${field}.`));
  const parts = knownFields.filter((field) => field.startsWith(`${name}.`));
  return {
    code: 'invalid-value',
    summary: `there is no field \`${name}\` to hide`,
    detail:
      parts.length > 0
        ? `Hide its parts instead: ${parts.map((part) => `\`${part}\``).join(', ')}.`
        : parent === undefined
          ? (didYouMean(name, knownFields) ??
            `Write a field as TYPE.FIELD, such as ${defaultKinds.flatMap((kind) => hideableOf(kind)).join(', ')}.`)
          : `A field can be hidden only as a whole: \`${parent}\`.`,
  };
}
