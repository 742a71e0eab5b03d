import type { JsonObject, JsonValue } from '../base/json.ts';
import type { Family } from './family.ts';

/** A kind of binding: a record that connects a child to a parent. A manifest declares bindings inside the parent's entry. */
export interface Children {
  /** The name of the binding in permissions, in singular and plural. */
  readonly type: string;
  readonly list: string;
  readonly permissionApp: string;
  readonly path: string;
  /** Which id of the parent a binding contains: `pk`, or the id for policy bindings. */
  readonly targetIdField: 'pk' | 'bindable';
  /** How to list the bindings of parents. From `minParentsForFullList` parents on, the whole list is read. */
  readonly parentFilter: {
    readonly parameter: string;
    readonly idsPerRequest: number;
    readonly minParentsForFullList?: number;
  };
  readonly binds: readonly ChildField[];
  /** The other fields, with their defaults; `order` has none. */
  readonly fields: Readonly<Record<string, { readonly default?: JsonValue }>>;
  /** The fields for whether a binding expires, and when. No request sets them. */
  readonly expiry?: { readonly isExpiring: string; readonly at: string };
  /** Whether a PATCH must contain parent, child and order, because the service otherwise rejects it or crashes. */
  readonly isSentWhole: boolean;
  /** Bindings whose parent is such a binding: the field that declares them, and the field with the id that they need. */
  readonly inside?: Inside & { readonly bindableIn: string };
  /** Some children must come last: the field of the child that decides, and the rank of each value. */
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

/** A field of a binding that refers to a child. */
export interface ChildField {
  /** The field with the id of the child; in a manifest, its name is allowed too. */
  readonly idField: string;
  readonly refersTo: Family;
  /** The field of a binding with the nested record of the child, and the field of that record with the name. */
  readonly recordField: string;
  readonly nameField: string;
  /** Texts before the name of a child: for an admitting and for a negated binding. */
  readonly lets?: { readonly plain?: string; readonly negated: string };
}

/**
 * Who may open a record: bound groups and users, or everyone if there are no bindings. A manifest declares it in one field, which is
 * compared by type of subject: `access.groups`.
 */
export interface Access {
  /** The field of an entry: `everyone`, or lists by type of subject. */
  readonly field: string;
  readonly children: Children;
  readonly subjects: readonly Subject[];
  /** The flag in the service's settings that admits everyone to records without bindings. Earlier releases always admit everyone. */
  readonly openFlag: OpenFlag;
}

/** A flag in a JSON field of a settings record; on by default. */
export interface OpenFlag {
  readonly list: string;
  readonly field: string;
  readonly key: string;
  /** The first release with the flag. Earlier releases store and ignore it. */
  readonly since: string;
}

/** Who may open a record without bindings. */
export type Unbound = 'open' | 'closed' | 'unknown';

/** Before and after an apply, which may change the settings. */
export interface UnboundAccess {
  readonly before: Unbound;
  readonly after: Unbound;
}

/** A type of subject that bindings admit, such as groups. */
export interface Subject {
  readonly binds: ChildField;
  readonly field: string;
  readonly key: string;
}

/** A kind to whose records policies, groups and users can be bound; without bindings, everyone may use a record. */
export interface Bindable {
  readonly id?: string | undefined;
  /** Fields that make a record usable: they are set after all bindings were created. */
  readonly withheld: readonly string[];
  /** The values of these fields in the create: `enabled: false`. */
  readonly createdWith: Readonly<Record<string, JsonValue>>;
  /** The field that decides whether one or all bindings must pass, and its value for all. */
  readonly mode?: { readonly field: string; readonly all: JsonValue };
}

export interface Binding {
  /** The field with the child; undefined for a kind of child that manifests cannot declare. */
  readonly binds?: ChildField;
  /** The id or name of the child. */
  readonly id?: JsonValue;
  readonly values: JsonObject;
  /** The field of the binding that declares nested bindings. */
  readonly inside?: Inside | undefined;
}

export interface Child extends Binding, Parent {
  /** The rank of the child: higher ranks come later; usually 0. */
  readonly rank: number;
  /** An expired binding admits nobody, and is neither changed nor deleted. */
  readonly isExpired: boolean;
  readonly name?: string;
}

export interface WantedChild extends Binding {
  readonly binds: ChildField;
  readonly id: JsonValue;
  readonly name?: string;
  readonly field: string;
}

export interface WantedChildren {
  readonly children: Children;
  readonly fields: readonly string[];
  readonly wanted: readonly WantedChild[];
  /** Whether the declaration decides about an existing binding. */
  readonly covers: (child: Child) => boolean;
  /** For an existing binding that is to be deleted: the field that does not declare it. Undefined if the binding may stay. */
  readonly omittingField: (child: Child) => string | undefined;
  /** The permission that deleting a binding needs: `update` if the entry declares access, `delete` if it declares bindings. */
  readonly removal: 'update' | 'delete';
}
