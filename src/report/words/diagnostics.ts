import { diagnosticFor, type Diagnostic, type DiagnosticCode } from '../../base/diagnostic.ts';
import { isBlank } from '../../base/sensitive.ts';
import { shownPlace } from '../../base/source.ts';
import { kinds, listsOf } from '../../kinds/all.ts';
import { shownId } from '../../kinds/name-of-one.ts';
import { diagnosticOf } from '../../kinds/resource.ts';
import type { LoadedManifests } from '../../manifest/load-manifests.ts';
import type { Unchecked } from '../../manifest/unchecked.ts';
import type { FailedRead } from '../../observe/observe.ts';
import type { AnswerKind } from '../../service/answer.ts';
import { unresolvedNames } from './names.ts';
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

/** More places of one cause would hide other causes. */
const mostPlaces = 3;

/** Problems of one value, or of one resource: the same words elsewhere have another cause. */
const ofValue: ReadonlySet<DiagnosticCode> = new Set(['invalid-value', 'invalid-format', 'invalid-length']);
const ofResource: ReadonlySet<DiagnosticCode> = new Set(['differs', 'no-longer-declared']);

/**
 * One diagnostic for each cause: those that say the same are joined into the first, which counts the others and names some of them.
 * It is for people. What is made for programs has every diagnostic.
 */
export function fold(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return Array.from(grouped(diagnostics, causeOf).values(), ([first, ...others]) => {
    if (others.length === 0) return first;
    // Several problems of one resource are told apart by their places.
    const isRepeated = new Set([first, ...others].map(({ address }) => address)).size <= others.length;
    const names = others
      .slice(0, mostPlaces)
      .map(
        ({ address, range }) =>
          (isRepeated ? undefined : address) ?? (range ? shownPlace(range) : (address ?? 'another')),
      );
    const same =
      others.length > names.length
        ? `The same for ${others.length} others: ${names.join(', ')}, …`
        : `The same for: ${names.join(', ')}`;
    return { ...first, detail: `${first.detail}\n${same}` };
  });
}

function causeOf(diagnostic: Diagnostic): string {
  const { severity, code, summary, detail, address } = diagnostic;
  const value = ofValue.has(code) ? markedIn(diagnostic) : undefined;
  const resource = ofResource.has(code) ? address : undefined;
  return JSON.stringify([
    severity,
    code,
    summary,
    detail.replace(/^Request id: .*$/m, ''),
    value ?? '',
    resource ?? '',
  ]);
}

/** The text that a diagnostic is about, as far as it stands in one line. */
function markedIn({ range, excerpt }: Diagnostic): string | undefined {
  if (range === undefined) return undefined;
  const { start, end } = range;
  return excerpt?.slice(start.column - 1, end.line === start.line ? end.column - 1 : undefined);
}

/** How many causes there are, and in how many places where those are more. */
function causes(diagnostics: readonly Diagnostic[], noun: string): string {
  const { length } = fold(diagnostics);
  const places = length < diagnostics.length ? ` in ${diagnostics.length} places` : '';
  return counted(length, noun) + places;
}

/** The last line of a validation. */
export function validationHeadline(
  { errors, warnings }: Record<'errors' | 'warnings', readonly Diagnostic[]>,
  counts: LoadedManifests['counts'],
  wasAsked = false,
): string {
  const warned = warningCount(warnings);
  if (errors.length > 0) {
    const sent = `Nothing was sent${wasAsked ? ' but the question for the release' : ''}.`;
    return `Invalid: ${[causes(errors, 'error'), ...warned].join(', ')}. ${sent}`;
  }
  const declared = kinds.map(({ type }) => counted(counts.get(type) ?? 0, type)).join(', ');
  return `Valid: ${[declared, ...warned].join('; ')}.`;
}

/** More names would hide what was found. */
const mostNames = 10;

function listed(names: readonly string[]): string {
  const others = names.length - mostNames;
  return (others > 0 ? [...names.slice(0, mostNames), `and ${others} more`] : names).join(', ');
}

/** Says what was not checked, where anything was not. */
export function uncheckedRemarks({ values, variables, files }: Unchecked): string[] {
  if (values === 0) return [];
  const names = [...variables.map((name) => `\${env:${name}}`), ...files.map((path) => `\${file:${path}}`)];
  const [were, their] = values === 1 ? ['was', 'its'] : ['were', 'their'];
  const words = `${counted(values, 'value')} ${were} not checked, because ${their} secrets are not read here`;
  return [`${words}: ${listed(names)}.`];
}

/** How many warnings there are, where there are any. */
export function warningCount(warnings: readonly Diagnostic[]): string[] {
  return warnings.length > 0 ? [causes(warnings, 'warning')] : [];
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Why a job went no further. */
export function haltDiagnostics(halt: Halt): readonly Diagnostic[] {
  switch (halt.kind) {
    case 'unread': {
      const interruption = diagnosticFor(undefined, {
        code: 'interrupted',
        summary: 'the run was interrupted while resources were looked up',
        detail: 'Nothing was changed. Run it again.',
      });
      return [...failedReads(halt.failures), ...(halt.interrupted ? [interruption] : [])];
    }
    case 'unresolved':
      return unresolvedNames(halt);
    case 'too_many_creates': {
      const { count, most, unseen } = halt;
      const lists = listsOf(unseen).replace(/^./, (letter) => letter.toUpperCase());
      const tooMany = diagnosticFor(undefined, {
        code: 'too-many-creates',
        summary: `the plan would create ${count} resources, and --max-creates allows ${most}`,
        detail: `${lists === '' ? '' : `${lists} count as well, because they are not looked up and may all be absent. `}Allow more, or narrow the plan with --target and --exclude.`,
      });
      return [tooMany];
    }
    case 'too_many_updates': {
      const { count, most } = halt;
      const tooMany = diagnosticFor(undefined, {
        code: 'too-many-updates',
        summary: `the plan would change ${count} resources, and --max-updates allows ${most}`,
        detail: 'Allow more, or narrow the plan with --target and --exclude.',
      });
      return [tooMany];
    }
    case 'not_confirmed': {
      const summary = 'the plan was not confirmed';
      return [
        diagnosticFor(undefined, {
          code: 'not-confirmed',
          summary,
          detail: 'Nothing was created or changed.',
        }),
      ];
    }
    case 'refused':
      return halt.diagnostics;
    case 'stale':
      return stalePlan(halt.changes);
  }
}

/** Diagnostics of failed reads: one for each, or for each thing that is wrong with the service or the way to it. */
export function failedReads(failures: readonly FailedRead[]): Diagnostic[] {
  const alike = grouped(failures, ({ answer, resource }) =>
    ofTheService.has(answer.kind)
      ? `${answerWords(answer).summary}\n${serviceWords(answer)}`
      : resource.address,
  );
  return Array.from(alike.values(), readDiagnostic);
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

function readDiagnostic(alike: [FailedRead, ...FailedRead[]]): Diagnostic {
  const [first] = alike;
  const { code, summary, advice } = answerWords(first.answer);
  const said = serviceWords(first.answer);
  const wide = ofTheService.has(first.answer.kind);
  const detail = [
    advice,
    waitAdvice(first.answer),
    said && `The service said: ${said}`,
    first.answer.requestId && `Request id: ${first.answer.requestId}`,
    wide && `Not looked up: ${listed(alike.map(({ resource }) => resource.address))}`,
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
      diagnosticOf(resource, 'field' in change ? change.field : undefined, {
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
    case 'name':
      return {
        summary: `${change.shown ? `the name ${JSON.stringify(change.shown.name)}` : 'a name'} in \`${change.field}\` leads to another id than when the plan was made`,
        detail: change.shown
          ? `It was ${shownId(change.shown.planned)}, and is ${shownId(change.shown.found)}.`
          : '',
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
