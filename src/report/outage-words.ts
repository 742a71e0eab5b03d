import type { Answer } from '../service/answer.ts';
import { isStarting, type OutageNews } from '../service/outage.ts';
import { causeWords } from './cause-words.ts';

/** What is said while a service is waited for. */
export function outageWords(news: OutageNews): string {
  switch (news.kind) {
    case 'away':
      return `The service ${signWords(news.answer)}; waiting up to ${seconds(news.waitMs)} for it.`;
    case 'back':
      return `The service answers now, after ${seconds(news.waitedMs)}.`;
    case 'gone':
      return `The service did not answer within ${seconds(news.waitedMs)}.`;
  }
}

/** What --wait has to do with an answer: how long was waited after it, or that it could have been. */
export function waitAdvice(answer: Answer): string | undefined {
  if (answer.waitedMs !== undefined)
    return `rollcall waited ${seconds(answer.waitedMs)} for the service; --wait sets how long.`;
  if (answer.kind === 'unreachable_for_now')
    return 'If the service is only starting: --wait 60 waits up to 60 s for it.';
  return undefined;
}

function signWords(answer: Answer): string {
  return isStarting(answer)
    ? `is starting or away (${answer.status})`
    : `does not answer (${causeWords(answer.error).cause})`;
}

function seconds(milliseconds: number): string {
  return `${Math.round(milliseconds / 1000)} s`;
}
