import type { Session } from './session.ts';

/** The result of one question to a running service. */
export type Verdict =
  | { readonly kind: 'pass' }
  | { readonly kind: 'fail'; readonly why: string }
  /** The question could not be asked, or the expected answer is not known. */
  | { readonly kind: 'skip'; readonly why: string };

/** A question about the service. rollcall's rules or its table of answers depend on the answer. */
export interface Row {
  /** The expected answer in a few words. */
  readonly name: string;
  readonly ask: (session: Session) => Promise<Verdict>;
  /** For a claim about a kind: the path of the kind, and the claim. */
  readonly claim?: { readonly kind: string; readonly claim: string };
}

export const pass: Verdict = { kind: 'pass' };

export function fail(why: string): Verdict {
  return { kind: 'fail', why };
}

export function skip(why: string): Verdict {
  return { kind: 'skip', why };
}

/** Passes if both are equal. If the token lacks the permission to ask, that is not a failure. */
export function expectEqual(actual: unknown, wanted: unknown): Verdict {
  if (actual === wanted) return pass;
  if (actual === 'denied' || actual === 403) return skip('the token may not do this');
  return fail(`expected ${String(wanted)}, but it was ${String(actual)}`);
}
