import { isAnswered, type Answer } from '../service/answer.ts';
import type { Client, DeleteResult, LookUpResult, UpdateResult, CreateResult } from '../service/client.ts';
import { withOutageWait } from '../service/outage.ts';
import type { Pacing } from '../service/pacing.ts';
import { Retries, maxTries } from '../service/retries.ts';
import type { ObservedRecord } from '../service/types.ts';
import type { Conflict, OutcomeKind } from './outcome.ts';

export interface WriteResult extends WriteEnding {
  /** Whether the answer to a write was unclear, so that the write may have had an effect. */
  readonly inDoubt: boolean;
  readonly attempts: number;
  /** Whether the token cannot see the record that this run created. */
  readonly isHidden?: boolean;
}

export interface WriteEnding {
  readonly outcome: Exclude<OutcomeKind, 'differs'>;
  /** The answer that decided the outcome. By default, this is the answer to the last write, if anything was sent. */
  readonly answer?: Answer | undefined;
  readonly held?: ObservedRecord | undefined;
  /** The field that caused the outcome, if it was a single field. */
  readonly at?: string | undefined;
  /** The reason why an existing record was not changed, and the current fields of the record. */
  readonly clash?:
    | undefined
    | Exclude<Conflict, { kind: 'changed' | 'ignored' }>
    | {
        readonly kind: 'changed' | 'ignored';
        readonly fields: readonly string[];
        readonly now: ObservedRecord;
      };
}

/** Decides whether a resource may be written or a write may be retried, and stops other writes if an answer demands it. */
export interface RunControl {
  sending(): void;
  /** Stops the run, the changes of one kind, or all resources with bindings. */
  stop(scope: 'run' | 'type' | 'pause' | 'bindings', proof?: JudgedRequest['proof']): void;
  /** Whether the resource may still be written: the run may have stopped while the resource waited. */
  mayBegin(): boolean;
  mayRetry(): boolean;
}

export interface Writer {
  readonly client: Client;
  readonly pacing: Pacing;
  readonly control: RunControl;
  /** Whether this run created the parent of the new record, so that no other record in the parent has the same name. */
  readonly isParentNew?: boolean;
}

type JudgedRequest = CreateResult | UpdateResult | DeleteResult;

export interface WriteSteps<Result extends JudgedRequest> {
  /** Returns the next request or the end of the write, after reading the current state if necessary. */
  readonly next: () => Promise<NextRequest<Result>>;
  readonly judge: (result: Result) => JudgedWrite | Promise<JudgedWrite>;
}

export interface EndedWrite {
  readonly kind: 'ended';
  readonly end: WriteEnding;
}

export type JudgedWrite =
  | EndedWrite
  /** The request may have had an effect; `end` is set if a later read has shown the effect. */
  | { readonly kind: 'unclear'; readonly end?: WriteEnding }
  /** The request had no effect, so it is safe to send it again. */
  | { readonly kind: 'not_applied' };

export function endedWrite(
  outcome: WriteEnding['outcome'],
  details: Omit<WriteEnding, 'outcome'> = {},
): EndedWrite {
  return { kind: 'ended', end: { ...details, outcome } };
}

export function conflictWith(clash: NonNullable<WriteEnding['clash']>, answer?: Answer): EndedWrite {
  return endedWrite('conflict', { clash, ...(answer && { answer }) });
}

type FailedProof = 'rejected' | 'denied' | 'read_only' | 'fault' | 'ambiguous' | 'not_applied';

/** Judges an answer that does not show the wanted effect. */
export function judgeFailure(proof: FailedProof): JudgedWrite {
  switch (proof) {
    case 'rejected':
    case 'denied':
      return endedWrite(proof);
    case 'read_only':
    case 'fault':
      return endedWrite('not_attempted');
    case 'ambiguous':
      return { kind: 'unclear' };
    case 'not_applied':
      return { kind: 'not_applied' };
  }
}

/** Judges the answer to a delete, given that a delete is safe to repeat. `done` is the outcome after success. */
export function judgeDelete(done: 'deleted' | 'updated', { proof }: DeleteResult): JudgedWrite {
  return proof === 'deleted' ? endedWrite(done) : judgeFailure(proof);
}

/** Returns how a write ends if the read before the write failed. If `look` is undefined, the service demanded too long a pause. */
export function endAfterFailedRead(
  look:
    | (Pick<LookUpResult, 'answer' | 'stop'> & { readonly proof: Exclude<LookUpResult['proof'], 'exists'> })
    | undefined,
  control: RunControl,
): WriteEnding {
  if (look === undefined) {
    control.stop('pause');
    return { outcome: 'not_attempted' };
  }
  const { proof, answer, stop } = look;
  if (stop === 'run') control.stop('run');
  return { outcome: proof === 'denied' ? 'denied' : 'not_attempted', answer };
}

export type NextRequest<Result> =
  | {
      readonly kind: 'send';
      readonly send: () => Promise<Result>;
      /** Details for the outcome `unknown`, if no further request is sent. */
      readonly unsent?: Partial<WriteEnding>;
    }
  | EndedWrite;

/** Sends a write and retries it. A rejection after an unclear answer does not prove that the earlier request had no effect. */
export async function settleWrite<Result extends JudgedRequest>(
  { next, judge }: WriteSteps<Result>,
  { pacing, control }: Pick<Writer, 'pacing' | 'control'>,
): Promise<WriteResult> {
  let inDoubt = false;
  let last: Answer | undefined;
  let attempts = 0;
  let wasAnswered = false;
  const retries = new Retries(pacing, maxTries.write);
  const mayContinue = (): boolean => (attempts === 0 ? control.mayBegin() : control.mayRetry());

  function ended({ outcome, answer = last, held, at, clash }: WriteEnding): WriteResult {
    // An answer that asks for a pause may come from a proxy that has passed the request on.
    inDoubt ||= outcome === 'unchanged' && wasAnswered;
    const mayHaveOutage = outcome === 'not_attempted' || outcome === 'unknown';
    return {
      outcome: (inDoubt && outcomesAfterUnclearAnswer[outcome]) || outcome,
      answer: answer && mayHaveOutage ? withOutageWait(answer, pacing.outage) : answer,
      held,
      at,
      clash,
      inDoubt,
      attempts,
    };
  }

  async function endWithoutRequest(): Promise<WriteResult> {
    if (!inDoubt) return ended({ outcome: 'not_attempted' });
    const look = await next();
    return ended(look.kind === 'ended' ? look.end : { outcome: 'unknown', ...look.unsent });
  }

  for (;;) {
    if (!mayContinue()) return endWithoutRequest();
    const ready = await next();
    if (ready.kind === 'ended') return ended(ready.end);
    if (!(await pacing.waitForTurn())) {
      control.stop('pause');
      return ended({ outcome: 'not_attempted' });
    }
    // Another resource may have stopped the run meanwhile.
    if (!mayContinue()) return ended({ outcome: 'not_attempted' });
    attempts += 1;
    control.sending();
    const written = await ready.send();
    const { answer, stop } = written;
    last = answer;
    wasAnswered ||= isAnswered(answer);
    retries.note(answer);
    if (stop || written.proof === 'fault') control.stop(stop ?? 'run', written.proof);
    const judged = await judge(written);
    inDoubt ||= judged.kind === 'unclear';
    if (judged.kind !== 'not_applied' && judged.end) return ended(judged.end);
    if (stop === 'run') return endWithoutRequest();
    // A request that was not sent because of an outage does not count as a try.
    if (!(await retries.again(answer, judged.kind === 'not_applied'))) return endWithoutRequest();
  }
}

/** The outcomes to report instead if an earlier request with an unclear answer may have succeeded. */
const outcomesAfterUnclearAnswer: Readonly<Partial<Record<WriteEnding['outcome'], WriteEnding['outcome']>>> =
  {
    unchanged: 'updated',
    rejected: 'unknown',
    denied: 'unknown',
    conflict: 'unknown',
    unknown: 'unknown',
    not_attempted: 'unknown',
  };
