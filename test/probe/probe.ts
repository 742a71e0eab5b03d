import { releaseText, type Release } from '../../src/kinds/release.ts';
import { accessRows } from './access.ts';
import { answers } from './answers.ts';
import { claimRows } from './claims.ts';
import { fail, type Row, type Verdict } from './row.ts';
import { rules } from './rules.ts';
import type { Exchange } from '../../src/service/transport.ts';
import { Session, type ProbeRequest, type Send } from './session.ts';

/** The result of one question to a running service. */
export interface Result {
  readonly row: string;
  readonly verdict: Verdict;
  readonly claim?: Row['claim'];
}

export interface ProbeResults {
  readonly release: Release | undefined;
  readonly results: readonly Result[];
  /** Records that the probe could not delete. */
  readonly notDeleted: readonly string[];
}

export const allRows: readonly Row[] = [...answers, ...accessRows, ...claimRows, ...rules];

/** All questions except the claims about kinds other than users and applications. They take a tenth of the requests. */
export const mainRows = allRows.filter(({ claim }) => claim === undefined || claim.kind.startsWith('/core/'));

/** A listener for the exchanges of the probe, and a signal that ends it. */
export interface Circumstances {
  readonly onResult?: (result: Result, release: Release | undefined) => void;
  /** `row` is the name of the question. */
  readonly onExchange?: (row: string, request: ProbeRequest, exchange: Exchange) => void;
  readonly signal?: AbortSignal;
  /** The questions. By default, all are asked. */
  readonly rows?: readonly Row[];
}

/** Checks all assumptions of rollcall about a service. Then deletes all records that it created, even after an abort. */
export async function probeService(
  send: Send,
  run: string,
  { onResult, onExchange, signal, rows = allRows }: Circumstances = {},
): Promise<ProbeResults> {
  let row = 'the release';
  const session = new Session(async (request) => {
    const exchange = await send(request);
    onExchange?.(row, request, exchange);
    return exchange;
  }, run);
  const release = await session.askRelease();
  const results: Result[] = [];
  for (const { name, ask, claim } of rows) {
    if (signal?.aborted) break;
    row = name;
    const verdict = await ask(session).catch((error: unknown) => fail(String(error)));
    const result = { row: name, verdict, ...(claim && { claim }) };
    results.push(result);
    onResult?.(result, release);
  }
  row = 'what the probe created is deleted';
  return { release, results, notDeleted: await session.clean() };
}

/** One line for a result: `PASS 2025.12.4 a slug of 51 characters`. */
export function shownResult({ row, verdict }: Result, release: Release | undefined): string {
  const shown = release ? releaseText(release) : 'unknown release';
  const why = verdict.kind === 'pass' ? '' : `: ${verdict.why}`;
  return `${verdict.kind.toUpperCase()}  ${shown}  ${row}${why}`;
}

const words = { pass: 'holds', fail: 'not', skip: 'not tried' } as const;

/** The claims of the kinds' rows, and whether they are true. */
export function claimsOf(results: readonly Result[]): readonly Claim[] {
  return results.flatMap(({ claim, verdict }) =>
    claim ? { ...claim, verdict: words[verdict.kind], ...('why' in verdict && { why: verdict.why }) } : [],
  );
}

export interface Claim {
  /** The path of the kind's list. */
  readonly kind: string;
  readonly claim: string;
  readonly verdict: 'holds' | 'not' | 'not tried';
  readonly why?: string;
}

/** The claims as a table with one line for each kind. `+` means true, `!` false, and a dot not tried. */
export function shownClaims(claims: readonly Claim[]): string[] {
  const names = [...new Set(claims.map(({ claim }) => claim))];
  const width = Math.max(...claims.map(({ kind }) => kind.length));
  const signs = { holds: '+', not: '!', 'not tried': '.' };
  const lines = [...new Set(claims.map(({ kind }) => kind))].map((kind) => {
    const own = new Map(claims.flatMap((one) => (one.kind === kind ? [[one.claim, one.verdict]] : [])));
    const cells = names.map((name) => signs[own.get(name) ?? 'not tried'].padEnd(name.length));
    return `${kind.padEnd(width)}  ${cells.join(' ')}`.trimEnd();
  });
  return lines.length === 0 ? [] : [`${''.padEnd(width)}  ${names.join(' ')}`, ...lines];
}
