import type { JsonObject, JsonValue } from '../base/json.ts';
import type { Family } from './family.ts';

/** Bindings of children to a parent, which are records of their own. A manifest declares them inside of the parent's entry. */
export interface Children {
  /** The name of a binding in permissions, and the plural. */
  readonly type: string;
  readonly list: string;
  readonly permissionsOf: string;
  readonly path: string;
  /** Which id of the parent a binding has: `pk`, or the one for policies. */
  readonly by: 'pk' | 'bindable';
  /** The list parameter for ids of parents, the number of ids for a request, and the number of parents from which the whole list is read. */
  readonly ofParents: { readonly parameter: string; readonly atOnce: number; readonly allFrom?: number };
  readonly binds: readonly ChildField[];
  /** The other fields, each with its default; `order` has none. */
  readonly fields: Readonly<Record<string, { readonly default?: JsonValue }>>;
  /** The fields that show whether a binding expires, and when. No request sets them. */
  readonly expiry?: { readonly isExpiring: string; readonly at: string };
  /** Whether a PATCH must contain parent, child and order; without them the service rejects it or crashes. */
  readonly isSentWhole: boolean;
  /** Bindings to such a binding: the field of an item that declares them, and the field with the id that they need. */
  readonly inside?: Inside & { readonly bindableIn: string };
  /** Children that must come after the others: the deciding field of their records, and the rank of each value. */
  readonly last?: { readonly field: string; readonly ranks: Readonly<Record<string, number>> };
}

interface Inside {
  readonly field: string;
  readonly children: Children;
}

export interface Parent {
  readonly pk: string;
  /** The id for bindings, if it is not the `pk`. */
  readonly bindable?: string;
}

/** A field of a binding for a child. */
export interface ChildField {
  /** The field with the id of the child; a manifest may have the child's name there. */
  readonly idIn: string;
  readonly refersTo: Family;
  /** The field of a binding with the child's record, and that record's field with the name. */
  readonly recordIn: string;
  readonly nameIn: string;
  /** The words before a child that a binding admits, and before one whose binding is negated. */
  readonly lets?: { readonly plain?: string; readonly negated: string };
}

/**
 * Who may open a record: its bound groups and users, or everyone without bindings. A manifest declares it in one field, which is
 * compared by kind of subject: `access.groups`.
 */
export interface Access {
  /** The field of an entry: `everyone`, or lists. */
  readonly field: string;
  readonly children: Children;
  readonly subjects: readonly Subject[];
  /** The settings flag that opens records without bindings to everyone. Earlier releases always do. */
  readonly openFlag: OpenFlag;
}

/** A flag in a JSON field of a settings record; on by default. */
export interface OpenFlag {
  readonly list: string;
  readonly field: string;
  readonly key: string;
  /** The first release that has it. Earlier ones store and ignore a flag of this name. */
  readonly since: string;
}

/** Who may open a record without bindings. */
export type Unbound = 'open' | 'closed' | 'unknown';

/** The state before and after an apply, which may change the settings. */
export interface UnboundAccess {
  readonly before: Unbound;
  readonly after: Unbound;
}

/** A kind of subject that bindings admit. */
export interface Subject {
  readonly binds: ChildField;
  readonly field: string;
  readonly key: string;
}

/** Policies, groups and users can be bound to records of the kind; without bindings, everyone may use them. */
export interface Bindable {
  readonly id?: string | undefined;
  /** The fields that make it usable: it is created without them, and gets them once all bindings exist. */
  readonly withheld: readonly string[];
  /** Their values until then: `enabled: false`. */
  readonly createdWith: Readonly<Record<string, JsonValue>>;
  /** The field for combining bindings, and its value for requiring all of them. */
  readonly mode?: { readonly field: string; readonly all: JsonValue };
}

/** The child of a binding, and its other values. */
export interface Binding {
  /** The field of the child; undefined for a kind that manifests cannot declare. */
  readonly binds?: ChildField;
  /** The id or name of the child. */
  readonly id?: JsonValue;
  readonly values: JsonObject;
  /** How its values declare its own bindings. */
  readonly inside?: Inside | undefined;
}

export interface Child extends Binding, Parent {
  /** How late its child must come; 0 for most. */
  readonly rank: number;
  /** Whether it has expired: it admits nobody, and is neither changed nor deleted. */
  readonly isExpired: boolean;
  readonly name?: string;
}

export interface WantedChild extends Binding {
  readonly binds: ChildField;
  readonly id: JsonValue;
  readonly name?: string;
  readonly field: string;
}

/** The declared bindings of a resource. */
export interface WantedChildren {
  readonly children: Children;
  readonly fields: readonly string[];
  readonly wanted: readonly WantedChild[];
  /** Whether the declaration covers a held binding with the same child. */
  readonly isAbout: (child: Child) => boolean;
  /** The field that omits a held binding; undefined if the binding may stay. */
  readonly leftOutBy: (child: Child) => string | undefined;
  /** To delete a binding is an update if the entry declares access, and a delete if it declares bindings. */
  readonly removal: 'update' | 'delete';
}
