import { diagnosticFor, type Diagnostic } from '../base/diagnostic.ts';
import { diagnosticOf } from '../kinds/resource-diagnostic.ts';
import { identityField } from '../kinds/resource.ts';
import type { FailedRead } from '../observe/observe.ts';
import type { AnswerKind } from '../service/answer.ts';
import { waitAdvice } from './outage-words.ts';
import { answerWords, serviceWords } from './answer-words.ts';

/** The failed reads as diagnostics: those that failed alike in one, at the place of the first. */
export function failedReads(failures: readonly FailedRead[]): Diagnostic[] {
  const alike = new Map<string, [FailedRead, ...FailedRead[]]>();
  for (const failure of failures) {
    const key = `${answerWords(failure.answer).summary}\n${serviceWords(failure.answer)}`;
    const group = alike.get(key);
    if (group) group.push(failure);
    else alike.set(key, [failure]);
  }
  return [...alike.values()].map((group) => groupDiagnostic(group));
}

/** What is wrong with the service or the way to it, not with one resource. */
const ofTheService: ReadonlySet<AnswerKind> = new Set([
  'denied',
  'read_only',
  'no_such_route',
  'redirect',
  'unreachable',
  'unreachable_for_now',
]);

function groupDiagnostic([first, ...others]: [FailedRead, ...FailedRead[]]): Diagnostic {
  const { code, summary, advice } = answerWords(first.answer);
  const said = serviceWords(first.answer);
  const wide = ofTheService.has(first.answer.kind);
  const alike = (wide ? [first, ...others] : others).map(({ resource }) => resource.address);
  const detail = [
    advice,
    waitAdvice(first.answer),
    said && `The service said: ${said}`,
    first.answer.requestId && `Request id: ${first.answer.requestId}`,
    alike.length > 0 && `${wide ? 'Not looked up' : 'The same for'}: ${alike.join(', ')}`,
  ]
    .filter((line) => line)
    .join('\n');
  if (wide) return diagnosticFor(undefined, { code, summary, detail });
  return diagnosticOf(first.resource, identityField(first.resource), {
    code,
    summary: `could not look it up: ${summary}`,
    detail,
  });
}
