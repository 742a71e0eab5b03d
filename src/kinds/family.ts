import type { JsonValue } from '../base/json.ts';

/** A list of a manifest: names are unique in it across types, and fields refer to its records by name. */
export interface Family<Type extends string = string> {
  readonly type: Type;
  readonly list: string;
  /** The path of the list, below the base URL. */
  readonly path: string;
  readonly identity: string;
  /** The service's name for the id, which is `pk` here. */
  readonly id: string;
  /** How to find a record by name for a reference. */
  readonly byName: ByName;
  /** Whether the service deletes it with its owner without loss. */
  readonly isDeletedAlong: boolean;
  readonly findId: string;
  /** The app of its permissions: `authentik_rbac`. */
  readonly permissionsOf: string;
  /** The name in permissions, and the plural: `propertymapping`. */
  readonly model: { readonly type: string; readonly list: string };
}

interface ByName {
  readonly path: string;
  /** Parameters besides the page: a stable order, and fields to leave out. */
  readonly query: Readonly<Record<string, string>>;
  readonly narrowedTo: (name: string) => Readonly<Record<string, string>>;
  /** The number of names from which reading the whole list may take fewer requests. */
  readonly listedFrom: number;
  /** The keys of names in manifests, with the record's field for each; `name` for both by default. */
  readonly keys?: Readonly<Record<string, string>>;
  /** The key that an export writes for a name; the first by default. */
  readonly keyFor?: (name: string) => string;
  /** Parameters for a record by its id: fields to leave out. */
  readonly leftOutById?: Readonly<Record<string, string>>;
  readonly isId: (pk: JsonValue) => boolean;
}
