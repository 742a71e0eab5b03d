import { isWrite } from './events.ts';
import { addressOf, isSame, type History } from './history.ts';
import { partOf } from './offers.ts';
import { wasChangedByOthers, type Fail, type Of, type RunHistory } from './run-history.ts';

const isThere = new Set(['created', 'exists', 'unchanged', 'differs']);

/** Checks that everything possible with the documented operations is done, whatever the service answers to other requests. */
export function checkDocumented(history: History, run: RunHistory, ended: Of<'ended'>, fail: Fail): void {
  // If the token cannot see a record, its name is refused as taken. The last runs see all records.
  const mayBeHidden = run.name !== 'rerun' && run.name !== 'last';
  if (Object.keys(history.lacks).length === 0) return;
  if (mayBeHidden && history.declared.some(({ hidden }) => hidden)) return;
  const isDocumented = (answer: Of<'delivered'>): boolean =>
    partOf(answer.purpose, { type: answer.type, isWrite: isWrite(answer) }) === undefined;
  const isFaulty = (answer: Of<'delivered'>): boolean =>
    isDocumented(answer)
      ? !isPlain(answer)
      : !answer.isNotOffered && (!answer.clear || answer.exchange === 'never_sent');
  if (run.failFast || run.delivered.some((answer) => isFaulty(answer))) return;
  for (const identity of history.declared) {
    if (identity.invalid || identity.stray || wasChangedByOthers(history, run, identity)) continue;
    const outcome = ended.report?.outcomes.find((each) => isSame(each, identity))?.outcome ?? 'nothing';
    if (!isThere.has(outcome))
      fail(
        'documented',
        `${run.name} reports ${addressOf(identity)} as ${outcome}, although it could have been created`,
      );
  }
}

/** Whether an answer to a documented operation comes from the service itself and lets the run continue. */
function isPlain({ clear, closed, status = 0, method }: Of<'delivered'>): boolean {
  return clear && !closed && ([200, 201, 400].includes(status) || (status === 404 && method === 'GET'));
}
