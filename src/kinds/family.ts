import type { JsonValue } from '../base/json.ts';

/** A type of record, as permissions name it. */
export interface PermissionType {
  /** The app part of the name in permissions, such as `authentik_rbac`. */
  readonly permissionApp: string;
  /** The model part of the name in permissions, such as `propertymapping`, and its plural in messages. */
  readonly model: { readonly name: string; readonly plural: string };
}

/** A list in manifests, with one or several types. Fields can refer to records of the list by their unique names. */
export interface Family<Type extends string = string> extends PermissionType {
  readonly type: Type;
  readonly list: string;
  readonly path: string;
  /** Parameters of every request for records, which leave out large fields or ask for the complete list. */
  readonly params?: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly identity: string;
  /** The service's name for the id field. rollcall calls it `pk`. */
  readonly id: string;
  readonly isId: (pk: JsonValue) => boolean;
  /** The keys with which manifests refer to a record, and the field of the record for each key. The default is `name`. */
  readonly keys?: Readonly<Record<string, string>>;
  /** The key that an export writes for a name, by default the first key. */
  readonly keyOfName?: (name: string) => string;
  readonly searchQuery: (name: string) => Readonly<Record<string, string>>;
  /** For this number of names or more, reading the whole list may take fewer requests than looking up each name. */
  readonly minNamesForList: number;
  readonly queryById?: Readonly<Record<string, string>>;
  /** Whether the service deletes a record of this type together with its owner, without deleting anything else. */
  readonly isDeletedWithOwner: boolean;
  readonly findId: string;
}
