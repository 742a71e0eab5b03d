import { addressOf, isSame, type HistoryEvent, type Identity } from './history.ts';
import type { Of, RunHistory } from './run-history.ts';

/** Whether a request creates or updates a record, or is the answer to one that does. */
export function isWrite({ method }: Of<'sent' | 'delivered'>): boolean {
  return method !== 'GET';
}

/** The first create or update of each resource in a run. */
export function firstWrites({ sent }: RunHistory): Of<'sent'>[] {
  const seen = new Set<string>();
  return sent.filter((event) => {
    if (!isWrite(event) || seen.has(addressOf(event))) return false;
    seen.add(addressOf(event));
    return true;
  });
}

/** Whether the service itself reported that the record exists, or that it does not. */
export function isClearRead({ tells }: Of<'delivered'>): boolean {
  return tells !== undefined;
}

/** Whether the request was never sent, or a proxy asked the run to wait. */
export function cannotHaveWorked({ exchange, status }: Of<'delivered'>): boolean {
  return exchange === 'never_sent' || status === 421 || status === 425 || status === 429;
}

/** Whether a request only checks that the service is back. */
export function isQuestion({ purpose }: Of<'sent' | 'delivered'>): boolean {
  return purpose === 'question';
}

/** Whether the run checked in vain that the service is back between this request and the next one for the resource. */
export function hadOutageAfter(run: RunHistory, event: Of<'sent'>): boolean {
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

/** Whether the answer proves that the request had no effect. */
export function cannotHaveHadEffect(run: RunHistory, event: Of<'sent'>): boolean {
  const answer = answerIn(run, event);
  return answer !== undefined && cannotHaveWorked(answer);
}

/** Whether the request was sent in the form or to the path of an earlier release, at once after an answer to the newer form. */
export function isInFormerForm(run: RunHistory, event: Of<'sent'>): boolean {
  return pairsIn(run).some(({ second }) => second === event);
}

/** Whether the request was sent a second time at once, in the form or to the path of an earlier release. */
export function isSentAgain(run: RunHistory, event: Of<'sent'>): boolean {
  return pairsIn(run).some(({ first }) => first === event);
}

/**
 * Whether a request was sent in two forms or to two paths, and only the other one counts. The second one counts, unless it found
 * no such path or was never sent. A page with 405 may hide a successful write, so the first one counts if the second was never
 * sent.
 */
export function isReplaced(run: RunHistory, event: Of<'sent'>): boolean {
  return pairsIn(run).some(({ first, answer, second }) => {
    if (first !== event && second !== event) return false;
    const { exchange, status = 0 } = answerIn(run, second) ?? {};
    const mayBeHidden = isWrite(first) && answer.status === 405;
    const isSecond = ![404, 405].includes(status) && (exchange !== 'never_sent' || !mayBeHidden);
    return isSecond === (first === event);
  });
}

/** The answer to the second of two requests, given the answer to the first. */
export function secondAnswer(run: RunHistory, first: Of<'delivered'>): Of<'delivered'> | undefined {
  const pair = pairsIn(run).find(({ answer }) => answer === first);
  return pair && answerIn(run, pair.second);
}

/** A request that was sent again at once, in the form or to the path of an earlier release. */
interface Pair {
  readonly first: Of<'sent'>;
  readonly answer: Of<'delivered'>;
  readonly second: Of<'sent'>;
}

const known = new WeakMap<RunHistory, readonly Pair[]>();

function pairsIn(run: RunHistory): readonly Pair[] {
  const found =
    known.get(run) ??
    run.delivered.flatMap((answer): Pair[] => {
      if (![400, 404, 405].includes(answer.status ?? 0)) return [];
      const first = run.sent.find(({ request }) => request === answer.request);
      const second = run.sent.find(
        (other) =>
          other.at === answer.at &&
          other.request > answer.request &&
          other.method === answer.method &&
          isSame(other, answer),
      );
      return first && second ? [{ first, answer, second }] : [];
    });
  known.set(run, found);
  return found;
}

function answerIn({ delivered }: RunHistory, { request }: Of<'sent'>): Of<'delivered'> | undefined {
  return delivered.find((answer) => answer.request === request);
}

/** Whether a run had started a record with several writes before this event. */
export function hadStarted({ sent, before }: RunHistory, identity: Identity, by: HistoryEvent): boolean {
  return sent.some((event) => isWrite(event) && isSame(event, identity) && before(event, by));
}
