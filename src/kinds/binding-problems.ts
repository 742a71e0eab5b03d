import type { Path } from '../base/path-map.ts';
import type { Problem } from '../base/diagnostic.ts';
import { isJsonList, isJsonObject, textOf, type JsonValue } from '../base/json.ts';
import { childKey } from './bindings.ts';
import type { ChildField, Children } from './children.ts';

/** Problems with bindings that the JSON Schema cannot express. `place` is a path relative to the value. */
export function bindingProblems(
  { binds: fields, inside, last }: Children,
  value: JsonValue,
): { readonly place: Path; readonly problem: Problem }[] {
  const seenKeys = new Set<string>();
  const seenOrders = new Set<string>();
  return (isJsonList(value) ? value : []).flatMap((one, item) => {
    if (!isJsonObject(one)) return [];
    const nestedProblems = inside ? bindingProblems(inside.children, one[inside.field] ?? null) : [];
    const nested = nestedProblems.map(({ place, problem }) => ({
      place: [item, inside?.field ?? '', ...place],
      problem,
    }));
    const [binds, ...others] = fields.filter(({ idField }) => Object.hasOwn(one, idField));
    if (binds === undefined || others.length > 0)
      return [{ place: [item], problem: notSingleChildProblem(fields) }, ...nested];
    const order = textOf(one['order'] ?? null);
    const key = `${childKey({ binds, id: one[binds.idField] ?? null })} ${order}`;
    if (seenKeys.has(key)) return [{ place: [item], problem: repeatedBindingProblem(binds) }, ...nested];
    seenKeys.add(key);
    const isTied = last !== undefined && Object.hasOwn(one, 'order') && seenOrders.has(order);
    seenOrders.add(order);
    return isTied ? [{ place: [item, 'order'], problem: sameOrderProblem(binds) }, ...nested] : nested;
  });
}

export function twoFieldsProblem(field: string, other: string): Problem {
  return {
    code: 'invalid-value',
    summary: `an entry cannot declare both \`${other}\` and \`${field}\``,
    detail: `\`${field}\` declares all bindings. \`${other}\` declares groups and users, and leaves bound policies alone.`,
  };
}

function notSingleChildProblem(fields: readonly ChildField[]): Problem {
  const names = fields.map(({ idField }) => `\`${idField}\``).join(', ');
  return {
    code: 'invalid-value',
    summary: `a binding has exactly one of ${names}`,
    detail: 'Write a separate item for each.',
  };
}

function repeatedBindingProblem({ idField }: ChildField): Problem {
  return {
    code: 'duplicate-resource',
    summary: `this ${idField} is bound twice with the same order`,
    detail: `Bindings of the same ${idField} must differ in \`order\`. Delete a binding, or change its order.`,
  };
}

function sameOrderProblem({ idField }: ChildField): Problem {
  return {
    code: 'same-order',
    severity: 'warning',
    summary: `another ${idField} has this order`,
    detail: 'The service may run the two in any sequence. Change one of the orders.',
  };
}
