import { doubledGroups } from './check-groups.ts';
import { isWrite } from './events.ts';
import { addressOf, isSame, type History } from './history.ts';
import type { Fail, Of, RunHistory } from './run-history.ts';

/** Checks that a run with --keep-going sends nothing for unplanned resources, and plans all others. */
export function checkStrays(
  history: History,
  run: RunHistory,
  ended: Of<'ended'> | undefined,
  fail: Fail,
): void {
  const { access, declared, keepGoing } = history;
  const strays = declared.filter(({ stray }) => stray);
  for (const event of run.sent)
    if (isWrite(event) && strays.some((stray) => isSame(stray, event)))
      fail('kept_going', `${run.name} sent ${addressOf(event)}, which refers to a missing record`);
  if (keepGoing && ended?.ending === 'invalid')
    fail('kept_going', `${run.name} made no plan, although it has --keep-going`);
  for (const outcome of ended?.report?.outcomes ?? []) {
    const isLeft = outcome.outcome === 'not_attempted' && outcome.stopped_by === 'not_planned';
    const isStray = strays.some((stray) => isSame(stray, outcome));
    if (isStray && !isLeft)
      fail(
        'kept_going',
        `${run.name} reports ${addressOf(outcome)}, which was not planned, as ${outcome.outcome}`,
      );
    // A value of another record may be refused before it is sent. A name whose look-up failed has no id.
    const isUnread = run.delivered.some(
      ({ purpose, type, status, tells }) =>
        (purpose === 'name' && status !== 200) ||
        (purpose === 'look_up' && type !== 'application' && tells === undefined),
    );
    const isExplained = isUnread || sharesValues(run) || doubledGroups(history).length > 0;
    if (!access && !isStray && isLeft && !(isUnread || (keepGoing && isExplained)))
      fail('kept_going', `${run.name} did not plan ${addressOf(outcome)}, which refers to no missing record`);
  }
}

/** Whether a declared value may belong to another record. */
export function sharesValues({ wants }: RunHistory): boolean {
  return Object.values(wants).some((fields) => 'provider' in fields);
}
