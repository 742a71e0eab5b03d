import { diagnosticAt, type Diagnostic } from '../diagnostic.ts';
import type { FailedRead } from '../observe/observe.ts';
import type { ApplicationResource } from '../resource.ts';
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
  return [...alike.values()].map((group) => diagnosticOf(group));
}

function diagnosticOf([first, ...others]: [FailedRead, ...FailedRead[]]): Diagnostic {
  const { code, summary, advice } = answerWords(first.answer);
  const said = serviceWords(first.answer);
  const detail = [
    advice,
    said && `The service said: ${said}`,
    first.answer.requestId && `Request id: ${first.answer.requestId}`,
    others.length > 0 && `The same for ${others.map(({ resource }) => resource.address).join(', ')}`,
  ];
  return diagnosticAt(first.resource.file, slugSpan(first.resource), {
    code,
    summary: `could not look it up: ${summary}`,
    detail: detail.filter((line) => line).join('\n'),
    address: first.resource.address,
  });
}

function slugSpan(resource: ApplicationResource): ApplicationResource['span'] {
  return resource.fieldSpans['slug'] ?? resource.span;
}
