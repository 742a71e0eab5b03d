import type { JsonValue } from '../base/json.ts';
import { declaresBindings, isBindingField } from '../kinds/access.ts';
import { bindingsIn, childKey, isEffective } from '../kinds/bindings.ts';
import { placeholderFor } from '../kinds/fields.ts';
import type { Kind } from '../kinds/kind.ts';
import { idsOf, nameOfId, type NamesById, namesById } from '../kinds/named.ts';
import { groupField } from '../kinds/policy-bindings.ts';
import type { Resource } from '../kinds/resource.ts';
import { idOrName, isNameReference, idText } from '../kinds/values.ts';

export interface PlannedSubject {
  readonly keys: readonly string[];
  /** The id of a group whose members are admitted. */
  readonly group?: JsonValue;
  readonly words: (wasIn: boolean) => string;
}

/** The declared fields with bindings that decide about access to the record itself. */
export function accessFields({ kind, fields }: Resource): readonly string[] {
  if (!declaresBindings({ kind, fields })) return [];
  return Object.keys(kind.fields).filter(
    (field) =>
      Object.hasOwn(fields, field) && isBindingField(kind, field) && !kind.fields[field]?.children?.inside,
  );
}

/** The subjects that the bindings in a field admit. */
export function subjectsOfField(
  resource: Resource,
  field: string,
  value: JsonValue,
  names: NamesById = namesById(resource, field),
): PlannedSubject[] {
  const isShown = placeholderFor(resource, field) === undefined;
  return bindingsInField(resource.kind, field, value, names).flatMap(({ binds, id: one, values }) => {
    if (!isEffective({ values })) return [];
    const [name, id = one] = isNameReference(one) ? [one.name, one['id']] : [undefined, one];
    const isNegated = values['negate'] === true;
    const { lets, refersTo } = binds;
    const who = isNegated ? lets?.negated : lets?.plain;
    // A policy whose failure counts as passing admits more people.
    const failing = values['failure_result'] === true && lets?.plain !== undefined;
    const words = (wasIn: boolean): string => {
      if (!isShown) return wasIn ? `a ${refersTo.type}` : `one more ${refersTo.type}`;
      return `the ${refersTo.type} ${idText(id, name)}`;
    };
    return {
      ...(binds === groupField && !isNegated && { group: idOrName(one) }),
      keys: [one, ...(name === undefined ? [] : [{ name }])].map(
        (each) => `${isNegated} ${failing} ${field} ${childKey({ binds, id: each })}`,
      ),
      words: (wasIn) =>
        `${who === undefined ? '' : `${who} `}${words(wasIn)}${failing ? ', or where it fails' : ''}`,
    };
  });
}

/** The bindings that a field declares: all bindings of policies, groups and users, or those of one type of subject. */
function bindingsInField(
  kind: Kind,
  field: string,
  value: JsonValue,
  names: NamesById,
): ReturnType<typeof bindingsIn> {
  const { children } = kind.fields[field] ?? {};
  if (children) return bindingsIn(children, value);
  const binds = kind.access?.subjects.find((subject) => subject.field === field)?.binds;
  return idsOf(value).flatMap((one) => {
    const name = isNameReference(one) ? undefined : nameOfId(names, kind, field, one);
    return binds ? { binds, id: name === undefined ? one : { name, id: one }, values: {} } : [];
  });
}
