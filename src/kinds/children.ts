import type { JsonObject, JsonValue } from '../base/json.ts';
import type { Family, PermissionType } from './family.ts';

/** A kind of binding: a record that connects a child to a parent. In a manifest, bindings stand inside the entry of the parent. */
export interface Children extends PermissionType {
  readonly path: string;
  /** The field of the parent to which a binding refers: `pk`, or the separate id for policies. */
  readonly targetIdField: 'pk' | 'bindable';
  /** How to list the bindings of given parents. For `minParentsForFullList` or more parents, the whole list is read. */
  readonly parentFilter: {
    readonly parameter: string;
    readonly idsPerRequest: number;
    readonly minParentsForFullList?: number;
  };
  readonly binds: readonly ChildField[];
  /** The fields of a binding except parent and child, with their defaults. The field `order` has no default. */
  readonly fields: Readonly<Record<string, { readonly default?: JsonValue }>>;
  /** The values of undeclared fields that decide whom a binding admits, so that nobody changes this unnoticed. */
  readonly assumed?: JsonObject;
  /** The fields that show whether and when a binding expires. rollcall never sends them. */
  readonly expiry?: { readonly isExpiring: string; readonly at: string };
  /** Whether a PATCH must contain parent, child and order, because the service would otherwise reject the PATCH or crash. */
  readonly isSentWhole: boolean;
  /** Whether a record that should have such bindings, but has none, counts as created only in part. */
  readonly isEssential?: true;
  /** The nested bindings of a binding, and the field that contains the id to which the nested bindings are bound. */
  readonly inside?: Inside & { readonly bindableIn: string };
  /** If some children must come last: the field of a child that determines its rank, and the rank for each value of the field. */
  readonly last?: { readonly field: string; readonly ranks: Readonly<Record<string, number>> };
}

interface Inside {
  readonly field: string;
  readonly children: Children;
}

export interface Parent {
  readonly pk: string;
  /** The id to which policies are bound, if this id differs from `pk`. */
  readonly bindable?: string;
}

export interface ChildField {
  /** The field with the id of the child or, in a manifest, with its name. */
  readonly idField: string;
  readonly refersTo: Family;
  /** Texts that precede the name of a child in messages: for a normal binding, and for a negated binding. */
  readonly lets?: { readonly plain?: string; readonly negated: string };
}

/**
 * Who may open a record: the bound groups and users, or everyone if nothing is bound. A manifest declares this in one field. Each
 * type of subject, such as `access.groups`, is compared separately.
 */
export interface Access {
  /** The field of a manifest entry that contains `everyone`, or a list for each type of subject. */
  readonly field: string;
  readonly children: Children;
  readonly subjects: readonly Subject[];
}

export type UnboundState = 'open' | 'closed' | 'unknown';

/** Whether records without bindings are open to everyone: `before` is the state before an apply, `after` the state after the apply. */
export interface UnboundStates {
  readonly before: UnboundState;
  readonly after: UnboundState;
}

export interface Subject {
  readonly binds: ChildField;
  readonly field: string;
  readonly key: string;
}

/** How policies, groups and users are bound to records of a kind. */
export interface Bindable {
  readonly id?: string | undefined;
  /** The fields that make a record usable, which are set only after all bindings exist. */
  readonly withheld: readonly string[];
  readonly createdWith: Readonly<Record<string, JsonValue>>;
  /** Whether nobody may use a record without bindings. Otherwise, everyone may use it. */
  readonly isClosedUnbound?: boolean;
  /** The field that decides whether any or all of the bindings must pass, and the value that means all. */
  readonly mode?: { readonly field: string; readonly all: JsonValue };
}

export interface Binding {
  /** The field with the child, or undefined if manifests cannot declare this kind of child. */
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
  /** Whether the declaration applies to an existing binding. */
  readonly covers: (child: Child) => boolean;
  /** The field that would have to declare an existing binding. Without this declaration, the binding is deleted. Undefined if the binding is kept anyway. */
  readonly omittingField: (child: Child) => string | undefined;
  /** The capability needed to delete a binding: `update` if the entry declares access, `delete` if the entry lists bindings. */
  readonly removal: 'update' | 'delete';
}
