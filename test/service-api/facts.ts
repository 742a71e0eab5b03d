import { readFileSync } from 'node:fs';

/** What the service's own API says of an operation, a parameter or a field. */
export interface Fact {
  /** Of an operation: the record that it takes, and what it answers. */
  readonly sends?: string;
  readonly answers?: string;
  /** Of a field: as the service's client in TypeScript types it. */
  readonly type?: 'string' | 'number' | 'boolean' | 'Date' | 'any' | 'enum' | 'list' | 'mapping' | 'record';
  readonly values?: readonly string[];
  readonly items?: string;
  readonly of?: string;
  readonly nullable?: boolean;
  readonly required?: boolean;
  readonly readOnly?: boolean;
  /** As its schema says them, in releases of which the package has one. */
  readonly limits?: Limits;
}

export interface Limits {
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
}

/** By keys such as `POST /core/users/`, `GET /core/users/ ?username` and `UserRequest.name`. */
export type Facts = ReadonlyMap<string, Fact>;

type Changes = Readonly<Record<string, Fact | null>>;

/** All of it, release by release: made by `npm run service-api`, which says how it was read. */
export const factsOf: ReadonlyMap<string, Facts> = readFacts();

function readFacts(): Map<string, Facts> {
  const text = readFileSync(new URL('facts.json', import.meta.url), 'utf8');
  const releases = JSON.parse(text) as Record<string, { facts: Changes }>; // what the script writes
  let before: Facts = new Map();
  return new Map(
    Object.entries(releases).map(([line, { facts }]) => {
      const now = new Map(before);
      for (const [key, fact] of Object.entries(facts)) {
        if (fact === null) now.delete(key);
        else now.set(key, fact);
      }
      before = now;
      return [line, now];
    }),
  );
}
