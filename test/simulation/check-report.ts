import { checkUpdated } from './check-changes.ts';
import {
  cannotHaveHadEffect,
  cannotHaveWorked,
  isReplaced,
  isClearRead,
  isWrite,
  hadOutageAfter,
} from './events.ts';
import {
  addressOf,
  isOfRandomKind,
  isSame,
  mayBeDoubled,
  type History,
  type Identity,
  type Report,
  type ReportedOutcome,
} from './history.ts';
import { doubledGroups, refersToGroups } from './check-groups.ts';
import { sharesValues } from './check-strays.ts';
import {
  canBeLookedUp,
  differingFrom,
  ofKind,
  singleWriteRecords,
  shownIn,
  versionsDuring,
  wasChangedByOthers,
  type Fail,
  type Of,
  type RunHistory,
} from './run-history.ts';

/** Checks the report of a run against the events. */
export function checkReport(
  history: History,
  run: RunHistory,
  ended: Of<'ended'>,
  interrupted: boolean,
  fail: Fail,
): void {
  const { report, ending } = ended;
  if (report === undefined) {
    if (hadOnlyARestart(history, run, interrupted) && ending === 'failed')
      fail('patience', `${run.name} made no plan because of a restart`);
    // A value that belongs to another record is refused as invalid if the run cannot see that record, or if that record is gone.
    const isContested = !history.keepGoing && sharesValues(run);
    // If a proxy answers a look-up by id with the service's own "not found", the run of a superuser believes it.
    const isMisled = run.delivered.some(({ purpose, status }) => purpose === 'name' && status === 404);
    // A record in a list is looked up again, and that look-up may return no data.
    const isUnsettled = run.unseen.size > 0;
    const mayBeInvalid = isContested || isMisled || isUnsettled || doubledGroups(history).length > 0;
    if (!['failed', 'denied', 'interrupted', ...(mayBeInvalid ? ['invalid'] : [])].includes(ending))
      fail('ending', `${run.name} ended as ${ending} without a report`);
    if (run.sent.some((event) => isWrite(event)))
      fail('absent', `${run.name} sent creates, but reports nothing`);
    return;
  }
  const addresses = report.outcomes.map((outcome) => addressOf(outcome));
  const expected = history.declared.map((identity) => addressOf(identity));
  if (addresses.toSorted().join(' ') !== expected.toSorted().join(' '))
    fail('one_outcome', `${run.name} reports ${addresses.join(' ')}, but ${expected.join(' ')} are declared`);
  for (const [kind, count] of Object.entries(report.summary)) {
    const found = report.outcomes.filter(({ outcome }) => outcome === kind).length;
    if (found !== count) fail('one_outcome', `${run.name} counts ${count} ${kind}, but reports ${found}`);
  }
  const plain = new Set(singleWriteRecords(history).map((identity) => addressOf(identity)));
  for (const outcome of report.outcomes)
    if (plain.has(addressOf(outcome))) checkOutcome(history, run, outcome, fail);
  // A record that needs several writes may be stopped at each of them.
  const isRevoked = ofKind(history.events, 'revoked').some(({ at }) => at <= run.endedAt);
  if (!interrupted && !run.failFast && !history.access) checkBegun(run, report, isRevoked, fail);
  if (hadOnlyARestart(history, run, interrupted)) {
    const isDoubtful = (outcome: Identity): boolean =>
      history.declared.some((identity) => isSame(identity, outcome) && mayBeDoubled(identity));
    for (const outcome of report.outcomes) {
      // If the record is refused or invisible after an unclear answer, its outcome stays unknown.
      const isHidden = history.declared.some((identity) => isSame(identity, outcome) && identity.hidden);
      const wasRefused = run.delivered.some(
        (answer) => isSame(answer, outcome) && isRefusal(answer) && answer.clear,
      );
      // Two runs may give the same record different values.
      const isOpen =
        ['unknown', 'not_attempted'].includes(outcome.outcome) &&
        // If a group is in doubt, it is not sent again, and no record that refers to it is sent.
        !isDoubtful(outcome) &&
        !['waits', 'unmade', 'not_planned', ...(isRevoked ? ['token_refused'] : [])].includes(
          outcome.stopped_by ?? '',
        );
      if (isOpen && !isHidden && !wasRefused && !wasChangedByOthers(history, run, outcome))
        fail('patience', `${run.name} reports ${addressOf(outcome)} as ${outcome.outcome} after a restart`);
    }
  }
  const expectedEnding = interrupted ? 'interrupted' : endingOf(report);
  // A record that a run cannot finish without a permission is reported as denied.
  const mayBeDenied = ending === 'denied' && report.outcomes.some(({ outcome }) => outcome === 'unfinished');
  if (ending !== expectedEnding && !mayBeDenied)
    fail('ending', `${run.name} ended as ${ending}, but its report means ${expectedEnding}`);
}

/** Whether the only fault in this run was a restart of the service, shorter than the waiting time. */
function hadOnlyARestart({ access, events }: History, run: RunHistory, interrupted: boolean): boolean {
  if (access || run.wait === '0' || interrupted) return false;
  const troubles = run.delivered.filter((answer) => !answer.clear || cannotHaveWorked(answer));
  if (troubles.some(({ restarting }) => !restarting)) return false;
  if (run.delivered.some((answer) => keepsOthersFromBeginning(answer))) return false;
  if (ofKind(events, 'actor').length > 0) return false;
  const firstAway = run.delivered.find(({ restarting }) => restarting);
  const isWaitedFor =
    run.wait !== undefined ||
    run.delivered.some(
      (answer) => answer.status !== undefined && firstAway !== undefined && answer.at <= firstAway.at,
    );
  return firstAway !== undefined && isWaitedFor;
}

function isRefusal(answer: Of<'delivered'>): boolean {
  return isWrite(answer) && answer.status !== undefined && answer.status >= 400;
}

/** Whether an answer is clear for its own request, but keeps others from starting. */
function keepsOthersFromBeginning({ status, method, closed }: Of<'delivered'>): boolean {
  return closed === true || status === 403 || (status === 404 && method !== 'GET');
}

/** If no answer was unclear, and only one kind was stopped, the run must start with the other kind, unless the token was revoked. */
function checkBegun(run: RunHistory, { outcomes }: Report, isRevoked: boolean, fail: Fail): void {
  const stopped = new Set(run.delivered.filter((answer) => stopsItsKind(answer)).map(({ type }) => type));
  const rest = run.delivered.filter((answer) => !stopsItsKind(answer));
  if (stopped.size === 0 || !rest.every((answer) => isPlainAnswer(answer))) return;
  for (const outcome of outcomes) {
    const isLeft =
      outcome.outcome === 'not_attempted' &&
      !['waits', 'unmade', 'not_planned', ...(isRevoked ? ['token_refused'] : [])].includes(
        outcome.stopped_by ?? '',
      );
    if (isLeft && outcome.attempts === 0 && !stopped.has(outcome.type))
      fail('denied', `${run.name} did not start ${addressOf(outcome)}, although nothing prevented that`);
  }
}

function stopsItsKind({ status, method, closed }: Of<'delivered'>): boolean {
  return closed === true || (method === 'POST' && status === 403);
}

/** Whether an answer comes from the service itself and lets the run continue. */
function isPlainAnswer({ status, method, clear }: Of<'delivered'>): boolean {
  if (!clear || status === undefined) return false;
  return [200, 201, 400].includes(status) || (status === 404 && method === 'GET');
}

function endingOf({ outcomes }: Report): string {
  const kinds = new Set(outcomes.map(({ outcome }) => outcome));
  if (kinds.has('denied')) return 'denied';
  if (outcomes.some((outcome) => isInPart(outcome))) return 'incomplete';
  return ['unfinished', 'rejected', 'conflict', 'unknown', 'not_attempted'].some((kind) => kinds.has(kind))
    ? 'incomplete'
    : 'done';
}

/** Whether a report says that this run created, or may have created, a record whose fields are or may be incomplete. */
function isInPart({ outcome, doubt, differences = [] }: ReportedOutcome): boolean {
  if (outcome !== 'created' && doubt === undefined) return false;
  return doubt === 'unchecked' || doubt === 'hidden' || differences.length > 0;
}

function checkOutcome(history: History, run: RunHistory, reported: ReportedOutcome, fail: Fail): void {
  const { outcome, attempts } = reported;
  const isBase = history.declared.some((other) => other.isBase && isSame(other, reported));
  const address = addressOf(reported);
  const posts = run.sent.filter(
    (event) => isSame(event, reported) && isWrite(event) && !isReplaced(run, event),
  );
  const replaced = new Set(run.sent.filter((event) => isReplaced(run, event)).map(({ request }) => request));
  const answers = run.delivered.filter((event) => isSame(event, reported) && !replaced.has(event.request));
  const commits = run.handled.filter((event) => isSame(event, reported) && event.committed);
  const timesHandled = new Map<number, number>();
  for (const { request } of run.handled) timesHandled.set(request, (timesHandled.get(request) ?? 0) + 1);
  // If a proxy sends a request twice, the run gets only one answer, and does not know about the other request.
  const wasResent = posts.some(({ request }) => (timesHandled.get(request) ?? 0) > 1);
  const says = `${run.name} reports ${address} as ${outcome}`;

  if (attempts !== posts.length)
    fail('attempts', `${says} after ${attempts} attempts, but sent ${posts.length}`);
  if (!wasResent) checkParts(history, run, reported, { answers, commits }, fail);
  if (['exists', 'unchanged', 'differs'].includes(outcome) && canBeLookedUp(history, reported, run)) {
    if (
      !answers.some(({ tells }) => tells === 'present') &&
      !run.delivered.some((page) => shownIn(page, reported))
    )
      fail('seen', `${says}, but never read it`);
    checkCompared(history, run, reported, fail);
  }
  const identity = history.declared.find((other) => isSame(other, reported));
  const counted = posts.filter(
    (post) =>
      !(cannotHaveHadEffect(run, post) && hadOutageAfter(run, post)) &&
      (!identity?.isInParts || post.purpose === 'create'),
  );
  if (counted.length > 3) fail('attempts', `${run.name} sent ${posts.length} creates for ${address}`);
  if (identity?.isInParts) checkComplete(history, run, reported, fail);
  switch (outcome) {
    case 'created':
      if (
        !answers.some(
          (answer) =>
            answer.method === 'POST' &&
            answer.status === 201 &&
            commits.some(({ request }) => request === answer.request),
        )
      )
        fail('created', `${says}, but no answer said so`);
      break;
    case 'updated':
      checkUpdated(run, reported, fail);
      break;
    case 'unchanged':
    case 'differs':
      // Another client may have created or changed the record. A change that was answered with 404 had no effect.
      if (posts.some((post) => !cannotHaveHadEffect(run, post) && !wasAnsweredWith(run, post, 404)))
        fail('attempts', `${says}, but sent a create for it`);
      if (!wasPresent(history, reported, run)) fail('seen', `${says}, but it did not exist`);
      break;
    case 'exists':
      if (!wasPresent(history, reported, run)) fail('seen', `${says}, but it did not exist`);
      break;
    case 'rejected':
    case 'denied':
    case 'not_attempted':
      if (commits.length > 0 && !wasResent) fail('refused', `${says}, but created it`);
      if (outcome === 'rejected' && posts.length > 0 && !answers.some((answer) => refuses(answer)))
        fail('refused', `${says}, but nobody refused the record`);
      if (outcome === 'not_attempted' && attempts === 0 && posts.length > 0)
        fail('attempts', `${says}, but sent a create for it`);
      break;
    case 'conflict':
      if (reported.type === 'user' && run.couldNotSeeUsers)
        fail('denied', `${says}, although users could not be looked up`);
      if (commits.length > 0 && !wasResent) fail('refused', `${says}, but created it`);
      if (!wasPresent(history, reported, run) && !answers.some(({ status }) => status === 409))
        fail('conflict', `${says}, but no other record had the name`);
      // If no change was sent, the record can only have its declared values through another client.
      if (!posts.some(({ method }) => method === 'POST') && !wasChangedByOthers(history, run, reported))
        fail('conflict', `${says}, but no other client changed it`);
      break;
    case 'unknown':
      if (
        !run.stoppedAtOnce &&
        !couldNotLook(run, reported) &&
        !(isBase && !canBeLookedUp(history, reported, run)) &&
        !wasChangedOtherwise(history, run, reported) &&
        answers.every((answer) => answer.clear && (isWrite(answer) || isClearRead(answer)))
      )
        fail('doubt', `${says}, although every answer was clear`);
      break;
    case 'unfinished':
      if (
        // A policy that appears during the run as another one than declared is left, even if the run may change records.
        !(identity?.isInParts || (reported.type === 'policy' && (!run.mayChange || reported.attempts > 0))) ||
        !wasPresent(history, reported, run)
      )
        fail('one_outcome', `${says}, although it needs only one request`);
      break;
    default:
      fail('one_outcome', `${says}, which is not an outcome`);
  }
}

/** Checks that a record of a circle that is reported as done is complete. */
function checkComplete(history: History, run: RunHistory, reported: ReportedOutcome, fail: Fail): void {
  const { outcome, doubt, differences = [] } = reported;
  if (!['created', 'updated', 'unchanged'].includes(outcome) || doubt !== undefined) return;
  const address = addressOf(reported);
  const told = new Set(differences.map(({ field }) => field));
  const last = versionsDuring(history, reported, run).at(-1);
  const lacking = last ? differingFrom(run.wants[address] ?? {}, last) : ['id'];
  if (lacking.some((field) => !told.has(field)))
    fail('complete', `${run.name} reports ${address} as ${outcome}, without its ${lacking.join(', ')}`);
}

/** Whether the service or another client gave a record other values than declared after a change. */
function wasChangedOtherwise(history: History, run: RunHistory, reported: ReportedOutcome): boolean {
  const changes = run.delivered.filter((answer) => isSame(answer, reported) && answer.purpose === 'change');
  if (changes.length === 0) return false;
  const wanted = run.wants[addressOf(reported)] ?? {};
  const isLeft = changes.some((answer) => {
    const shown = shownIn(answer, reported);
    return shown !== undefined && differingFrom(wanted, shown).length > 0;
  });
  return isLeft || wasChangedByOthers(history, run, reported);
}

/** Whether the name was taken, and a fault in other requests kept the run from looking the record up. */
function couldNotLook(run: RunHistory, reported: ReportedOutcome): boolean {
  const last = run.delivered.findLast((answer) => isSame(answer, reported));
  if (last?.method !== 'POST' || (last.status !== 400 && last.status !== 409)) return false;
  const hasLooked = run.sent.some(
    (event) => isSame(event, reported) && event.method === 'GET' && event.request > last.request,
  );
  const isInTrouble = run.delivered.some((answer) => !isPlainAnswer(answer) && !stopsItsKind(answer));
  return !hasLooked && isInTrouble;
}

/** Checks that the reported differences are those of some moment of the run. */
function checkCompared(history: History, run: RunHistory, reported: ReportedOutcome, fail: Fail): void {
  const { outcome, differences = [] } = reported;
  const told = differences.map(({ field }) => field);
  const said = outcome === 'differs' ? told.length > 0 : outcome === 'exists' || told.length === 0;
  const versions = versionsDuring(history, reported, run);
  const wanted = run.wants[addressOf(reported)] ?? {};
  const were = versions.map((version) => differingFrom(wanted, version));
  // A reference by name is compared with the record at its look-up, and others may have created that since.
  const named = history.declared.filter((other) =>
    told.some(
      (field) =>
        (refersToGroups(field) && other.type === 'group') ||
        (isOfRandomKind(other) && wanted[field]?.includes(JSON.stringify(addressOf(other)))),
    ),
  );
  const isLate = named.some((other) => wasChangedByOthers(history, run, other));
  if (isLate && were.some((differing) => differing.every((field) => told.includes(field)))) return;
  const isSo = were.some(
    (differing) => differing.length === told.length && differing.every((field) => told.includes(field)),
  );
  if (said && isSo) return;
  const words = were.map((differing) => differing.join(', ') || 'nothing').join('; or ');
  fail(
    'compared',
    `${addressOf(reported)} is reported as ${outcome}, with differences in ${told.join(', ') || 'nothing'}; it was ${words}`,
  );
}

/** Checks that the reported doubts and differences of existing records are true. */
function checkParts(
  history: History,
  run: RunHistory,
  reported: ReportedOutcome,
  { answers, commits }: { answers: readonly Of<'delivered'>[]; commits: readonly Of<'handled'>[] },
  fail: Fail,
): void {
  const { events, present } = history;
  const { outcome, doubt, differences = [] } = reported;
  if (outcome !== 'created' && outcome !== 'exists') return;
  const says = `${addressOf(reported)} is reported as ${outcome}${doubt === undefined ? '' : ` (${doubt})`}`;
  const wasLeftOpen = answers.some(
    ({ method, exchange, status, clear, words }) =>
      method === 'POST' &&
      (exchange === 'lost' ||
        // A proxy's page does not show whether the proxy passed the create on.
        (exchange === 'answered' && (!clear || words.includes('html_404')) && status !== 409)),
  );
  if (outcome === 'exists' && (doubt !== undefined) !== wasLeftOpen)
    fail('doubt', `${says}, but ${wasLeftOpen ? 'a create' : 'no create'} had no clear answer`);

  const wanted = run.wants[addressOf(reported)] ?? {};
  const lackingIn = ({ after }: Of<'handled'>): string[] => (after ? differingFrom(wanted, after) : []);
  const changed = events.some(
    (event) =>
      event.at <= run.endedAt &&
      (event.kind === 'actor' || (event.kind === 'handled' && event.committed && event.before)) &&
      isSame(event, reported),
  );
  const told = new Set(differences.map(({ field }) => field));
  const lacking = commits.flatMap((commit) => lackingIn(commit));
  const isTold = doubt === 'unchecked' || lacking.every((field) => told.has(field));
  // If another client wrote meanwhile, a record that was created in part may be gone.
  if (!changed && !isTold) fail('in_full', `${says}, but it has no ${lacking.join(', ')}`);

  const isOthers = changed || present.some((other) => isSame(other, reported));
  const lackingAnywhere = ofKind(events, 'handled')
    .filter((event) => isSame(event, reported) && event.committed)
    .flatMap((event) => lackingIn(event));
  const cause = outcome === 'created' ? lacking : lackingAnywhere;
  if (outcome === 'created' || !isOthers) {
    for (const field of told)
      if (!cause.includes(field) && !(refersToGroups(field) && doubledGroups(history).length > 0))
        fail('in_full', `${says}, with a difference in ${field}, which is as declared`);
  }
}

/** Whether the service or a proxy refused the body of a create. */
function refuses(answer: Of<'delivered'>): boolean {
  const { status = 0, clear, closed } = answer;
  return isWrite(answer) && clear && !closed && status >= 400;
}

/** Whether a record existed at some moment of a run. */
function wasPresent(history: History, identity: Identity, run: RunHistory): boolean {
  return versionsDuring(history, identity, run).length > 0;
}

/** Whether the answer to a request had this status. */
function wasAnsweredWith({ delivered }: RunHistory, { request }: Of<'sent'>, status: number): boolean {
  return delivered.some((answer) => answer.request === request && answer.status === status);
}
