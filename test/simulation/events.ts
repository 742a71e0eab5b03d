import { addressOf, isSame, type HistoryEvent, type Identity } from './history.ts';
import type { Of, RunHistory } from './run-history.ts';

/** Whether it is a request to create or to change something, or the answer to one. */
export function isWrite({ method }: Of<'sent' | 'delivered'>): boolean {
  return method !== 'GET';
}

/** The first create or change of each resource in a run. */
export function beginnings({ sent }: RunHistory): Of<'sent'>[] {
  const seen = new Set<string>();
  return sent.filter((event) => {
    if (!isWrite(event) || seen.has(addressOf(event))) return false;
    seen.add(addressOf(event));
    return true;
  });
}

/** The service itself said that it is there, or that it is not. */
export function isClearRead({ tells }: Of<'delivered'>): boolean {
  return tells !== undefined;
}

/** It was never sent, or whoever stood in front of the service put it off. */
export function cannotHaveWorked({ exchange, status }: Of<'delivered'>): boolean {
  return exchange === 'never_sent' || status === 421 || status === 425 || status === 429;
}

/** Asked of the service in place of a read, to hear whether it is there: what it says of that is said of no resource. */
export function isQuestion({ purpose }: Of<'sent' | 'delivered'>): boolean {
  return purpose === 'question';
}

/** After a request went out, and before the next for the same, the run has asked in vain whether the service is back. */
export function metOutage(run: RunHistory, event: Of<'sent'>): boolean {
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

/** It was told that the request cannot have worked. */
export function cannotHave({ delivered }: RunHistory, { request }: Of<'sent'>): boolean {
  const answer = delivered.find((event) => event.request === request);
  return answer !== undefined && cannotHaveWorked(answer);
}

/** Sent at once in the form, or to the path, of an earlier release, after the answer to the one of later releases. */
export function isInFormerForm({ sent, delivered }: RunHistory, event: Of<'sent'>): boolean {
  return delivered.some(
    (answer) =>
      answer.at === event.at &&
      [400, 404, 405].includes(answer.status ?? 0) &&
      answer.method === event.method &&
      isSame(answer, event) &&
      sent.some(({ request }) => request === answer.request && request < event.request),
  );
}

/**
 * Whether it went out in two forms, or to two paths, and only the other one counts: the second, unless it led nowhere or was never
 * sent. A page with 405 may hide a write that worked, so a second one that was never sent leaves the first.
 */
export function isReplaced(run: RunHistory, event: Of<'sent'>): boolean {
  const answerTo = (one: Of<'sent'>): Of<'delivered'> | undefined =>
    run.delivered.find(({ request }) => request === one.request);
  const isAgain = (one: Of<'sent'>, other: Of<'sent'>): boolean =>
    other.request > one.request &&
    other.at === answerTo(one)?.at &&
    other.method === one.method &&
    isSame(other, one) &&
    isInFormerForm(run, other);
  const counts = (first: Of<'sent'>, second: Of<'sent'>): boolean => {
    const { exchange, status = 0 } = answerTo(second) ?? {};
    const mayBeHidden = isWrite(first) && answerTo(first)?.status === 405;
    return ![404, 405].includes(status) && (exchange !== 'never_sent' || !mayBeHidden);
  };
  return run.sent.some(
    (other) =>
      (isAgain(event, other) && counts(event, other)) || (isAgain(other, event) && !counts(other, event)),
  );
}

/** Whether a run had begun by then to write something that takes several writes. */
export function hadBegun({ sent, before }: RunHistory, identity: Identity, by: HistoryEvent): boolean {
  return sent.some((event) => isWrite(event) && isSame(event, identity) && before(event, by));
}
