import { shownRelease, type Release } from '../../src/kinds/release.ts';
import { accessRows } from './access.ts';
import { answers } from './answers.ts';
import { providerRows } from './providers.ts';
import { fail, type Verdict } from './row.ts';
import { rules } from './rules.ts';
import type { Exchange } from '../../src/service/transport.ts';
import { Session, type ProbeRequest, type Send } from './session.ts';

/** What a running service answered to one question. */
export interface Result {
  readonly row: string;
  readonly verdict: Verdict;
}

export interface Probed {
  readonly release: Release | undefined;
  readonly results: readonly Result[];
  /** What may be left of what was created. */
  readonly left: readonly string[];
}

/** Who is told of a run of the probe, and what ends it. */
export interface Circumstances {
  readonly onResult?: (result: Result, release: Release | undefined) => void;
  /** `row` is the one that asked. */
  readonly onExchange?: (row: string, request: ProbeRequest, exchange: Exchange) => void;
  readonly signal?: AbortSignal;
}

/** Asks a service everything that rollcall rests on, and deletes what it created for that; also where the signal ends it. */
export async function probeService(
  send: Send,
  run: string,
  { onResult, onExchange, signal }: Circumstances = {},
): Promise<Probed> {
  let row = 'the release';
  const session = new Session(async (request) => {
    const exchange = await send(request);
    onExchange?.(row, request, exchange);
    return exchange;
  }, run);
  const release = await session.askRelease();
  const results: Result[] = [];
  for (const { name, ask } of [...answers, ...accessRows, ...providerRows, ...rules]) {
    if (signal?.aborted) break;
    row = name;
    const verdict = await ask(session).catch((error: unknown) => fail(String(error)));
    const result = { row: name, verdict };
    results.push(result);
    onResult?.(result, release);
  }
  row = 'what the probe created is deleted';
  return { release, results, left: await session.clean() };
}

/** A line for a result: `PASS 2025.12.4  a slug of 51 characters`. */
export function shownResult({ row, verdict }: Result, release: Release | undefined): string {
  const shown = release ? shownRelease(release) : 'unknown release';
  const why = verdict.kind === 'pass' ? '' : `: ${verdict.why}`;
  return `${verdict.kind.toUpperCase()}  ${shown}  ${row}${why}`;
}
