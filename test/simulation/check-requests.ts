import {
  firstWrites,
  cannotHaveWorked,
  hadStarted,
  isInFormerForm,
  isReplaced,
  secondAnswer,
  isSentAgain,
  isClearRead,
  isQuestion,
  isWrite,
  hadOutageAfter,
} from './events.ts';
import { addressOf, isOfRandomKind, isSame, mayBeDoubled, type History, type Identity } from './history.ts';
import type { DeclaredIdentity } from './identity.ts';
import {
  canBeLookedUp,
  singleWriteRecords,
  shownIn,
  type Fail,
  type Of,
  type RunHistory,
} from './run-history.ts';

/** Checks the requests of a run, and their times. */
export function checkRequests(history: History, run: RunHistory, ceiling: number, fail: Fail): void {
  const { before } = run;
  for (const event of run.sent) {
    if (!isAllowed(history, run, event))
      fail('contract', `${run.name} sent ${event.method} ${event.path}, which is not allowed`);
  }
  const delivery = new Map(run.delivered.map((event) => [event.request, event]));
  const allWrites = run.sent.filter((event) => isWrite(event));
  // If somebody confirms the plan, each change needs another read before it.
  const planned = run.approved ?? allWrites[0];

  const pauses = run.delivered.filter(({ pausedUntil }) => pausedUntil !== undefined);
  let answered = 0;
  for (const [index, event] of run.sent.entries()) {
    const isTold = (): boolean =>
      run.delivered.some((answer) => answer.tells === 'superuser' && before(answer, event));
    if (event.purpose === 'page' && event.type === 'application' && !isTold())
      fail(
        'superusers',
        `${run.name} sent #${event.request} although the token does not belong to a superuser`,
      );
    for (let next = run.delivered[answered]; next && before(next, event); next = run.delivered[answered])
      answered += 1;
    const underWay = index + 1 - answered;
    if (underWay > ceiling)
      fail('ceiling', `${run.name} had ${underWay} requests under way, but only ${ceiling} are allowed`);
    for (const answer of pauses) {
      const { pausedUntil = 0 } = answer;
      if (before(answer, event) && event.at < pausedUntil && !isInFormerForm(run, event))
        fail(
          'pause',
          `${run.name} sent #${event.request} ${pausedUntil - event.at} ms too early for #${answer.request}`,
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
      // A run asks for the token's user for five reasons, each with its own tries: two lists, a denied look-up, a record that was
      // not found, and a change that may affect the token's user.
      const asks = event.purpose === 'self' ? 5 : 1;
      // A group is looked up again before its create. A list of names is read again if it changed meanwhile, and once more if a
      // name is missing from it. If a 404 without the usual `detail` proves wrong, the whole plan is made again.
      const isDoubtful = run.delivered.some(({ status, tells }) => status === 404 && tells === undefined);
      if (spared < 3 * asks * (isDoubtful ? 2 : 1) && hadOutageAfter(run, event)) {
        spared += 1;
        inARow -= 1;
      }
      const isOfMany = history.declared.some((other) => other.isOfAccess || isOfRandomKind(other));
      const single = event.type === 'group' || isOfMany ? 15 : isDoubtful ? 10 : 5;
      const most = event.purpose === 'name' || event.purpose === 'access' ? 30 : single * asks;
      if (inARow === most + 1)
        fail('reads', `${run.name} looked up ${addressOf(event)} ${most + 1} times in a row`);
    }
  }
  for (const identity of singleWriteRecords(history)) {
    const mine = run.sent.filter((event) => isSame(event, identity));
    const reads = mine.filter(({ method }) => method === 'GET');
    const writes = mine.filter((event) => event.purpose === 'create' && !isReplaced(run, event));
    // A group that could not be looked up is not planned.
    const isLeftOut = mayBeDoubled(identity) && writes.length === 0;
    if (canBeLookedUp(history, identity, run) && planned && !isLeftOut) {
      // A group may be looked up again while other records are already being created.
      const isOver = ({ request }: Of<'sent'>): boolean => {
        const answer = delivery.get(request);
        return (
          !mayBeDoubled(identity) || (answer !== undefined && before(answer, planned) && isClearRead(answer))
        );
      };
      const lastRead = reads.findLast((read) => before(read, planned) && isOver(read));
      const answer = lastRead && delivery.get(lastRead.request);
      // A record without its own look-up was in a list, or is missing from a list that a superuser read.
      const isAbsent = isShownAbsent(run, identity, planned) || isWithinAbsent(run, identity, planned);
      const isClear = lastRead
        ? answer !== undefined && before(answer, planned) && isClearRead(answer)
        : isAbsent || run.delivered.some((page) => before(page, planned) && shownIn(page, identity));
      // A web page with 404 counts as absent if the service twice answers in this way for a record that does not exist.
      const isFromFront = ({ words }: Of<'delivered'>): boolean => words.includes('html_404');
      const toNobody = run.delivered.filter((one) => one.purpose === 'question' && isFromFront(one));
      if (answer && identity.type === 'application' && isFromFront(answer) && toNobody.length > 1) continue;
      // A record that was found may be asked for again, to see whether the API is still there.
      const wasFound = reads.some((read) => {
        const found = delivery.get(read.request);
        return found?.status === 200 && before(found, planned) && isClearRead(found);
      });
      if (!isClear && !(wasFound && writes.length === 0))
        fail('absent', `${run.name} sent a create before a clear answer about ${addressOf(identity)}`);
      if (writes.length > 0 && answer?.tells !== 'absent' && !(lastRead === undefined && isAbsent))
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
      if (canBeLookedUp(history, identity, run) && !asked)
        fail(
          'retry',
          `${run.name} sent #${post.request} without looking up the effect of #${earlier.request}`,
        );
    }
  }

  const paths = new Map(run.sent.map(({ request, path }) => [request, path]));
  const replaced = new Set(run.sent.filter((event) => isReplaced(run, event)).map(({ request }) => request));
  // Some lists contain several kinds, each with its own permissions.
  const severalIn = new Set([
    'provider',
    ...history.declared.flatMap((other) => (isOfRandomKind(other) ? other.type : [])),
  ]);
  const isOfKind = (write: Of<'sent'>, { type, request }: Of<'delivered'>): boolean =>
    write.type === type && (!severalIn.has(type) || write.path === paths.get(request));
  for (const answer of run.delivered) {
    const isDenial = answer.status === 401 || answer.status === 403;
    const later = allWrites.filter((write) => before(answer, write));
    // A token without permission to create may still change records.
    const created = later.filter((post) => post.purpose === 'create' && !isInFormerForm(run, post));
    if (isDenial && answer.purpose === 'create' && created.some((post) => isOfKind(post, answer)))
      fail('denied', `${run.name} sent more ${answer.type}s after #${answer.request} was denied`);
    // Whether a write continues a record that needs several writes.
    const isGoingOn = (write: Of<'sent'>): boolean =>
      history.access !== undefined && hadStarted(run, write, answer);
    if (answer.closed && later.some((write) => isOfKind(write, answer) && !isGoingOn(write)))
      fail('denied', `${run.name} sent more ${answer.type}s after #${answer.request}`);
    const isFirstRead = planned === undefined || before(answer, planned);
    // A run continues without undocumented reads, unless the token itself is refused. The next clear answer shows whether it is.
    const questions = run.delivered.filter(
      (other) => isQuestion(other) && planned && before(answer, other) && before(other, planned),
    );
    // After a lost answer, a question only checks whether the service is back.
    const isAboutToken = ({ request }: Of<'delivered'>): boolean => {
      const question = run.sent.find((event) => event.request === request);
      const last = run.delivered.findLast(
        (other) => question && !isQuestion(other) && before(other, question),
      );
      return last?.status !== undefined;
    };
    const asked = questions.find((question) => !isAskedAgain(question) && isAboutToken(question));
    // A page that arrives again with the same content counts as the service's own.
    const pages = run.delivered.filter(
      (other) => isQuestion(other) && other.words.includes('html_404') && planned && before(other, planned),
    );
    // One answer of the service itself shows that the denials came from somewhere else.
    const isAccepted = questions.some(({ clear, status }) => clear && status === 404);
    const isOfToken =
      answer.purpose === 'self' &&
      (asked?.status === 401 || asked?.status === 403) &&
      pages.length < 2 &&
      !isAccepted;
    const isOptionalBefore =
      isOfToken ||
      (answer.purpose === 'look_up' && answer.type === 'application' && !isSecondLook(run, answer));
    if (isDenial && isOptionalBefore && isFirstRead && later.length > 0)
      fail('denied', `${run.name} sent a create although #${answer.request} was denied`);
    const isWrongPlace =
      isWrite(answer) &&
      (answer.status === 302 || (answer.status === 404 && answer.method === 'POST')) &&
      !replaced.has(answer.request);
    // The URL may be right until the path of an earlier release has been tried too.
    const shown = secondAnswer(run, answer) ?? answer;
    if (isWrongPlace && firstWrites(run).some((post) => before(shown, post) && !isGoingOn(post)))
      fail(
        'wrong_place',
        `${run.name} started a request after #${answer.request} was answered with ${answer.status}`,
      );
  }
}

/** Whether an answer proves nothing, so that another try may help. */
function isAskedAgain({ status = 0 }: Of<'delivered'>): boolean {
  return [0, 400, 408, 421, 425, 429].includes(status) || status >= 500;
}

/** Whether it answers the look-up of a group just before its create, in addition to the one for the plan. */
function isSecondLook(run: RunHistory, answer: Of<'delivered'>): boolean {
  if (answer.type !== 'group') return false;
  return run.delivered.some(
    (earlier) => isSame(earlier, answer) && isClearRead(earlier) && run.before(earlier, answer),
  );
}

/** Whether lists of this kind that a superuser read show that the record is absent. */
function isShownAbsent(run: RunHistory, identity: Identity, planned: Of<'sent'> | Of<'approved'>): boolean {
  const earlier = run.delivered.filter((answer) => run.before(answer, planned));
  const isPage = ({ purpose, type }: Of<'sent' | 'delivered'>): boolean =>
    purpose === 'page' && type === identity.type;
  // A record may be on a short first page, and be deleted before the list is read from its beginning.
  const beginning = run.sent.findLast(
    (event) => isPage(event) && event.path.includes('page=1&') && run.before(event, planned),
  );
  const pages = earlier.filter((page) => isPage(page) && (!beginning || run.before(beginning, page)));
  return (
    earlier.some(({ tells }) => tells === 'superuser') &&
    pages.some(({ shows }) => shows !== undefined) &&
    !pages.some((page) => shownIn(page, identity))
  );
}

/** Whether an earlier answer showed that the parent of the record is absent. */
function isWithinAbsent(
  run: RunHistory,
  { within }: DeclaredIdentity,
  planned: Of<'sent'> | Of<'approved'>,
): boolean {
  if (within === undefined) return false;
  const last = run.delivered.findLast((answer) => isSame(answer, within) && run.before(answer, planned));
  return last?.tells === 'absent' || (last === undefined && isShownAbsent(run, within, planned));
}

/** Whether a request is a documented operation, or a read or a change that this run may send. */
function isAllowed(history: History, run: RunHistory, event: Of<'sent'>): boolean {
  const { contractOnly, capabilities, declared } = history;
  const [place = '', query] = event.path.split('?');
  switch (event.purpose) {
    case 'create':
      return (
        query === undefined &&
        (place === applications ||
          place === users ||
          (!contractOnly &&
            (declared.some(({ paths }) => paths?.includes(place)) ||
              place === groups ||
              place.startsWith('/api/v3/providers/'))))
      );
    case 'change': {
      const identity = declared.find((other) => isSame(other, event));
      // An application that was created without a provider gets the provider by an update.
      const isMine =
        (identity?.isOfAccess ?? identity?.isInParts) &&
        run.sent.some((one) => one.purpose === 'create' && isSame(one, event));
      const isAllowedTo = isMine === true || (run.mayChange && capabilities.includes('update'));
      return isAllowedTo && identity !== undefined && canBeLookedUp(history, event);
    }
    case 'delete':
      return run.mayDelete && capabilities.includes('delete');
    case 'access':
    case 'name':
      return !contractOnly;
    case 'self':
      return !contractOnly && event.path === `${users}me/`;
    case 'release':
      return !contractOnly && ['version', 'settings'].some((one) => event.path === `/api/v3/admin/${one}/`);
    case 'page':
      return (
        !contractOnly &&
        (place === applications || place === users || declared.some(({ paths }) => paths?.includes(place)))
      );
    case 'look_up':
    case 'question': {
      if (declared.some((identity) => isOfRandomKind(identity) && isSame(identity, event)))
        return !contractOnly;
      if (query === undefined)
        return place.startsWith(applications) && /^[-\w]+\/$/.test(place.slice(applications.length));
      const named = declared.flatMap(({ type, name, formerly = name }) => [
        { type, name },
        { type, name: formerly },
      ]);
      const filters = named.map(({ type, name }) =>
        type === 'user' ? `${users} username=${name}` : `${groups} name=${name}&include_users=false`,
      );
      return !contractOnly && filters.includes(`${place} ${query}`);
    }
  }
}

const applications = '/api/v3/core/applications/';

const users = '/api/v3/core/users/';

const groups = '/api/v3/core/groups/';

/** Checks the waiting of a run while the service is away. */
export function checkWaiting({ contractOnly, events }: History, run: RunHistory, fail: Fail): void {
  if (run.wait === '0') return;
  const all = events.filter((event): event is RunEvent => 'run' in event && event.run === run.name);
  const replaced = new Set(run.sent.filter((event) => isReplaced(run, event)).map(({ request }) => request));
  // A request that is sent again at once to another path counts as answered when the second answer or failure arrives.
  const second = new Set(
    run.sent.filter((event) => isInFormerForm(run, event)).map(({ request }) => request),
  );
  const again = new Set(run.sent.filter((event) => isSentAgain(run, event)).map(({ request }) => request));
  let isAway = false;
  let hasAnswered = false;
  let isRefusedOnly = true;
  /** The requests that check whether the service is back. */
  const asked = new Set<number>();
  for (const event of all) {
    if (event.kind === 'interrupted') return;
    if (event.kind === 'sent') {
      const isOverdue = event.at - run.beganAt > (contractOnly ? 1 : 3) * mostHasteMs;
      if (run.wait === undefined && !hasAnswered && isRefusedOnly && isOverdue)
        fail(
          'patience',
          `${run.name} sent #${event.request}, although nothing had answered for longer than --wait`,
        );
      if (isAway && (!isQuestion(event) || asked.size > 0) && !isInFormerForm(run, event))
        fail('one_asks', `${run.name} sent #${event.request} while the service was away`);
      if (isAway && isQuestion(event)) asked.add(event.request);
    }
    if (event.kind === 'delivered') {
      hasAnswered ||= second.has(event.request) || (event.status !== undefined && !again.has(event.request));
      const isStarting = event.status === 502 || event.status === 503;
      const isSign =
        isStarting ||
        (event.refused === true && (hasAnswered || run.wait !== undefined) && !replaced.has(event.request));
      if (isSign) isAway = true;
      else if (isQuestion(event) && event.status !== undefined) isAway = false;
      asked.delete(event.request);
      isRefusedOnly &&= event.exchange === 'never_sent';
    }
  }
}

type RunEvent = Of<'sent' | 'delivered' | 'interrupted'>;

/** Five reads with five tries each, one after the other. Lists may need as much time again. */
const mostHasteMs = 20_000;

/** The requests grouped by subject, without the checks during an outage. */
function askedAbout({ sent }: RunHistory): readonly (readonly Of<'sent'>[])[] {
  const reads = sent.filter((event) => !isQuestion(event));
  const addresses = new Set(reads.map((event) => addressOf(event)));
  return [...addresses].map((address) => reads.filter((event) => addressOf(event) === address));
}
