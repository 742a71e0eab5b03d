import { filterKeys } from '../base/json.ts';
import type { ObservedRecord } from '../service/types.ts';
import type { WriteEnding, WriteResult } from './settle.ts';

/** The result of a step; a step that only reads has made no attempts. */
export type StepResult = WriteEnding & Partial<WriteResult>;

export type WriteStep = (known: WriteResult) => Promise<StepResult>;

/** Runs steps until one of them fails. The effects of earlier steps remain, so the resource is then incomplete. */
export async function runSteps(
  start: StepResult,
  done: 'created' | 'updated',
  steps: readonly WriteStep[],
): Promise<WriteResult> {
  let known: WriteResult = { ...noWrites, ...start };
  for (const step of steps) {
    const { held, answer, at: field, ...taken } = { ...noWrites, ...(await step(known)) };
    const hasDone = isWritten(known);
    const isDone = isWritten(taken) || taken.outcome === 'unchanged';
    const afterSuccess = hasDone || isWritten(taken) ? done : known.outcome;
    const afterFailure = hasDone ? 'unfinished' : taken.outcome;
    const last = isDone ? (answer ?? known.answer) : answer;
    known = {
      ...taken,
      outcome: isDone ? afterSuccess : afterFailure,
      inDoubt: known.inDoubt || taken.inDoubt,
      attempts: known.attempts + taken.attempts,
      ...(last && { answer: last }),
      ...(!isDone && field !== undefined && { at: field }),
      ...(known.held &&
        (isDone || afterFailure === 'unfinished') && {
          held: merged(withoutUnknown(known.held, taken.outcome, field), held),
        }),
    };
    if (!isDone) return known;
  }
  return known;
}

const noWrites = { inDoubt: false, attempts: 0 };

function isWritten({ outcome }: Pick<WriteResult, 'outcome'>): boolean {
  return outcome === 'created' || outcome === 'updated';
}

/** Removes the values that a write has changed, or may have changed, until a step reads them again. */
function withoutUnknown(
  before: ObservedRecord,
  outcome: WriteResult['outcome'],
  field: string | undefined,
): ObservedRecord {
  const isUnclear = outcome === 'unknown' || outcome === 'unfinished';
  if (!isUnclear && (field === undefined || !isWritten({ outcome }))) return before;
  return { ...before, fields: filterKeys(before.fields, (name) => field !== undefined && name !== field) };
}

function merged(before: ObservedRecord, now: ObservedRecord | undefined): ObservedRecord {
  if (now === undefined) return before;
  const { shown = before.fields } = before;
  return {
    ...before,
    ...now,
    fields: { ...before.fields, ...now.fields },
    ...((before.shown ?? now.shown) && { shown: { ...shown, ...(now.shown ?? now.fields) } }),
    names: { ...before.names, ...now.names },
  };
}
