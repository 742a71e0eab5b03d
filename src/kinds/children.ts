import type { JsonObject, JsonValue } from '../base/json.ts';
import type { Family } from './family.ts';

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
  /** By which id a parent is bound: its own, or the one by which policies are bound. */
  readonly by: 'pk' | 'bindable';
  /** The parameter of the list that takes the ids of parents, how many of them fit into one request, and from how many on all is read. */
  readonly ofParents: { readonly parameter: string; readonly atOnce: number; readonly allFrom?: number };
  readonly binds: readonly ChildField[];
  /** The other fields of a binding, each with its default; the order has none. */
  readonly fields: Readonly<Record<string, { readonly default?: JsonValue }>>;
  /** The fields that show whether a binding expires, and when. No request sets them. */
  readonly expiry?: { readonly isExpiring: string; readonly at: string };
  /** Whether a PATCH needs parent, child and order beside what changes: without them the service refuses it, or crashes. */
  readonly isSentWhole: boolean;
  /** What is bound to such a binding itself, by the field in which an item declares that, and the field with the id that it takes. */
  readonly inside?: Inside & { readonly bindableIn: string };
  /** The children that come last: by the field of their records that tells, and its values for them. */
  readonly last?: { readonly field: string; readonly values: readonly string[] };
}

interface Inside {
  readonly field: string;
  readonly children: Children;
}

export interface Parent {
  readonly pk: string;
  /** The id by which policies, groups and users are bound to it, where that is not its `pk`. */
  readonly bindable?: string;
}

/** A field of a binding that can have the child. */
export interface ChildField {
  /** The field with the id of the child. A manifest can write the name of the child in it. */
  readonly idIn: string;
  readonly refersTo: Family;
  /** Where a binding shows the record of the child, and the field of that record with its name. */
  readonly recordIn: string;
  readonly nameIn: string;
  /** The words before a child for those whom its binding lets in, and for those whom it does where it is negated. */
  readonly lets?: { readonly plain?: string; readonly negated: string };
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
  /** The flag in the service's settings that opens to everyone what nothing is bound to. Releases before it always do. */
  readonly openFlag: OpenFlag;
}

/** A key of a field that holds flags, on until somebody turns it off, in the only record of a list. */
export interface OpenFlag {
  readonly list: string;
  readonly field: string;
  readonly key: string;
  /** The first release that has it. Those before store a flag of this name and ignore it. */
  readonly since: string;
}

/** Whether everyone may open what has no binding, or nobody. */
export type Unbound = 'open' | 'closed' | 'unknown';

/** The same before and after an apply, which may change the settings. */
export interface UnboundAccess {
  readonly before: Unbound;
  readonly after: Unbound;
}

/** Those whom bindings let in. */
export interface Subject {
  readonly binds: ChildField;
  /** As it is compared: `access.groups`. */
  readonly field: string;
  readonly key: string;
}

/** That policies, groups and users can be bound to the records of a kind. Where nothing is bound, everyone may use one. */
export interface Bindable {
  /** The field with the id by which they are bound, where that is not `pk`. */
  readonly id?: string | undefined;
  /** The fields by which one does something for people: it is created without them, and gets them once all are bound. */
  readonly withheld: readonly string[];
  /** The values that it is created with in place of those: `enabled: false`. */
  readonly createdWith: Readonly<Record<string, JsonValue>>;
  /** The field that says how several bindings count together, and its value where one has to pass them all, and not any of them. */
  readonly mode?: { readonly field: string; readonly all: JsonValue };
}

/** What a binding says: its child, and the values of its other fields. */
export interface Binding {
  /** Where it has its child; nothing where that is of a kind that no manifest declares. */
  readonly binds?: ChildField;
  /** The id of the child, or its name. */
  readonly id?: JsonValue;
  readonly values: JsonObject;
  /** How its values declare what is bound to it. */
  readonly inside?: Inside | undefined;
}

export interface Child extends Binding, Parent {
  /** Whether its child is one of those that come last. */
  readonly isLast: boolean;
  /** Whether it has expired: it lets nobody in, and is neither changed nor deleted. */
  readonly isExpired: boolean;
  readonly name?: string;
}

export interface WantedChild extends Binding {
  readonly binds: ChildField;
  readonly id: JsonValue;
  readonly name?: string;
  readonly field: string;
}

/** What a resource declares of the bindings to it. */
export interface WantedChildren {
  readonly children: Children;
  readonly fields: readonly string[];
  readonly wanted: readonly WantedChild[];
  /** Whether it says of a held binding that it counts as a declared one, if it has the same child. */
  readonly isAbout: (child: Child) => boolean;
  /** The field that leaves out a held binding which is none of the declared ones; nothing where it may stay. */
  readonly leftOutBy: (child: Child) => string | undefined;
  /** To take one out is an update where the entry says who may open it, and a delete where it says what is bound. */
  readonly removal: 'update' | 'delete';
}
