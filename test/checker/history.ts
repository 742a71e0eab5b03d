/** A value as JSON has it. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type Fields = Readonly<Record<string, Json>>;
export type Type = 'application' | 'group' | 'user';
/** How a record is named, such as `user.jane`. */
export type Key = `${Type}.${string}`;

/** What happened in the service, in its order. */
export interface Happening {
  /** A run of rollcall by its number, or somebody else. */
  readonly by: number | 'somebody else';
  readonly method: string;
  readonly path: string;
  /** What a request is about, where it names one record. */
  readonly about?: Key;
  readonly body?: Fields;
  /** What it did, whatever was answered. */
  readonly did: 'created' | 'changed' | 'deleted' | 'nothing';
  /** What was sent back; nothing where the connection broke. */
  readonly status?: number;
  /** Whether the body of the answer was JSON of the service, and whole. */
  readonly isClear: boolean;
  /** The records that the answer showed. */
  readonly showed: readonly Key[];
}

/** What a manifest says of a record. */
export type Declared = ReadonlyMap<Key, Fields>;

/** What `apply -o json` says of one. */
export interface Outcome {
  readonly address: Key;
  readonly outcome: string;
  readonly doubt?: string;
  readonly differences?: readonly unknown[];
}

/** A run: what it was told, and what it said. */
export interface Run {
  readonly number: number;
  readonly mayUpdate: boolean;
  readonly contractOnly: boolean;
  readonly planned: boolean;
  readonly outcomes: readonly Outcome[];
  readonly summary: Readonly<Record<string, number>>;
  /** Whether it said that all went well. */
  readonly isComplete: boolean;
  /** All that it printed, in every format. */
  readonly printed: string;
}

export interface Case {
  readonly declared: Declared;
  /** What was there before the first run. */
  readonly before: ReadonlySet<Key>;
  readonly history: readonly Happening[];
  readonly runs: readonly Run[];
  readonly token: string;
  /** The number of the first run that met no fault; each after it should find nothing to do. */
  readonly calmFrom: number;
}
