import { memoizePerText } from '../base/memoize.ts';
import type { FieldFacts, TypeFacts } from './facts.ts';
import { newest } from './facts/newest.ts';

export interface NewestFacts extends Pick<TypeFacts, 'id' | 'model'> {
  /** The first release that has it, if not the oldest. */
  readonly since?: string;
  /** The filters by identity that every release has. */
  readonly filters?: readonly string[];
  readonly fields: Readonly<Record<string, NewestField>>;
}

export interface NewestField extends FieldFacts {
  /** The first release that has it, if not the oldest. */
  readonly since?: string;
  /** The former maximum length, and the first release with a longer one. */
  readonly shorter?: { readonly before: string; readonly maxLength: number };
  /** Values added later, with their first release. */
  readonly later?: Readonly<Record<string, string>>;
}

/**
 * The facts of the newest release, in a separate file because every start needs them. Parsed when first needed.
 */
export const newestFacts: (path: string) => NewestFacts = memoizePerText((path) => {
  const facts = newest[path];
  if (facts === undefined) throw new Error(`there are no facts of ${path}`);
  return JSON.parse(facts) as NewestFacts; // what the script writes
});
