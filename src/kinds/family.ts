import type { JsonValue } from '../base/json.ts';

/** A list of a manifest: the records in it differ by their names, whatever their type, and fields refer to one by that. */
export interface Family<Type extends string = string> {
  /** As one stands in addresses, plans and reports: `application`. */
  readonly type: Type;
  /** The word for several: `applications`. */
  readonly list: string;
  /** Where a GET lists them, below the base URL. */
  readonly path: string;
  /** The field that names one: `slug`. */
  readonly identity: string;
  /** What the service calls its id, which is known as its `pk` here. */
  readonly id: string;
  /** How one is found by its name, where fields hold that in place of an id. */
  readonly byName: ByName;
  /** Whether one is deleted with what it belongs to, and nobody misses it. */
  readonly isDeletedAlong: boolean;
  readonly findId: string;
  /** The part of the service to which its permissions belong: `authentik_rbac`. */
  readonly permissionsOf: string;
  /** As its permissions call it, and the word for several: `propertymapping`. */
  readonly model: { readonly type: string; readonly list: string };
}

interface ByName {
  readonly path: string;
  /** What is asked for beside a page: an order that is the same from page to page, and what makes it cheap. */
  readonly query: Readonly<Record<string, string>>;
  /** What narrows the list to a few with the one of a name among them. No more than that: each has to be compared. */
  readonly narrowedTo: (name: string) => Readonly<Record<string, string>>;
  /** Of how many names on it may take fewer requests to read the whole list. */
  readonly listedFrom: number;
  /** The keys under which a manifest can write the name, and the fields of a record that have it then. By default, `name` for both. */
  readonly keys?: Readonly<Record<string, string>>;
  /** Under which of those an exported manifest writes it; by default, the first. */
  readonly keyFor?: (name: string) => string;
  /** Where the service shows one at its id below the path: what to ask it to leave out. */
  readonly leftOutById?: Readonly<Record<string, string>>;
  readonly isId: (pk: JsonValue) => boolean;
}
