import type { JsonObject, JsonValue } from '../base/json.ts';
import type { SeedToken } from '../generated/sandbox-seed.ts';
import type { Field, FieldErrors } from './fields.ts';

/** What the service does with one kind of record. Each kind has a file in this folder; its list is empty at first. */
export interface SandboxKind {
  /** Where a POST creates one. */
  readonly path: string;
  /** What a request for one may hold. */
  readonly fields: Readonly<Record<string, Field>>;
  readonly mayCreate: (token: SeedToken) => boolean;
  /** Keeps a record of what was read of a request; `username` is who asks for it. */
  readonly create: (values: Readonly<Record<string, JsonValue>>, username: string) => Created;
  /** Without it, there is no path that answers a single one. */
  readonly retrieve?: {
    /** The names that such a path can end in. */
    readonly names: RegExp;
    readonly record: (name: string, token: SeedToken) => JsonObject | 'absent' | 'forbidden';
  };
}

/** The new record, or what is wrong with each field, or that it broke down over a field. */
export type Created =
  | { readonly record: JsonObject }
  | { readonly errors: FieldErrors }
  | { readonly crashedOver: string };
