import type { JsonObject, JsonValue } from '../base/json.ts';
import type { Family } from './family.ts';

/** A kind of binding: a record that connects a child to a parent. In a manifest, bindings stand inside the entry of the parent. */
export interface Children {
  /** The name of the binding in permissions, in singular and plural. */
  readonly type: string;
  readonly list: string;
  readonly permissionApp: string;
  readonly path: string;
  /** Which id of the parent a binding refers to: the `pk`, or the separate id that policies are bound to. */
  readonly targetIdField: 'pk' | 'bindable';
  /** How to list the bindings of given parents. For `minParentsForFullList` parents or more, the whole list is read instead. */
  readonly parentFilter: {
    readonly parameter: string;
    readonly idsPerRequest: number;
    readonly minParentsForFullList?: number;
  };
  readonly binds: readonly ChildField[];
  /** The fields besides parent and child, with their defaults. `order` has no default. */
  readonly fields: Readonly<Record<string, { readonly default?: JsonValue }>>;
  /** The fields that show whether and when a binding expires. rollcall never sends them. */
  readonly expiry?: { readonly isExpiring: string; readonly at: string };
  /** Whether a PATCH must contain parent, child and order. Without them, the service rejects it or crashes. */
  readonly isSentWhole: boolean;
  /** Bindings that can be bound to such a binding: the field that declares them, and the field with the id to which they are bound. */
  readonly inside?: Inside & { readonly bindableIn: string };
  /** For children that must come last: the field of the child that decides this, and a rank for each of its values. */
  readonly last?: { readonly field: string; readonly ranks: Readonly<Record<string, number>> };
}

interface Inside {
  readonly field: string;
  readonly children: Children;
}

export interface Parent {
  readonly pk: string;
  /** The id to which policies are bound, if it is not the `pk`. */
  readonly bindable?: string;
}

export interface ChildField {
  /** The field with the id of the child. In a manifest, it may contain the name instead. */
  readonly idField: string;
  readonly refersTo: Family;
  /** The field of a binding that contains the child as a nested record, and the field of that record with the child's name. */
  readonly recordField: string;
  readonly nameField: string;
  /** Texts that precede the name of a child in messages: for a normal binding, and for a negated binding. */
  readonly lets?: { readonly plain?: string; readonly negated: string };
}

/**
 * Who may open a record: the bound groups and users, or everyone if nothing is bound. A manifest declares this in one field,
 * which is compared separately for each type of subject, such as `access.groups`.
 */
export interface Access {
  /** The field of an entry. Its value is `everyone`, or a list for each type of subject. */
  readonly field: string;
  readonly children: Children;
  readonly subjects: readonly Subject[];
  /**
   * The service's setting that decides whether everyone may open records without bindings. Before it was introduced, everyone
   * could.
   */
  readonly openFlag: OpenFlag;
}

/** A flag in a JSON field of a settings record; on by default. */
export interface OpenFlag {
  readonly list: string;
  readonly field: string;
  readonly key: string;
  /** The first release that applies the flag. Earlier releases store it without effect. */
  readonly since: string;
}

export type Unbound = 'open' | 'closed' | 'unknown';

/** Who may open records without bindings, before and after an apply, which may change this setting. */
export interface UnboundAccess {
  readonly before: Unbound;
  readonly after: Unbound;
}

/** A type of subject that a binding can admit, such as groups. */
export interface Subject {
  readonly binds: ChildField;
  readonly field: string;
  readonly key: string;
}

/** For a kind to whose records policies, groups and users can be bound. Everyone may use a record without bindings. */
export interface Bindable {
  readonly id?: string | undefined;
  /** Fields that make a record usable. They are set only after all bindings exist. */
  readonly withheld: readonly string[];
  /** The values with which a record is created until then, such as `enabled: false`. */
  readonly createdWith: Readonly<Record<string, JsonValue>>;
  /** The field that decides whether one binding or every binding must pass, and its value for every binding. */
  readonly mode?: { readonly field: string; readonly all: JsonValue };
}

export interface Binding {
  /** The field with the child. Undefined if manifests cannot declare this kind of child. */
  readonly binds?: ChildField;
  readonly id?: JsonValue;
  readonly values: JsonObject;
  readonly inside?: Inside | undefined;
}

export interface Child extends Binding, Parent {
  /** Children with a higher rank come later. Most children have rank 0. */
  readonly rank: number;
  /** An expired binding admits nobody. rollcall neither changes nor deletes it. */
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
  /** Whether an existing binding must be declared to stay as it is. */
  readonly covers: (child: Child) => boolean;
  /** For an existing binding to delete: the field in which it is not declared. Undefined if the binding may stay. */
  readonly omittingField: (child: Child) => string | undefined;
  /** The capability that deleting a binding needs: `update` if the entry declares access, `delete` if it lists bindings. */
  readonly removal: 'update' | 'delete';
}
