import { textOf, type JsonObject, type JsonValue } from '../base/json.ts';
import { plainUuid } from './values.ts';

/**
 * Bindings: records of their own, each of which binds one child to a parent. A manifest declares them inside of the entry of the
 * parent.
 */
export interface Children {
  /** A binding as permissions call it, and the plural. */
  readonly type: string;
  readonly list: string;
  readonly permissionsOf: string;
  /** Where a GET lists them and a POST creates one, below the base URL. */
  readonly path: string;
  /** The parameter of the list that takes the ids of parents, and how many of them fit into one request. */
  readonly ofParents: { readonly parameter: string; readonly atOnce: number };
  /** The fields for a child. A binding has exactly one of them. */
  readonly binds: readonly ChildField[];
  /** The other fields that say how it counts. */
  readonly fields: readonly string[];
}

/** A record to which something is bound. */
export interface Parent {
  readonly pk: string;
  /** The id by which policies, groups and users are bound to it, where that is not its `pk`. */
  readonly bindable?: string;
}

/** A field of a binding that can have the child. */
export interface ChildField {
  /** The field with the id of the child. */
  readonly idIn: string;
  /** Where a binding shows the record of the child, and the field of that record with its name. */
  readonly recordIn: string;
  readonly nameIn: string;
}

/**
 * Who may open a record of a kind: the groups and users that are bound to it, or everyone where nothing is bound. A manifest declares
 * that in one field, which is compared as one for each kind of subject: `access.groups`.
 */
export interface Access {
  /** The field of an entry: `everyone`, or a mapping of lists. */
  readonly field: string;
  readonly children: Children;
  readonly subjects: readonly Subject[];
}

/** Those whom bindings let in. */
export interface Subject extends ChildField {
  /** As it is compared: `access.groups`. */
  readonly field: string;
  /** Its key in an entry. */
  readonly key: string;
}

/** That policies, groups and users can be bound to the records of a kind. Where nothing is bound, everyone may use one. */
export interface Bindable {
  /** The fields by which one does something for people: it is created without them, and gets them once all are bound. */
  readonly withheld: readonly string[];
  /** The field that says how several bindings count together, and its value where one has to pass them all, and not any of them. */
  readonly mode: { readonly field: string; readonly all: JsonValue };
}

/** A binding as the service holds it. */
export interface Child {
  readonly pk: string;
  /** Where it has its child; nothing where that is of a kind that no manifest declares. */
  readonly binds?: ChildField;
  readonly id?: JsonValue;
  /** The name of the child, where the service shows it. */
  readonly name?: string;
  /** Its other fields: its order, whether it is enabled. */
  readonly values: JsonObject;
}

/** A binding as a manifest declares it. */
export interface WantedChild {
  /** The field of the resource that declares it. */
  readonly field: string;
  readonly binds: ChildField;
  readonly id: JsonValue;
  /** The fields that are declared of it. */
  readonly values: JsonObject;
}

/** What a resource declares of the bindings to it. */
export interface WantedChildren {
  readonly children: Children;
  readonly fields: readonly string[];
  readonly wanted: readonly WantedChild[];
  /** The field that declares a binding or leaves it out; nothing where no field is about it, so that it is left unchanged. */
  readonly fieldOf: (child: Child) => string | undefined;
}

/** The binding that the service holds for each declared one: with the same child at the same order, or else with the same child. */
export function pairsOf(
  wanted: readonly WantedChild[],
  held: readonly Child[],
): ReadonlyMap<WantedChild, Child> {
  const pairs = new Map<WantedChild, Child>();
  const left = new Set(held);
  const take = (one: WantedChild, isMatch: (child: Child) => boolean): void => {
    const match = pairs.has(one)
      ? undefined
      : [...left].find((child) => keyOf(child) === keyOf(one) && isMatch(child));
    if (match === undefined) return;
    pairs.set(one, match);
    left.delete(match);
  };
  for (const one of wanted)
    take(one, ({ values }) => one.values['order'] !== undefined && one.values['order'] === values['order']);
  for (const one of wanted) take(one, () => true);
  return pairs;
}

/** What is the same for bindings of the same child. */
function keyOf({ binds, id = null }: Pick<Child, 'binds' | 'id'>): string {
  return `${binds?.idIn} ${textOf(plainUuid(id))}`;
}
