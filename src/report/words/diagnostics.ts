import { diagnosticFor, type Diagnostic } from '../../base/diagnostic.ts';
import { isBlank } from '../../base/sensitive.ts';
import { shownPlace } from '../../base/source.ts';
import { kinds, kindWords } from '../../kinds/all.ts';
import { diagnosticOf } from '../../kinds/resource.ts';
import type { LoadedManifests } from '../../manifest/load-manifests.ts';
import type { Unchecked } from '../../manifest/unchecked.ts';
import type { FailedRead } from '../../observe/observe.ts';
import type { AnswerKind } from '../../service/answer.ts';
import { waitAdvice, answerWords, serviceWords } from './answers.ts';
import type { StaleChange, Staleness } from '../../plan/saved/staleness.ts';
import type { Halt } from '../../run/result.ts';
import { quoted } from '../printable.ts';

/** The summary of a diagnostic where nothing else of it is seen: it names the resource. */
export function namedSummary({ address, summary }: Pick<Diagnostic, 'address' | 'summary'>): string {
  return address === undefined || summary.includes(address) ? summary : `${address}: ${summary}`;
}

/** Groups items by a key. Groups are in the order of their first items, items in the order in which they were given. */
export function grouped<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
): Map<string, [Item, ...Item[]]> {
  const groups = new Map<string, [Item, ...Item[]]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/** Joins diagnostics that say the same of several resources into one, at the place of the first. */
export function fold(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const alike = grouped(diagnostics, ({ code, summary, detail }) =>
    JSON.stringify([code, summary, detail.replace(/^Request id: .*$/m, '')]),
  );
  return Array.from(alike.values(), ([first, ...others]) => {
    if (others.length === 0) return first;
    const names = others.map(({ address, range }) => address ?? (range ? shownPlace(range) : 'another'));
    return { ...first, detail: `${first.detail}\nThe same for: ${names.join(', ')}` };
  });
}

/** The last line of a validation. */
export function validationHeadline(
  { errors, warnings }: Record<'errors' | 'warnings', readonly Diagnostic[]>,
  counts: LoadedManifests['counts'],
): string {
  const warned = warningCount(warnings);
  if (errors.length > 0)
    return `Invalid: ${[counted(errors.length, 'error'), ...warned].join(', ')}. Nothing was sent.`;
  const declared = kinds.map(({ type }) => counted(counts.get(type) ?? 0, type)).join(', ');
  return `Valid: ${[declared, ...warned].join('; ')}.`;
}

/** More names would hide what was found. The JSON document has them all. */
const mostNames = 10;

/** Says what was not checked, where anything was not. */
export function uncheckedRemarks({ values, variables, files }: Unchecked): string[] {
  if (values === 0) return [];
  const names = [...variables.map((name) => `\${env:${name}}`), ...files.map((path) => `\${file:${path}}`)];
  const others = names.length - mostNames;
  const shown = others > 0 ? [...names.slice(0, mostNames), `and ${others} more`] : names;
  const [were, their] = values === 1 ? ['was', 'its'] : ['were', 'their'];
  const words = `${counted(values, 'value')} ${were} not checked, because ${their} secrets are not read here`;
  return [`${words}: ${shown.join(', ')}.`];
}

/** How many warnings there are, where there are any. */
export function warningCount({ length }: readonly Diagnostic[]): string[] {
  return length > 0 ? [counted(length, 'warning')] : [];
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

const unread = kindWords.unreadable.replace(/^./, (letter) => letter.toUpperCase());

/** Why a job went no further. */
export function haltDiagnostics(halt: Halt): readonly Diagnostic[] {
  switch (halt.kind) {
    case 'unread': {
      const interruption = diagnosticFor(undefined, {
        code: 'interrupted',
        summary: `the run was interrupted while ${kindWords.readable} were looked up`,
        detail: 'Nothing was changed. Run it again.',
      });
      return [...failedReads(halt.failures), ...(halt.interrupted ? [interruption] : [])];
    }
    case 'too_many_creates': {
      const { count, most } = halt;
      const tooMany = diagnosticFor(undefined, {
        code: 'too-many-creates',
        summary: `the plan would create ${count} resources, and --max-creates allows ${most}`,
        detail: `${unread} count as well, because they may all be absent. Allow more, or narrow the plan with --target and --exclude.`,
      });
      return [tooMany];
    }
    case 'not_confirmed': {
      const summary = 'the plan was not confirmed';
      return [diagnosticFor(undefined, { code: 'not-confirmed', summary, detail: 'Nothing was created.' })];
    }
    case 'refused':
      return halt.diagnostics;
    case 'stale':
      return stalePlan(halt.changes);
  }
}

/** Diagnostics of failed reads. Reads that failed alike share one, at the place of the first. */
export function failedReads(failures: readonly FailedRead[]): Diagnostic[] {
  const alike = grouped(failures, ({ answer }) => `${answerWords(answer).summary}\n${serviceWords(answer)}`);
  return Array.from(alike.values(), groupDiagnostic);
}

/** Answers that say something of the service or the way to it, and not of one resource. */
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
  return diagnosticOf(first.resource, first.resource.kind.identity, {
    code,
    summary: `could not look it up: ${summary}`,
    detail,
  });
}

/** Why a saved plan is not applied, at the lines that declare what has changed. */
function stalePlan(changes: readonly StaleChange[]): Diagnostic[] {
  return changes.flatMap(({ resource, staleness }) =>
    staleness.map((change) =>
      diagnosticOf(resource, change.kind === 'field' ? change.field : undefined, {
        code: 'stale-plan',
        ...wordsFor(change),
      }),
    ),
  );
}

function wordsFor(change: Staleness): { summary: string; detail: string } {
  switch (change.kind) {
    case 'appeared':
      return { summary: 'it exists by now, and the plan would create it', detail: '' };
    case 'vanished':
      return { summary: 'it existed when the plan was made, and is not there any more', detail: '' };
    case 'field':
      return {
        summary: `\`${change.field}\` is not as it was when the plan was made`,
        detail: isBlank(change.planned)
          ? ''
          : `It was ${quoted(change.planned)}, and is ${quoted(change.observed)}.`,
      };
    case 'sensitive':
      return change.where === 'declared'
        ? {
            summary: 'a sensitive value is not the one that the plan was made with',
            detail: 'The environment or a file holds another value here and now.',
          }
        : { summary: 'a field that is not shown has changed on the service', detail: '' };
  }
}
