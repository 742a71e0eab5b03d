import { checkAccess, checkAccessOf } from './check-access.ts';
import { checkChanges, checkHandovers } from './check-changes.ts';
import { checkDocumented } from './check-documented.ts';
import { checkGroups, doubledGroups, refersToInvalidGroup } from './check-groups.ts';
import { checkReport } from './check-report.ts';
import { checkStrays } from './check-strays.ts';
import { checkRequests, checkWaiting } from './check-requests.ts';
import { firstWrites, hadStarted, isWrite } from './events.ts';
import {
  addressOf,
  isSame,
  mayBeDoubled,
  type DeclaredIdentity,
  type History,
  type HistoryEvent,
  type Identity,
} from './history.ts';
import type { Rule, Violation } from './rules.ts';
import { canBeLookedUp, ofKind, runHistoryOf, type Fail, type Of } from './run-history.ts';

/** Checks each promise against the events of the world, without knowledge of the engine. */
export function check(history: History): Violation[] {
  const violations: Violation[] = [];
  const fail = (rule: Rule, words: string): void => void violations.push({ rule, description: words });
  const order = new Map(history.events.map((event, index) => [event, index]));
  for (const began of ofKind(history.events, 'run_began')) checkRun(history, began, order, fail);
  checkAccess(history, fail);
  checkClaims(history, fail);
  if (ofKind(history.events, 'healed').length === 0) return violations;
  if (!history.access) checkConvergence(history, fail);
  checkSettled(history, fail);
  return violations;
}

function checkRun(
  history: History,
  began: Of<'run_began'>,
  order: ReadonlyMap<HistoryEvent, number>,
  fail: Fail,
): void {
  const { events } = history;
  const name = began.run;
  const ofRun = <Event extends { readonly run: string }>(list: readonly Event[]): Event[] =>
    list.filter(({ run }) => run === name);
  const [ended] = ofRun(ofKind(events, 'ended'));
  const [killed] = ofRun(ofKind(events, 'killed'));
  const [crashed] = ofRun(ofKind(events, 'crashed'));
  const run = runHistoryOf(history, began, order);
  if (crashed) fail('ends', `${name} threw: ${crashed.error}`);
  else if (!ended && !killed) fail('ends', `${name} never ended`);
  checkRequests(history, run, began.ceiling, fail);
  checkChanges(history, run, fail);
  checkHandovers(history, run, ended?.report, fail);
  checkWaiting(history, run, fail);
  checkStrays(history, run, ended, fail);
  checkGroups(history, run, ended, fail);
  checkAccessOf(history, run, ended, fail);
  for (const { request } of ofRun(ofKind(events, 'followed')))
    fail('wrong_place', `${name} followed a redirect of #${request}`);
  const [interrupted] = ofRun(ofKind(events, 'interrupted'));
  if (interrupted) {
    for (const post of firstWrites(run)) {
      const isGoingOn = history.access && hadStarted(run, post, interrupted);
      if (run.before(interrupted, post) && !isGoingOn)
        fail('interrupted', `${name} started ${addressOf(post)} after it was interrupted`);
    }
    if (ended && ended.ending !== 'interrupted')
      fail('interrupted', `${name} was interrupted, but ended as ${ended.ending}`);
  }
  if (ended) checkReport(history, run, ended, interrupted !== undefined, fail);
  if (ended && !interrupted) checkDocumented(history, run, ended, fail);
}

/** If two runs report that they created the same resource, only one of them did. */
function checkClaims({ declared, events }: History, fail: Fail): void {
  const reports = ofKind(events, 'ended').flatMap(({ report }) => report?.outcomes ?? []);
  for (const identity of declared) {
    const claims = reports.filter(
      (outcome) => isSame(outcome, identity) && outcome.outcome === 'created',
    ).length;
    const commits = ofKind(events, 'handled').filter(
      (event) =>
        isSame(event, identity) &&
        event.committed &&
        // Groups need not have unique names.
        (event.before === undefined || (mayBeDoubled(identity) && event.status === 201)),
    ).length;
    if (claims > commits)
      fail(
        'created',
        `${addressOf(identity)} was created ${commits} times, but reported as created ${claims} times`,
      );
  }
}

function checkConvergence(history: History, fail: Fail): void {
  const { declared, present, events } = history;
  // A person has to choose one of the groups.
  if (doubledGroups(history).length > 0) return;
  // A run that may not update creates nothing that would rely on a policy that differs.
  const isWaiting = ofKind(events, 'ended').some(({ report }) =>
    report?.outcomes.some(({ type, outcome }) => type === 'policy' && outcome === 'unfinished'),
  );
  if (isWaiting) return;
  const there = new Set(present.map((identity) => addressOf(identity)));
  for (const event of events) {
    if (event.kind === 'handled' && event.committed) there.add(addressOf(event));
    if (event.kind === 'actor') there[event.action === 'delete' ? 'delete' : 'add'](addressOf(event));
  }
  for (const identity of declared) {
    const isVain = identity.invalid || identity.stray || refersToInvalidGroup(history, identity);
    if (!isVain && !there.has(addressOf(identity)))
      fail('converges', `${addressOf(identity)} is missing in the end`);
  }
  // Without permission to update, nothing is sent for a record that exists and is visible.
  const mayChange = ofKind(events, 'run_began').some((began) => began.mayChange);
  const anyInvalid = declared.some(
    (identity) =>
      identity.invalid && (mayChange || !canBeLookedUp(history, identity) || !there.has(addressOf(identity))),
  );
  const isIncomplete = anyInvalid || declared.some(({ stray }) => stray);
  for (const { run, ending, report } of ofKind(events, 'ended')) {
    if (run !== 'rerun' && run !== 'last') continue;
    if (ending !== (isIncomplete ? 'incomplete' : 'done')) fail('converges', `${run} ended as ${ending}`);
    for (const outcome of report?.outcomes ?? []) {
      const isRefused =
        outcome.stopped_by === 'not_planned' ||
        (outcome.stopped_by === 'unmade' && refersToInvalidGroup(history, outcome)) ||
        (outcome.outcome === 'rejected' && isInvalid(declared, outcome));
      const isWell = ['created', 'updated', 'exists', 'unchanged', 'differs'].includes(outcome.outcome);
      const isLeft = outcome.outcome === 'differs' && mayChange;
      if ((!isWell || isLeft) && !isRefused)
        fail('converges', `${run} reports ${addressOf(outcome)} as ${outcome.outcome}`);
      if (run === 'last' && (outcome.outcome === 'created' || outcome.outcome === 'updated'))
        fail('converges', `${addressOf(outcome)} was ${outcome.outcome} only by the last run`);
    }
  }
}

/** Checks that requests of the last run are refused, or are for records that cannot be looked up. */
function checkSettled(history: History, fail: Fail): void {
  for (const event of ofKind(history.events, 'sent')) {
    const isNeeded = isInvalid(history.declared, event) || !canBeLookedUp(history, event);
    if (event.run === 'last' && isWrite(event) && !isNeeded)
      fail('converges', `the last run sent ${event.method} ${addressOf(event)}`);
  }
}

function isInvalid(declared: readonly DeclaredIdentity[], identity: Identity): boolean {
  return declared.some((other) => isSame(other, identity) && other.invalid);
}
