import type { JsonValue } from '../base/json.ts';

/**
 * Who may open a record of a kind, which stands in bindings: records of their own, each of which lets one group or user in. Where
 * nothing is bound, everyone may. Manifests declare it in one field, which is read as one for each kind of subject: `access.groups`.
 */
export interface Access {
  /** The field of an entry: `everyone`, or a mapping of lists. */
  readonly field: string;
  /** The binding, as permissions call it, and the word for several. */
  readonly type: string;
  readonly list: string;
  readonly permissionsOf: string;
  readonly path: string;
  readonly subjects: readonly Subject[];
  /** The fields by which it does something for people: it is created without them, and gets them once all are bound. */
  readonly withheld: readonly string[];
  /** The field that says how several bindings count together, and its value where one has to pass them all, and not any of them. */
  readonly mode: { readonly field: string; readonly all: JsonValue };
}

/** Those whom bindings let in. */
export interface Subject {
  /** As it is compared: `access.groups`. */
  readonly field: string;
  /** Its key in an entry. */
  readonly key: string;
  /** The field of a binding that has its id. */
  readonly idIn: string;
  /** Where a binding shows its record, and the field of that which has its name. */
  readonly recordIn: string;
  readonly nameIn: string;
}
