import {
  addressOf,
  isSame,
  type DeclaredIdentity,
  type History,
  type HistoryEvent,
  type Identity,
  type Report,
  type ReportedOutcome,
  type Version,
} from './history.ts';

/** A promise that was not kept. */
export interface Violation {
  readonly rule: Rule;
  readonly words: string;
}

/** The promises, each held against what the world saw. Nothing here knows how the engine works. */
export const rules = {
  contract: 'Nothing is sent but the three documented operations, and what a capability allows by name.',
  ends: 'Every run that is not killed ends, and with no exception.',
  one_outcome: 'Every declared resource has exactly one outcome, and the summary counts them.',
  created: '`created`: a request of this run created it, and the run was told so.',
  claimed_once: 'What was created once is claimed once, by one run.',
  exists: '`exists`, `unchanged`, `differs`: it was there at some moment of the run.',
  seen: '`exists`, `unchanged`, `differs` of what can be looked up: a read of this run showed it.',
  compared:
    'The fields that are said to differ in what was looked up, and no others, did so at some moment of the run.',
  refused: '`rejected`, `denied`, `not_attempted`: no request of this run created it, then or later.',
  conflict: '`conflict`: somebody had the name, as far as the service said.',
  doubt: '`unknown`: something was unclear.',
  in_doubt: '`exists` is in doubt after a create of this run that was left open, and not otherwise.',
  in_full: 'Nothing that this run created in part is reported as done.',
  alarm: 'A field is said to be otherwise only where it is.',
  blame: '`rejected`: the service refused what it says, and not whatever is sent.',
  untouched: 'What needs nothing, or was not attempted, is not sent.',
  attempts:
    'The attempts that are reported are the requests that were sent, and three at the most met a service that was there.',
  reads_first: 'Nothing is sent before every read has told clearly whether there is something.',
  absent: 'What can be looked up is created only after the service itself said that it is absent.',
  superusers: "Applications are read in pages only after the service said that the token is a superuser's.",
  retry:
    'A create is sent again only when the one before cannot have worked, or the service was asked first.',
  reads: 'Nothing is looked up more than five times in a row, but for three outages.',
  pause: 'Nothing is sent while the service has asked to wait.',
  denied: 'After a denial nothing more of this kind is sent; after a denied read nothing at all.',
  closed: 'After an answer that no more of this kind can be created now, nothing more of it is sent.',
  begun: 'What stops one kind of resource stops no other kind.',
  wrong_place: 'After an answer that shows a wrong place nothing new is begun, and no redirect is followed.',
  patience: 'A restart of the service that is shorter than --wait leaves nothing open and nothing undone.',
  prompt: 'A service that has not answered is not waited for, unless --wait is given.',
  one_asks: 'While the service is away, nothing is sent but one harmless question at a time.',
  interrupted: 'After an interruption nothing new is begun, and the run says that it was interrupted.',
  ceiling: 'No more requests are under way at a time than allowed.',
  ending: 'How the run ends says how it went.',
  converges: 'One more run without faults creates whatever is missing.',
  settled: 'One more after that creates nothing.',
} as const;

export type Rule = keyof typeof rules;

type Of<Kind extends HistoryEvent['kind']> = Extract<HistoryEvent, { kind: Kind }>;

export function check(history: History): Violation[] {
  const violations: Violation[] = [];
  const fail = (rule: Rule, words: string): void => void violations.push({ rule, words });
  for (const began of ofKind(history.events, 'run_began')) checkRun(history, began, fail);
  checkClaims(history, fail);
  checkConvergence(history, fail);
  return violations;
}

type Fail = (rule: Rule, words: string) => void;

interface RunHistory {
  readonly name: string;
  readonly beganAt: number;
  readonly endedAt: number;
  readonly wait: Of<'run_began'>['wait'];
  readonly failFast: boolean;
  /** It was interrupted twice, and asked no more. */
  readonly gaveUp: boolean;
  readonly sent: readonly Of<'sent'>[];
  readonly delivered: readonly Of<'delivered'>[];
  readonly handled: readonly Of<'handled'>[];
}

function checkRun(history: History, began: Of<'run_began'>, fail: Fail): void {
  const { events } = history;
  const name = began.run;
  const ofRun = <Event extends { readonly run: string }>(list: readonly Event[]): Event[] =>
    list.filter(({ run }) => run === name);
  const sent = ofRun(ofKind(events, 'sent'));
  const requests = new Set(sent.map(({ request }) => request));
  const [ended] = ofRun(ofKind(events, 'ended'));
  const [killed] = ofRun(ofKind(events, 'killed'));
  const [crashed] = ofRun(ofKind(events, 'crashed'));
  const run: RunHistory = {
    name,
    beganAt: began.at,
    wait: began.wait,
    failFast: began.failFast,
    endedAt: ended?.at ?? killed?.at ?? Number.POSITIVE_INFINITY,
    gaveUp: ofRun(ofKind(events, 'insisted')).length > 0,
    sent,
    delivered: ofRun(ofKind(events, 'delivered')),
    handled: ofKind(events, 'handled').filter(({ request }) => requests.has(request)),
  };
  if (crashed) fail('ends', `${name} threw: ${crashed.error}`);
  else if (!ended && !killed) fail('ends', `${name} never ended`);
  checkRequests(history, run, began.ceiling, fail);
  checkWaiting(history, run, fail);
  for (const { request } of ofRun(ofKind(events, 'followed')))
    fail('wrong_place', `${name} followed a redirect of #${request}`);
  const [interrupted] = ofRun(ofKind(events, 'interrupted'));
  if (interrupted) {
    for (const post of beginnings(run)) {
      if (isAfter(events, post, interrupted))
        fail('interrupted', `${name} began ${addressOf(post)} after it was interrupted`);
    }
    if (ended && ended.ending !== 'interrupted')
      fail('interrupted', `${name} was interrupted, and ended as ${ended.ending}`);
  }
  if (ended) checkReport(history, run, ended, interrupted !== undefined, fail);
}

/** What was sent, and when. */
function checkRequests(history: History, run: RunHistory, ceiling: number, fail: Fail): void {
  const { declared, events } = history;
  for (const event of run.sent) {
    if (!isAllowed(history, event))
      fail('contract', `${run.name} sent ${event.method} ${event.path}, which nothing allows`);
  }
  const order = new Map(events.map((event, index) => [event, index]));
  const before = (a: HistoryEvent, b: HistoryEvent): boolean => (order.get(a) ?? 0) < (order.get(b) ?? 0);
  const delivery = new Map(run.delivered.map((event) => [event.request, event]));
  const posts = run.sent.filter(({ method }) => method === 'POST');
  const [firstPost] = posts;

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
    for (const event of asked) {
      inARow = event.method === 'GET' ? inARow + 1 : 0;
      if (inARow === 0) spared = 0;
      if (spared < 3 && metOutage(run, event)) {
        spared += 1;
        inARow -= 1;
      }
      if (inARow === 6) fail('reads', `${run.name} looked up ${addressOf(event)} six times in a row`);
    }
  }
  for (const identity of declared) {
    const mine = run.sent.filter((event) => isSame(event, identity));
    const reads = mine.filter(({ method }) => method === 'GET');
    const writes = mine.filter(({ method }) => method === 'POST');
    if (canBeLookedUp(history, identity) && firstPost) {
      const lastRead = reads.findLast((read) => before(read, firstPost));
      const answer = lastRead && delivery.get(lastRead.request);
      // What is not looked up by itself was shown by a list, in which nothing is absent.
      const isClear = lastRead
        ? answer !== undefined && before(answer, firstPost) && isClearRead(answer)
        : run.delivered.some((page) => before(page, firstPost) && isShownOn(page, identity));
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
    const later = posts.filter((post) => before(answer, post));
    if (isDenial && answer.method === 'POST' && later.some(({ type }) => type === answer.type))
      fail('denied', `${run.name} went on with ${answer.type}s after #${answer.request} was denied`);
    if (answer.closed && later.some(({ type }) => type === answer.type))
      fail('closed', `${run.name} went on with ${answer.type}s after #${answer.request}`);
    const isFirstRead = firstPost === undefined || before(answer, firstPost);
    if (isDenial && answer.purpose === 'look_up' && isFirstRead && later.length > 0)
      fail('denied', `${run.name} sent a create although #${answer.request} was denied`);
    const isWrongPlace = answer.status === 302 || answer.status === 404;
    if (isWrongPlace && answer.method === 'POST' && beginnings(run).some((post) => before(answer, post)))
      fail(
        'wrong_place',
        `${run.name} began something after #${answer.request} was answered with ${answer.status}`,
      );
  }
}

/** Whether a request is one of the documented operations, or something that a capability of the run is for. */
function isAllowed({ capabilities, declared }: History, { method, path, purpose }: Of<'sent'>): boolean {
  const [place = '', query] = path.split('?');
  if (method === 'POST') return query === undefined && (place === applications || place === users);
  if (method !== 'GET') return false;
  if (purpose === 'self') return capabilities.includes('lists') && path === `${users}me/`;
  if (purpose === 'page')
    return (
      capabilities.includes('lists') &&
      (place === applications || (place === users && capabilities.includes('lookup-users')))
    );
  if (query === undefined)
    return place.startsWith(applications) && /^[-\w]+\/$/.test(place.slice(applications.length));
  const names = declared.filter(({ type }) => type === 'user').map(({ name }) => `username=${name}`);
  return capabilities.includes('lookup-users') && place === users && names.includes(query);
}

const applications = '/api/v3/core/applications/';
const users = '/api/v3/core/users/';

function canBeLookedUp({ capabilities }: History, { type }: Identity): boolean {
  return type === 'application' || capabilities.includes('lookup-users');
}

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
      const isOverdue = event.at - run.beganAt > (capabilities.includes('lists') ? 2 : 1) * mostHasteMs;
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

function isRefusal({ status, method }: Of<'delivered'>): boolean {
  return method === 'POST' && status !== undefined && status >= 400;
}

/** It is clear what it says of its own request, and others are not begun after it. */
function keepsOthersFromBeginning({ status, method, closed }: Of<'delivered'>): boolean {
  return closed === true || status === 403 || (status === 404 && method === 'POST');
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
    if (run.sent.some(({ method }) => method === 'POST'))
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
      if (!isHidden && !wasRefused && ['unknown', 'not_attempted'].includes(outcome.outcome))
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
  return method === 'POST' && (closed === true || status === 403);
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
  const posts = run.sent.filter((event) => isSame(event, reported) && event.method === 'POST');
  const answers = run.delivered.filter((event) => isSame(event, reported));
  const commits = run.handled.filter((event) => isSame(event, reported) && event.committed);
  const timesHandled = new Map<number, number>();
  for (const { request } of run.handled) timesHandled.set(request, (timesHandled.get(request) ?? 0) + 1);
  // What a proxy sends twice is answered for one of the two; nobody can know of the other.
  const wasResent = posts.some(({ request }) => (timesHandled.get(request) ?? 0) > 1);
  const says = `${run.name} reports ${address} as ${outcome}`;

  if (attempts !== posts.length)
    fail('attempts', `${says} after ${attempts} attempts, and sent ${posts.length}`);
  if (!wasResent) checkParts(history, reported, { answers, commits }, fail);
  if (['exists', 'unchanged', 'differs'].includes(outcome) && canBeLookedUp(history, reported)) {
    if (
      !answers.some(({ tells }) => tells === 'present') &&
      !run.delivered.some((page) => isShownOn(page, reported))
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
    case 'unchanged':
    case 'differs':
      if (posts.length > 0) fail('untouched', `${says}, and sent a create for it`);
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
      break;
    case 'unknown':
      if (
        !run.gaveUp &&
        !couldNotLook(run, reported) &&
        answers.every((answer) => answer.clear && (answer.method === 'POST' || isClearRead(answer)))
      )
        fail('doubt', `${says}, and every answer was clear`);
      break;
    default:
      fail('one_outcome', `${says}, which is no outcome`);
  }
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
  const isSo = versions.some(
    ({ differing }) => differing.length === told.length && differing.every((field) => told.includes(field)),
  );
  if (said && isSo) return;
  const were = versions.map(({ differing }) => differing.join(', ') || 'nothing').join('; or ');
  fail(
    'compared',
    `${addressOf(reported)} is reported as ${outcome}, with another ${told.join(', ') || 'nothing'}; it was ${were}`,
  );
}

/** Whether what is said of doubts and of differing fields is what happened, for what is there. */
function checkParts(
  { events, present }: History,
  reported: ReportedOutcome,
  { answers, commits }: { answers: readonly Of<'delivered'>[]; commits: readonly Of<'handled'>[] },
  fail: Fail,
): void {
  const { outcome, doubt, differences = [] } = reported;
  if (outcome !== 'created' && outcome !== 'exists') return;
  const says = `${addressOf(reported)} is reported as ${outcome}${doubt === undefined ? '' : ` (${doubt})`}`;
  const wasLeftOpen = answers.some(
    ({ method, exchange, status, clear }) =>
      method === 'POST' && (exchange === 'lost' || (exchange === 'answered' && !clear && status !== 409)),
  );
  if (outcome === 'exists' && (doubt !== undefined) !== wasLeftOpen)
    fail('in_doubt', `${says}, and ${wasLeftOpen ? 'a create was' : 'no create was'} left open`);

  const mine = ofKind(events, 'actor').filter((event) => isSame(event, reported));
  const told = new Set(differences.map(({ field }) => field));
  const lacking = commits.flatMap((commit) => commit.differing);
  const isTold = doubt === 'unchecked' || lacking.every((field) => told.has(field));
  // Where somebody else had a hand in it, what was created in part may be gone.
  if (mine.length === 0 && !isTold) fail('in_full', `${says}, and it has no ${lacking.join(', ')}`);

  const isOthers = mine.length > 0 || present.some((other) => isSame(other, reported));
  const lackingAnywhere = ofKind(events, 'handled')
    .filter((event) => isSame(event, reported) && event.committed)
    .flatMap((event) => event.differing);
  const cause = outcome === 'created' ? lacking : lackingAnywhere;
  if (outcome === 'created' || !isOthers) {
    for (const field of told)
      if (!cause.includes(field)) fail('alarm', `${says}, with another ${field}, which is as declared`);
  }
}

/** The service, or what stands in front of it, refused what a create says. */
function refuses({ method, status = 0, clear, closed }: Of<'delivered'>): boolean {
  return method === 'POST' && clear && !closed && status >= 400;
}

/** Two runs may meet over one resource: only one of them has created it. */
function checkClaims({ declared, events }: History, fail: Fail): void {
  const reports = ofKind(events, 'ended').flatMap(({ report }) => report?.outcomes ?? []);
  for (const identity of declared) {
    const claims = reports.filter(
      (outcome) => isSame(outcome, identity) && outcome.outcome === 'created',
    ).length;
    const commits = ofKind(events, 'handled').filter(
      (event) => isSame(event, identity) && event.committed,
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
    if (event.kind === 'actor') there[event.action === 'create' ? 'add' : 'delete'](addressOf(event));
  }
  for (const identity of declared) {
    if (!identity.invalid && !there.has(addressOf(identity)))
      fail('converges', `${addressOf(identity)} is missing in the end`);
  }
  // What is there, and is seen there, is not sent.
  const anyInvalid = declared.some(
    (identity) => identity.invalid && !(canBeLookedUp(history, identity) && there.has(addressOf(identity))),
  );
  for (const { run, ending, report } of ofKind(events, 'ended')) {
    if (run !== 'rerun' && run !== 'last') continue;
    if (ending !== (anyInvalid ? 'incomplete' : 'done')) fail('converges', `${run} ended as ${ending}`);
    for (const outcome of report?.outcomes ?? []) {
      const isRefused = outcome.outcome === 'rejected' && isInvalid(declared, outcome);
      if (!['created', 'exists', 'unchanged', 'differs'].includes(outcome.outcome) && !isRefused)
        fail('converges', `${run} reports ${addressOf(outcome)} as ${outcome.outcome}`);
      if (run === 'last' && outcome.outcome === 'created')
        fail('settled', `${addressOf(outcome)} was created by the last run only`);
    }
  }
}

function isInvalid(declared: readonly DeclaredIdentity[], identity: Identity): boolean {
  return declared.some((other) => isSame(other, identity) && other.invalid);
}

/** Whether something existed at some moment of a run. */
function wasPresent(history: History, identity: Identity, run: RunHistory): boolean {
  return versionsDuring(history, identity, run).length > 0;
}

/** What the service held of something at the moments of a run, one after the other; nothing where it was never there. */
function versionsDuring(
  { present, events }: History,
  identity: Identity,
  { beganAt, endedAt }: RunHistory,
): Version[] {
  let held: Version | undefined = present.find((other) => isSame(other, identity));
  const versions = new Set<Version>();
  for (const event of events) {
    if (event.at > endedAt) break;
    if (held && event.at >= beganAt) versions.add(held);
    if (event.kind === 'handled' && event.committed && isSame(event, identity))
      held = { differing: event.differing };
    if (event.kind === 'actor' && isSame(event, identity))
      held = event.action === 'create' ? event : undefined;
  }
  return [...versions, ...(held ? [held] : [])];
}

/** The first create of each resource in a run. */
function beginnings({ sent }: RunHistory): Of<'sent'>[] {
  const seen = new Set<string>();
  return sent.filter((event) => {
    if (event.method !== 'POST' || seen.has(addressOf(event))) return false;
    seen.add(addressOf(event));
    return true;
  });
}

function isShownOn({ shows = [] }: Of<'delivered'>, identity: Identity): boolean {
  return shows.includes(addressOf(identity));
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

function isAfter(events: readonly HistoryEvent[], a: HistoryEvent, b: HistoryEvent): boolean {
  return events.indexOf(a) > events.indexOf(b);
}

function ofKind<Kind extends HistoryEvent['kind']>(events: readonly HistoryEvent[], kind: Kind): Of<Kind>[] {
  return events.filter((event): event is Of<Kind> => event.kind === kind);
}
