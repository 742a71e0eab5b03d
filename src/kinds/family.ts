import type { JsonValue } from '../base/json.ts';

/** A list of a manifest, with one or several types. Names are unique in it, and fields refer to its records by name. */
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
  /** Whether the service deletes a record together with its owner, and nothing else is lost. */
  readonly isDeletedAlong: boolean;
  readonly findId: string;
  /** The app in permissions: `authentik_rbac`. */
  readonly permissionApp: string;
  /** The model in permissions: `propertymapping`; `list` is the plural. */
  readonly model: { readonly type: string; readonly list: string };
}

interface ByName {
  readonly path: string;
  /** Further parameters: a stable order, and fields to leave out. */
  readonly query: Readonly<Record<string, string>>;
  readonly searchQuery: (name: string) => Readonly<Record<string, string>>;
  /** For this many names or more, reading the whole list may take fewer requests. */
  readonly minNamesForList: number;
  /** The keys of names in manifests, each with the field of the record; by default `name`. */
  readonly keys?: Readonly<Record<string, string>>;
  /** The key that an export writes; the first by default. */
  readonly keyOfName?: (name: string) => string;
  /** Parameters for a record by its id: fields to leave out. */
  readonly queryById?: Readonly<Record<string, string>>;
  readonly isId: (pk: JsonValue) => boolean;
}
