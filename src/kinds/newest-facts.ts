import { memoizePerText } from '../base/memoize.ts';
import type { FieldFacts, TypeFacts } from './facts.ts';
import { newest } from './facts/newest.ts';

export interface NewestFacts extends Pick<TypeFacts, 'id' | 'model'> {
  /** The first release that has the path, or undefined if the oldest known release has it. */
  readonly since?: string;
  /** The filters for the identifying field that exist in all releases. */
  readonly filters?: readonly string[];
  readonly fields: Readonly<Record<string, NewestField>>;
}

export interface NewestField extends FieldFacts {
  /** The first release that has the field, or undefined if the oldest known release has it. */
  readonly since?: string;
  /** The former maximum length, and the first release that allows more. */
  readonly shorter?: { readonly before: string; readonly maxLength: number };
  /** Values that were added later, each with the first release that accepts it. */
  readonly later?: Readonly<Record<string, string>>;
}

/** What the newest API schema states about a path. These facts are in a separate file, because rollcall needs them at every start. */
export const newestFacts: (path: string) => NewestFacts = memoizePerText((path) => {
  const facts = newest[path];
  if (facts === undefined) throw new Error(`there are no facts of ${path}`);
  return JSON.parse(facts) as NewestFacts; // the script writes this form
});
