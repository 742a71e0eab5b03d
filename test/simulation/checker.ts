import { checkChanges, checkUpdated } from './check-changes.ts';
import {
  addressOf,
  isSame,
  type DeclaredIdentity,
  type History,
  type Identity,
  type Report,
  type ReportedOutcome,
} from './history.ts';
import type { Rule, Violation } from './rules.ts';
import {
  canBeLookedUp,
  differingFrom,
  ofKind,
  runHistoryOf,
  shownIn,
  versionsDuring,
  wasTouchedByOthers,
  type Fail,
  type Of,
  type RunHistory,
} from './run-history.ts';

/** Holds each promise against what the world saw. Nothing here knows how the engine works. */
export function check(history: History): Violation[] {
  const violations: Violation[] = [];
  const fail = (rule: Rule, words: string): void => void violations.push({ rule, words });
  for (const began of ofKind(history.events, 'run_began')) checkRun(history, began, fail);
  checkClaims(history, fail);
  checkConvergence(history, fail);
  checkSettled(history, fail);
  return violations;
}

function checkRun(history: History, began: Of<'run_began'>, fail: Fail): void {
  const { events } = history;
  const name = began.run;
  const ofRun = <Event extends { readonly run: string }>(list: readonly Event[]): Event[] =>
    list.filter(({ run }) => run === name);
  const [ended] = ofRun(ofKind(events, 'ended'));
  const [killed] = ofRun(ofKind(events, 'killed'));
  const [crashed] = ofRun(ofKind(events, 'crashed'));
  const run = runHistoryOf(history, began);
  if (crashed) fail('ends', `${name} threw: ${crashed.error}`);
  else if (!ended && !killed) fail('ends', `${name} never ended`);
  checkRequests(history, run, began.ceiling, fail);
  checkChanges(history, run, fail);
  checkWaiting(history, run, fail);
  for (const { request } of ofRun(ofKind(events, 'followed')))
    fail('wrong_place', `${name} followed a redirect of #${request}`);
  const [interrupted] = ofRun(ofKind(events, 'interrupted'));
  if (interrupted) {
    for (const post of beginnings(run)) {
      if (run.before(interrupted, post))
        fail('interrupted', `${name} began ${addressOf(post)} after it was interrupted`);
    }
    if (ended && ended.ending !== 'interrupted')
      fail('interrupted', `${name} was interrupted, and ended as ${ended.ending}`);
  }
  if (ended) checkReport(history, run, ended, interrupted !== undefined, fail);
}

/** What was sent, and when. */
function checkRequests(history: History, run: RunHistory, ceiling: number, fail: Fail): void {
  const { declared } = history;
  const { before } = run;
  for (const event of run.sent) {
    if (!isAllowed(history, run, event))
      fail('contract', `${run.name} sent ${event.method} ${event.path}, which nothing allows`);
  }
  const delivery = new Map(run.delivered.map((event) => [event.request, event]));
  const allWrites = run.sent.filter((event) => isWrite(event));
  // Where somebody approves the plan, each change is looked at once more after that.
  const planned = run.approved ?? allWrites[0];

  for (const event of run.sent) {
    const isTold = run.delivered.some((answer) => answer.tells === 'superuser' && before(answer, event));
    if (event.purpose === 'page' && event.type === 'application' && !isTold)
      fail('superusers', `${run.name} sent #${event.request} with a token that is no superuser's`);
    const underWay = run.sent.filter((other) => {
      const answer = delivery.get(other.request);
      return !before(event, other) && (answer === undefined || before(event, answer));
    });
    if (underWay.length > ceiling)
      fail('ceiling', `${run.name} had ${underWay.length} requests under way, and ${ceiling} are allowed`);
    for (const answer of run.delivered) {
      if (answer.pausedUntil !== undefined && before(answer, event) && event.at < answer.pausedUntil)
        fail(
          'pause',
          `${run.name} sent #${event.request} ${answer.pausedUntil - event.at} ms too early for #${answer.request}`,
        );
    }
  }

  for (const asked of askedAbout(run)) {
    let inARow = 0;
    let spared = 0;
    for (const [index, event] of asked.entries()) {
      const last = asked[index - 1];
      const isNew = run.approved && last && before(last, run.approved) && before(run.approved, event);
      if (isNew) spared = 0;
      inARow = event.method !== 'GET' ? 0 : isNew ? 1 : inARow + 1;
      if (inARow === 0) spared = 0;
      if (spared < 3 && metOutage(run, event)) {
        spared += 1;
        inARow -= 1;
      }
      // Lists of names are read again where they changed meanwhile; whose the token is, lists and changes both ask.
      const most = event.purpose === 'name' ? 15 : event.purpose === 'self' ? 10 : 5;
      if (inARow === most + 1)
        fail('reads', `${run.name} looked up ${addressOf(event)} ${most + 1} times in a row`);
    }
  }
  for (const identity of declared) {
    const mine = run.sent.filter((event) => isSame(event, identity));
    const reads = mine.filter(({ method }) => method === 'GET');
    const writes = mine.filter(({ method }) => method === 'POST');
    if (canBeLookedUp(history, identity) && planned) {
      const lastRead = reads.findLast((read) => before(read, planned));
      const answer = lastRead && delivery.get(lastRead.request);
      // What is not looked up by itself was shown by a list, in which nothing is absent.
      const isClear = lastRead
        ? answer !== undefined && before(answer, planned) && isClearRead(answer)
        : run.delivered.some((page) => before(page, planned) && shownIn(page, identity));
      if (!isClear) fail('reads_first', `${run.name} sent a create before it knew of ${addressOf(identity)}`);
      if (writes.length > 0 && answer?.tells !== 'absent')
        fail('absent', `${run.name} sent a create for ${addressOf(identity)}, which was not absent`);
    }
    for (const [index, post] of writes.entries()) {
      const earlier = writes[index - 1];
      const answer = earlier && delivery.get(earlier.request);
      if (earlier === undefined) continue;
      if (answer === undefined || !before(answer, post)) {
        fail('retry', `${run.name} sent #${post.request} before #${earlier.request} was answered`);
        continue;
      }
      if (cannotHaveWorked(answer)) continue;
      if (answer.exchange === 'answered' && answer.clear)
        fail('retry', `${run.name} sent #${post.request} after a clear answer to #${earlier.request}`);
      const asked = reads.some((read) => {
        const told = delivery.get(read.request);
        return before(answer, read) && told !== undefined && before(told, post) && told.tells === 'absent';
      });
      if (canBeLookedUp(history, identity) && !asked)
        fail('retry', `${run.name} sent #${post.request} without asking what became of #${earlier.request}`);
    }
  }

  for (const answer of run.delivered) {
    const isDenial = answer.status === 401 || answer.status === 403;
    const later = allWrites.filter((write) => before(answer, write));
    // Who may create nothing may have the right to change things.
    const created = later.filter(({ method }) => method === 'POST');
    if (isDenial && answer.method === 'POST' && created.some(({ type }) => type === answer.type))
      fail('denied', `${run.name} went on with ${answer.type}s after #${answer.request} was denied`);
    if (answer.closed && later.some(({ type }) => type === answer.type))
      fail('closed', `${run.name} went on with ${answer.type}s after #${answer.request}`);
    const isFirstRead = planned === undefined || before(answer, planned);
    if (isDenial && answer.purpose === 'look_up' && isFirstRead && later.length > 0)
      fail('denied', `${run.name} sent a create although #${answer.request} was denied`);
    const isWrongPlace =
      isWrite(answer) && (answer.status === 302 || (answer.status === 404 && answer.method === 'POST'));
    if (isWrongPlace && beginnings(run).some((post) => before(answer, post)))
      fail(
        'wrong_place',
        `${run.name} began something after #${answer.request} was answered with ${answer.status}`,
      );
  }
}

/** Whether a request is one of the documented operations, or something that a capability of the run is for. */
function isAllowed(history: History, { mayChange }: RunHistory, event: Of<'sent'>): boolean {
  const { capabilities, declared } = history;
  const [place = '', query] = event.path.split('?');
  const hasLists = capabilities.includes('lists');
  const seesUsers = capabilities.includes('lookup-users');
  switch (event.purpose) {
    case 'create':
      return query === undefined && (place === applications || place === users);
    case 'change': {
      const isDeclared = declared.some((identity) => isSame(identity, event));
      return mayChange && capabilities.includes('update') && isDeclared && canBeLookedUp(history, event);
    }
    case 'name':
      return capabilities.includes('lookup-names');
    case 'self':
      return (hasLists || mayChange) && event.path === `${users}me/`;
    case 'page':
      return hasLists && (place === applications || (place === users && seesUsers));
    case 'look_up':
    case 'question': {
      if (query === undefined)
        return place.startsWith(applications) && /^[-\w]+\/$/.test(place.slice(applications.length));
      const filters = declared.filter(({ type }) => type === 'user').map(({ name }) => `username=${name}`);
      return seesUsers && place === users && filters.includes(query);
    }
  }
}

const applications = '/api/v3/core/applications/';
const users = '/api/v3/core/users/';

/** How it waited for a service that was away. */
function checkWaiting({ capabilities, events }: History, run: RunHistory, fail: Fail): void {
  if (run.wait === '0') return;
  const all = events.filter((event): event is RunEvent => 'run' in event && event.run === run.name);
  let isAway = false;
  let hasAnswered = false;
  let isRefusedOnly = true;
  let questions = 0;
  for (const event of all) {
    if (event.kind === 'interrupted') return;
    if (event.kind === 'sent') {
      const isOverdue =
        event.at - run.beganAt >
        (1 + capabilities.filter((one) => one === 'lists' || one === 'lookup-names').length) * mostHasteMs;
      if (run.wait === undefined && !hasAnswered && isRefusedOnly && isOverdue)
        fail('prompt', `${run.name} sent #${event.request}, and nothing had answered for so long`);
      if (isQuestion(event)) questions += 1;
      if (isQuestion(event) ? questions > 1 : isAway)
        fail('one_asks', `${run.name} sent #${event.request} while the service was away`);
    }
    if (event.kind === 'delivered') {
      const isStarting = event.status === 502 || event.status === 503;
      const isSign = isStarting || (event.refused === true && (hasAnswered || run.wait !== undefined));
      if (isSign) isAway = true;
      else if (isQuestion(event) && event.status !== undefined) isAway = false;
      if (isQuestion(event)) questions -= 1;
      hasAnswered ||= event.status !== undefined;
      isRefusedOnly &&= event.exchange === 'never_sent';
    }
  }
}

function isWrite({ method }: Of<'sent' | 'delivered'>): boolean {
  return method !== 'GET';
}

/** Asked of the service in place of a read, to hear whether it is there: what it says of that is said of no resource. */
function isQuestion({ purpose }: Of<'sent' | 'delivered'>): boolean {
  return purpose === 'question';
}

type RunEvent = Of<'sent' | 'delivered' | 'interrupted'>;

/** Five reads that are tried five times, one after the other. As many again may be needed for lists. */
const mostHasteMs = 20_000;

/** Nothing went wrong for this run but that the service restarted, in less time than it waits. */
function hadOnlyARestart({ events }: History, run: RunHistory, interrupted: boolean): boolean {
  if (run.wait === '0' || interrupted) return false;
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

/** It is clear what it says of its own request, and others are not begun after it. */
function keepsOthersFromBeginning({ status, method, closed }: Of<'delivered'>): boolean {
  return closed === true || status === 403 || (status === 404 && method !== 'GET');
}

/** After a request went out, and before the next for the same, the run has asked in vain whether the service is back. */
function metOutage(run: RunHistory, event: Of<'sent'>): boolean {
  const next = run.sent.find((later) => isSame(later, event) && later.request > event.request);
  if (next === undefined || run.delivered.every(({ request }) => request !== event.request)) return false;
  return run.delivered.some(
    (other) =>
      isQuestion(other) &&
      other.request > event.request &&
      other.request < next.request &&
      (other.status === undefined || other.status === 502 || other.status === 503),
  );
}

function cannotHave({ delivered }: RunHistory, { request }: Of<'sent'>): boolean {
  const answer = delivered.find((event) => event.request === request);
  return answer !== undefined && cannotHaveWorked(answer);
}

/** What was said, held against what happened. */
function checkReport(
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
    if (!['failed', 'denied', 'interrupted'].includes(ending))
      fail('ending', `${run.name} ended as ${ending} without a report`);
    if (run.sent.some((event) => isWrite(event)))
      fail('reads_first', `${run.name} sent creates, and reports nothing`);
    return;
  }
  const addresses = report.outcomes.map((outcome) => addressOf(outcome));
  const expected = history.declared.map((identity) => addressOf(identity));
  if (addresses.toSorted().join(' ') !== expected.toSorted().join(' '))
    fail('one_outcome', `${run.name} reports ${addresses.join(' ')}, and ${expected.join(' ')} are declared`);
  for (const [kind, count] of Object.entries(report.summary)) {
    const found = report.outcomes.filter(({ outcome }) => outcome === kind).length;
    if (found !== count) fail('one_outcome', `${run.name} counts ${count} ${kind}, and has ${found}`);
  }
  for (const outcome of report.outcomes) checkOutcome(history, run, outcome, fail);
  if (!interrupted && !run.failFast) checkBegun(run, report, fail);
  if (hadOnlyARestart(history, run, interrupted)) {
    for (const outcome of report.outcomes) {
      // What is refused, or not seen, after a doubt stays unknown.
      const isHidden = history.declared.some((identity) => isSame(identity, outcome) && identity.hidden);
      const wasRefused = run.delivered.some(
        (answer) => isSame(answer, outcome) && isRefusal(answer) && answer.clear,
      );
      // Two runs may change the same thing, each with values of its own.
      const isOpen = ['unknown', 'not_attempted'].includes(outcome.outcome);
      if (isOpen && !isHidden && !wasRefused && !wasTouchedByOthers(history, run, outcome))
        fail('patience', `${run.name} reports ${addressOf(outcome)} as ${outcome.outcome} after a restart`);
    }
  }
  const expectedEnding = interrupted ? 'interrupted' : endingOf(report);
  if (ending !== expectedEnding)
    fail('ending', `${run.name} ended as ${ending}, and its report says ${expectedEnding}`);
}

/** Where nothing was unclear, and nothing stands in the way but what one kind was told, the other kind is begun. */
function checkBegun(run: RunHistory, { outcomes }: Report, fail: Fail): void {
  const stopped = new Set(run.delivered.filter((answer) => stopsItsKind(answer)).map(({ type }) => type));
  const rest = run.delivered.filter((answer) => !stopsItsKind(answer));
  if (stopped.size === 0 || !rest.every((answer) => isPlainAnswer(answer))) return;
  for (const outcome of outcomes) {
    if (outcome.outcome === 'not_attempted' && outcome.attempts === 0 && !stopped.has(outcome.type))
      fail('begun', `${run.name} did not begin ${addressOf(outcome)}, and nothing was in its way`);
  }
}

function stopsItsKind({ status, method, closed }: Of<'delivered'>): boolean {
  return closed === true || (method === 'POST' && status === 403);
}

/** An answer of the service itself that lets a run go on. */
function isPlainAnswer({ status, method, clear }: Of<'delivered'>): boolean {
  if (!clear || status === undefined) return false;
  return [200, 201, 400].includes(status) || (status === 404 && method === 'GET');
}

function endingOf({ outcomes }: Report): string {
  const kinds = new Set(outcomes.map(({ outcome }) => outcome));
  if (kinds.has('denied')) return 'denied';
  if (outcomes.some((outcome) => isInPart(outcome))) return 'incomplete';
  return ['rejected', 'conflict', 'unknown', 'not_attempted'].some((kind) => kinds.has(kind))
    ? 'incomplete'
    : 'done';
}

/** Whether a report says of what is there that this run created it, or may have, and that fields are or may be missing. */
function isInPart({ outcome, doubt, differences = [] }: ReportedOutcome): boolean {
  if (outcome !== 'created' && doubt === undefined) return false;
  return doubt === 'unchecked' || differences.length > 0;
}

function checkOutcome(history: History, run: RunHistory, reported: ReportedOutcome, fail: Fail): void {
  const { outcome, attempts } = reported;
  const address = addressOf(reported);
  const posts = run.sent.filter((event) => isSame(event, reported) && isWrite(event));
  const answers = run.delivered.filter((event) => isSame(event, reported));
  const commits = run.handled.filter((event) => isSame(event, reported) && event.committed);
  const timesHandled = new Map<number, number>();
  for (const { request } of run.handled) timesHandled.set(request, (timesHandled.get(request) ?? 0) + 1);
  // What a proxy sends twice is answered for one of the two; nobody can know of the other.
  const wasResent = posts.some(({ request }) => (timesHandled.get(request) ?? 0) > 1);
  const says = `${run.name} reports ${address} as ${outcome}`;

  if (attempts !== posts.length)
    fail('attempts', `${says} after ${attempts} attempts, and sent ${posts.length}`);
  if (!wasResent) checkParts(history, run, reported, { answers, commits }, fail);
  if (['exists', 'unchanged', 'differs'].includes(outcome) && canBeLookedUp(history, reported)) {
    if (
      !answers.some(({ tells }) => tells === 'present') &&
      !run.delivered.some((page) => shownIn(page, reported))
    )
      fail('seen', `${says}, and never saw it`);
    checkCompared(history, run, reported, fail);
  }
  const counted = posts.filter((post) => !(cannotHave(run, post) && metOutage(run, post)));
  if (counted.length > 3) fail('attempts', `${run.name} sent ${posts.length} creates for ${address}`);
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
        fail('created', `${says}, and was never told that it did`);
      break;
    case 'updated':
      checkUpdated(run, reported, fail);
      break;
    case 'unchanged':
    case 'differs':
      // What could not be sent may have been done by somebody else meanwhile.
      if (posts.some((post) => !cannotHave(run, post)))
        fail('untouched', `${says}, and sent a create for it`);
      if (!wasPresent(history, reported, run)) fail('exists', `${says}, and it was not there`);
      break;
    case 'exists':
      if (!wasPresent(history, reported, run)) fail('exists', `${says}, and it was not there`);
      break;
    case 'rejected':
    case 'denied':
    case 'not_attempted':
      if (commits.length > 0 && !wasResent) fail('refused', `${says}, and it created it`);
      if (outcome === 'rejected' && posts.length > 0 && !answers.some((answer) => refuses(answer)))
        fail('blame', `${says}, and nobody refused what it says`);
      if (outcome === 'not_attempted' && attempts === 0 && posts.length > 0)
        fail('untouched', `${says}, and sent a create for it`);
      break;
    case 'conflict':
      if (commits.length > 0 && !wasResent) fail('refused', `${says}, and it created it`);
      if (!wasPresent(history, reported, run) && !answers.some(({ status }) => status === 409))
        fail('conflict', `${says}, and nobody had it`);
      // What was to be changed is so only where somebody else has changed it.
      if (!posts.some(({ method }) => method === 'POST') && !wasTouchedByOthers(history, run, reported))
        fail('conflict', `${says}, and nobody else has changed it`);
      break;
    case 'unknown':
      if (
        !run.gaveUp &&
        !couldNotLook(run, reported) &&
        !wasChangedOtherwise(history, run, reported) &&
        answers.every((answer) => answer.clear && (isWrite(answer) || isClearRead(answer)))
      )
        fail('doubt', `${says}, and every answer was clear`);
      break;
    default:
      fail('one_outcome', `${says}, which is no outcome`);
  }
}

/** Whether a change left it otherwise than declared, by the service or by somebody else. */
function wasChangedOtherwise(history: History, run: RunHistory, reported: ReportedOutcome): boolean {
  const changes = run.delivered.filter((answer) => isSame(answer, reported) && answer.purpose === 'change');
  if (changes.length === 0) return false;
  const wanted = run.wants[addressOf(reported)] ?? {};
  const isLeft = changes.some((answer) => {
    const shown = shownIn(answer, reported);
    return shown !== undefined && differingFrom(wanted, shown).length > 0;
  });
  return isLeft || wasTouchedByOthers(history, run, reported);
}

/** Whether its name was taken, and by what was not asked any more, because a trouble that others had met stood in the way. */
function couldNotLook(run: RunHistory, reported: ReportedOutcome): boolean {
  const last = run.delivered.findLast((answer) => isSame(answer, reported));
  if (last?.method !== 'POST' || (last.status !== 400 && last.status !== 409)) return false;
  const hasLooked = run.sent.some(
    (event) => isSame(event, reported) && event.method === 'GET' && event.request > last.request,
  );
  const isInTrouble = run.delivered.some((answer) => !isPlainAnswer(answer) && !stopsItsKind(answer));
  return !hasLooked && isInTrouble;
}

/** Whether what is said to differ is what differed at some moment of the run. */
function checkCompared(history: History, run: RunHistory, reported: ReportedOutcome, fail: Fail): void {
  const { outcome, differences = [] } = reported;
  const told = differences.map(({ field }) => field);
  const said = outcome === 'differs' ? told.length > 0 : outcome === 'exists' || told.length === 0;
  const versions = versionsDuring(history, reported, run);
  const wanted = run.wants[addressOf(reported)] ?? {};
  const were = versions.map((version) => differingFrom(wanted, version));
  const isSo = were.some(
    (differing) => differing.length === told.length && differing.every((field) => told.includes(field)),
  );
  if (said && isSo) return;
  const words = were.map((differing) => differing.join(', ') || 'nothing').join('; or ');
  fail(
    'compared',
    `${addressOf(reported)} is reported as ${outcome}, with another ${told.join(', ') || 'nothing'}; it was ${words}`,
  );
}

/** Whether what is said of doubts and of differing fields is what happened, for what is there. */
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
    ({ method, exchange, status, clear }) =>
      method === 'POST' && (exchange === 'lost' || (exchange === 'answered' && !clear && status !== 409)),
  );
  if (outcome === 'exists' && (doubt !== undefined) !== wasLeftOpen)
    fail('in_doubt', `${says}, and ${wasLeftOpen ? 'a create was' : 'no create was'} left open`);

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
  // Where somebody else had a hand in it, what was created in part may be gone.
  if (!changed && !isTold) fail('in_full', `${says}, and it has no ${lacking.join(', ')}`);

  const isOthers = changed || present.some((other) => isSame(other, reported));
  const lackingAnywhere = ofKind(events, 'handled')
    .filter((event) => isSame(event, reported) && event.committed)
    .flatMap((event) => lackingIn(event));
  const cause = outcome === 'created' ? lacking : lackingAnywhere;
  if (outcome === 'created' || !isOthers) {
    for (const field of told)
      if (!cause.includes(field)) fail('alarm', `${says}, with another ${field}, which is as declared`);
  }
}

/** The service, or what stands in front of it, refused what a create says. */
function refuses(answer: Of<'delivered'>): boolean {
  const { status = 0, clear, closed } = answer;
  return isWrite(answer) && clear && !closed && status >= 400;
}

/** Two runs may meet over one resource: only one of them has created it. */
function checkClaims({ declared, events }: History, fail: Fail): void {
  const reports = ofKind(events, 'ended').flatMap(({ report }) => report?.outcomes ?? []);
  for (const identity of declared) {
    const claims = reports.filter(
      (outcome) => isSame(outcome, identity) && outcome.outcome === 'created',
    ).length;
    const commits = ofKind(events, 'handled').filter(
      (event) => isSame(event, identity) && event.committed && event.before === undefined,
    ).length;
    if (claims > commits)
      fail(
        'claimed_once',
        `${addressOf(identity)} was created ${commits} times, and claimed ${claims} times`,
      );
  }
}

function checkConvergence(history: History, fail: Fail): void {
  const { declared, present, events } = history;
  const there = new Set(present.map((identity) => addressOf(identity)));
  for (const event of events) {
    if (event.kind === 'handled' && event.committed) there.add(addressOf(event));
    if (event.kind === 'actor') there[event.action === 'delete' ? 'delete' : 'add'](addressOf(event));
  }
  for (const identity of declared) {
    if (!identity.invalid && !there.has(addressOf(identity)))
      fail('converges', `${addressOf(identity)} is missing in the end`);
  }
  // What is there, and is seen there, is not sent where it may not be changed.
  const mayChange = ofKind(events, 'run_began').some((began) => began.mayChange);
  const anyInvalid = declared.some(
    (identity) =>
      identity.invalid && (mayChange || !canBeLookedUp(history, identity) || !there.has(addressOf(identity))),
  );
  for (const { run, ending, report } of ofKind(events, 'ended')) {
    if (run !== 'rerun' && run !== 'last') continue;
    if (ending !== (anyInvalid ? 'incomplete' : 'done')) fail('converges', `${run} ended as ${ending}`);
    for (const outcome of report?.outcomes ?? []) {
      const isRefused = outcome.outcome === 'rejected' && isInvalid(declared, outcome);
      const isWell = ['created', 'updated', 'exists', 'unchanged', 'differs'].includes(outcome.outcome);
      const isLeft = outcome.outcome === 'differs' && mayChange;
      if ((!isWell || isLeft) && !isRefused)
        fail('converges', `${run} reports ${addressOf(outcome)} as ${outcome.outcome}`);
      if (run === 'last' && (outcome.outcome === 'created' || outcome.outcome === 'updated'))
        fail('settled', `${addressOf(outcome)} was ${outcome.outcome} by the last run only`);
    }
  }
}

/** What the last run sends is refused, or cannot be looked up. */
function checkSettled(history: History, fail: Fail): void {
  for (const event of ofKind(history.events, 'sent')) {
    const isNeeded = isInvalid(history.declared, event) || !canBeLookedUp(history, event);
    if (event.run === 'last' && isWrite(event) && !isNeeded)
      fail('settled', `the last run sent ${event.method} ${addressOf(event)}`);
  }
}

function isInvalid(declared: readonly DeclaredIdentity[], identity: Identity): boolean {
  return declared.some((other) => isSame(other, identity) && other.invalid);
}

/** Whether something existed at some moment of a run. */
function wasPresent(history: History, identity: Identity, run: RunHistory): boolean {
  return versionsDuring(history, identity, run).length > 0;
}

/** The first create or change of each resource in a run. */
function beginnings({ sent }: RunHistory): Of<'sent'>[] {
  const seen = new Set<string>();
  return sent.filter((event) => {
    if (!isWrite(event) || seen.has(addressOf(event))) return false;
    seen.add(addressOf(event));
    return true;
  });
}

/** What was sent, by what it is about, but for the questions of an outage. */
function askedAbout({ sent }: RunHistory): readonly (readonly Of<'sent'>[])[] {
  const reads = sent.filter((event) => !isQuestion(event));
  const addresses = new Set(reads.map((event) => addressOf(event)));
  return [...addresses].map((address) => reads.filter((event) => addressOf(event) === address));
}

/** The service itself said that it is there, or that it is not. */
function isClearRead({ tells }: Of<'delivered'>): boolean {
  return tells !== undefined;
}

/** It was never sent, or whoever stood in front of the service put it off. */
function cannotHaveWorked({ exchange, status }: Of<'delivered'>): boolean {
  return exchange === 'never_sent' || status === 421 || status === 425 || status === 429;
}
