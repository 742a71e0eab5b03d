import type { Session } from './session.ts';

/** What a running service shows of one question. */
export type Verdict =
  | { readonly kind: 'pass' }
  | { readonly kind: 'fail'; readonly why: string }
  /** It could not be asked, or nobody can say what is right. */
  | { readonly kind: 'skip'; readonly why: string };

/** One question that rollcall's rules, or the table of what answers prove, rest on. */
export interface Row {
  /** What is expected, in a few words. */
  readonly name: string;
  readonly ask: (session: Session) => Promise<Verdict>;
  /** Of what a row of a kind claims: which kind, by its path, and which claim. */
  readonly claim?: { readonly kind: string; readonly claim: string };
}

export const pass: Verdict = { kind: 'pass' };

export function fail(why: string): Verdict {
  return { kind: 'fail', why };
}

export function skip(why: string): Verdict {
  return { kind: 'skip', why };
}

/** Passes where the two are the same; a service that did not let the token ask is no failure. */
export function expected(actual: unknown, wanted: unknown): Verdict {
  if (actual === wanted) return pass;
  if (actual === 'denied' || actual === 403) return skip('the token may not do this');
  return fail(`expected ${String(wanted)}, and it was ${String(actual)}`);
}
