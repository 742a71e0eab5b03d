import { memoizePerText } from '../base/memoize.ts';
import type { FieldFacts, TypeFacts } from './facts.ts';
import { newest } from './facts/newest.ts';

export interface NewestFacts extends Pick<TypeFacts, 'id' | 'model'> {
  /** The first release that has the path, where that is not the first of all. */
  readonly since?: string;
  /** Those by a natural key that every release has. */
  readonly filters?: readonly string[];
  readonly fields: Readonly<Record<string, NewestField>>;
}

export interface NewestField extends FieldFacts {
  /** The first release that has it, where that is not the first of its type. */
  readonly since?: string;
  /** The length that it had at most, and the first release that takes longer ones. */
  readonly shorter?: { readonly before: string; readonly maxLength: number };
  /** Of its values, those that came after it, and with which release. */
  readonly later?: Readonly<Record<string, string>>;
}

/**
 * What the newest release says of a path: kept apart from the others, as every start of the program needs it. It is parsed when it is
 * first asked for.
 */
export const newestFacts: (path: string) => NewestFacts = memoizePerText((path) => {
  const facts = newest[path];
  if (facts === undefined) throw new Error(`there are no facts of ${path}`);
  return JSON.parse(facts) as NewestFacts; // what the script writes
});
