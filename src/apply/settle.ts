import type { Answer } from '../service/answer.ts';
import type { Deleting, Reading, Updating, Writing } from '../service/client.ts';
import { withOutageWait } from '../service/outage.ts';
import type { Pacing } from '../service/pacing.ts';
import { Retries, maxTries } from '../service/retries.ts';
import type { HeldRecord } from '../service/types.ts';
import type { Conflict, OutcomeKind } from './outcome.ts';

/** What became of one resource that was to be created or changed. */
export interface WriteResult extends WriteEnd {
  /** Whether the end of a request of ours was not clear, which may have created or changed it. */
  readonly inDoubt: boolean;
  /** How many requests to create or to change it were sent. */
  readonly attempts: number;
}

/** How it ends, by what is known so far. */
export interface WriteEnd {
  readonly outcome: Exclude<OutcomeKind, 'differs'>;
  /** The answer that decided it; by default the last one to a write. None when nothing was sent. */
  readonly answer?: Answer;
  /** The fields as the service holds them, if it showed them: in the answer to the write, or when it was looked up. */
  readonly held?: HeldRecord;
  /** The field that it is about, where it is about one. */
  readonly at?: string;
  /** Why what exists was not changed; the fields as they were found. */
  readonly clash?:
    | Exclude<Conflict, { kind: 'changed' | 'ignored' }>
    | { readonly kind: 'changed' | 'ignored'; readonly fields: readonly string[]; readonly now: HeldRecord };
}

/** How one resource and the rest of the run say to each other when to stop. */
export interface RunControl {
  /** Called just before each request to create or to change it. */
  sending(): void;
  /** Lets nothing more of the run, of this type, or to which something is bound, begin. Called at once, with what an answer proved that shows why. */
  stop(scope: 'run' | 'type' | 'pause' | 'bindings', proof?: Written['proof']): void;
  /** Whether it is still to be begun. The run may have been stopped while it waited for its turn. */
  mayBegin(): boolean;
  /** Whether sending this again may help. */
  mayRetry(): boolean;
}

type Written = Writing | Updating | Deleting;

/** How a resource is created, or changed: what differs between the two. */
export interface Write<Result extends Written> {
  /** What is to be sent, by what the service holds now where that matters; or how it ends without. */
  readonly next: () => Promise<Next<Result>>;
  /** What an answer comes to. */
  readonly judge: (result: Result) => Promise<JudgedWrite>;
}

export type JudgedWrite =
  | { readonly kind: 'ended'; readonly end: WriteEnd }
  /** It may have been carried out; `end`: what another look showed of that. */
  | { readonly kind: 'open'; readonly end?: WriteEnd }
  /** To send it again is safe. */
  | { readonly kind: 'not_applied' };

export function endedAs(end: WriteEnd): JudgedWrite {
  return { kind: 'ended', end };
}

/** What the answer to a delete comes to, which is `done` where it worked. To delete again is safe. */
export function judgeDelete(done: 'deleted' | 'updated', { proof }: Deleting): JudgedWrite {
  switch (proof) {
    case 'deleted':
      return endedAs({ outcome: done });
    case 'rejected':
    case 'denied':
      return endedAs({ outcome: proof });
    case 'closed':
    case 'fault':
      return endedAs({ outcome: 'not_attempted' });
    case 'ambiguous':
      return { kind: 'open' };
    case 'not_applied':
      return { kind: 'not_applied' };
  }
}

/** How a write ends where the look just before it shows nothing; no look at all where the service asks for too long a pause. */
export function endedUnread(
  look:
    | (Pick<Reading, 'answer' | 'stop'> & { readonly proof: Exclude<Reading['proof'], 'exists'> })
    | undefined,
  control: RunControl,
): WriteEnd {
  if (look === undefined) {
    control.stop('pause');
    return { outcome: 'not_attempted' };
  }
  const { proof, answer, stop } = look;
  if (stop === 'run') control.stop('run');
  return { outcome: proof === 'denied' ? 'denied' : 'not_attempted', answer };
}

export type Next<Result> =
  | {
      readonly kind: 'send';
      readonly send: () => Promise<Result>;
      /** What it would end with in place of `unknown`, where it is in doubt and nothing more is sent. */
      readonly unsent?: Partial<WriteEnd>;
    }
  | { readonly kind: 'ended'; readonly end: WriteEnd };

/**
 * Sends one write, and finds out what became of it. After an answer that does not say whether the service acted, a later refusal
 * cannot prove that nothing was done.
 */
export async function settle<Result extends Written>(
  { next, judge }: Write<Result>,
  pacing: Pacing,
  control: RunControl,
): Promise<WriteResult> {
  let inDoubt = false;
  let last: Answer | undefined;
  let attempts = 0;
  const retries = new Retries(pacing, maxTries.write);
  const mayGoOn = (): boolean => (attempts === 0 ? control.mayBegin() : control.mayRetry());

  function ended({ outcome, answer = last, ...end }: WriteEnd): WriteResult {
    const settled = inDoubt ? outcomeAfterDoubt[outcome] : outcome;
    const isOpen = outcome === 'not_attempted' || outcome === 'unknown';
    return {
      ...end,
      outcome: settled,
      ...(answer && { answer: isOpen ? withOutageWait(answer, pacing.outage) : answer }),
      inDoubt,
      attempts,
    };
  }

  /** No further request is sent. */
  async function finished(): Promise<WriteResult> {
    if (!inDoubt) return ended({ outcome: 'not_attempted' });
    const look = await next();
    return ended(look.kind === 'ended' ? look.end : { outcome: 'unknown', ...look.unsent });
  }

  for (;;) {
    if (!mayGoOn()) return finished();
    const ready = await next();
    if (ready.kind === 'ended') return ended(ready.end);
    if (!(await pacing.turn())) {
      control.stop('pause');
      return ended({ outcome: 'not_attempted' });
    }
    // Another resource may have stopped the run meanwhile.
    if (!mayGoOn()) return ended({ outcome: 'not_attempted' });
    attempts += 1;
    control.sending();
    const written = await ready.send();
    const { answer, stop } = written;
    last = answer;
    retries.note(answer);
    if (stop) control.stop(stop, written.proof);
    const judged = await judge(written);
    inDoubt ||= judged.kind === 'open';
    if (judged.kind !== 'not_applied' && judged.end) return ended(judged.end);
    if (stop === 'run') return finished();
    // A request that could not be sent in an outage does not count.
    if (!(await retries.again(answer, judged.kind === 'not_applied'))) return finished();
  }
}

/** What an outcome comes to where an earlier request of ours may have been carried out. */
const outcomeAfterDoubt: Readonly<Record<WriteEnd['outcome'], WriteEnd['outcome']>> = {
  created: 'created',
  exists: 'exists',
  updated: 'updated',
  deleted: 'deleted',
  unfinished: 'unfinished',
  unchanged: 'updated',
  rejected: 'unknown',
  denied: 'unknown',
  conflict: 'unknown',
  unknown: 'unknown',
  not_attempted: 'unknown',
};
