import { grouped, listed } from './diagnostics.ts';
import { byPlace, diagnosticFor, type Diagnostic, type Problem } from '../../base/diagnostic.ts';
import { shownId } from '../../kinds/name-of-one.ts';
import { blankFor } from '../../kinds/fields.ts';
import { diagnosticOf } from '../../kinds/resource.ts';
import type { UnresolvedName } from '../../observe/resolve-names.ts';
import type { Halt } from '../../run/result.ts';
import { answerWords, serviceWords, waitAdvice } from './answers.ts';
import { isBlank } from '../../base/sensitive.ts';
import { listsOf } from '../../kinds/all.ts';
import type { FailedRead } from '../../observe/observe.ts';
import type { AnswerKind } from '../../service/answer.ts';
import type { StaleChange, Staleness } from '../../plan/saved/staleness.ts';
import { quoted } from '../printable.ts';

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

/** Why names have no ids, each at its line: once where many entries have it from the defaults of their file. */
function unresolvedNames({
  names,
  diagnostics,
  notRead,
  interrupted,
}: Extract<Halt, { kind: 'unresolved' }>): Diagnostic[] {
  const found = [...names.map((name) => ofName(name)), ...diagnostics];
  const once = new Map(found.map((each) => [JSON.stringify([each.code, each.summary, each.range]), each]));
  const all = [...once.values()].toSorted(byPlace);
  if (interrupted) all.push(interruption);
  // A pause was too long, or the service did not come back.
  else if (notRead > 0 && all.length === 0) all.push(notLookedUp);
  return all;
}

const interruption = diagnosticFor(undefined, {
  code: 'interrupted',
  summary: 'the run was interrupted while names were looked up',
  detail: 'Nothing was changed. Run it again.',
});

const notLookedUp = diagnosticFor(undefined, {
  code: 'service-unreachable',
  summary: 'the names in the manifests could not be looked up',
  detail: 'The service asks to wait for too long, or did not come back. Nothing was changed. Run it again.',
});

function ofName(unresolved: UnresolvedName): Diagnostic {
  const { resource, declared } = unresolved;
  return diagnosticOf(resource, declared.field, problemOf(unresolved), declared.item);
}

/** Of a hidden field, nothing is said that shows a name or an id. */
function problemOf({ resource, declared, fault }: UnresolvedName): Problem {
  const { related, name, field } = declared;
  const { type, list } = related;
  const isShown = blankFor(resource, field) === undefined;
  const named = isShown ? ` named ${JSON.stringify(name)}` : ' of this name';
  switch (fault.kind) {
    case 'not_found':
      return {
        code: 'name-not-found',
        summary: `there is no ${type}${named}, or it is not visible to this token`,
        detail: [
          isShown && fault.nearest !== undefined && `Did you mean ${JSON.stringify(fault.nearest)}?`,
          `Names are compared exactly. A token sees the ${list} that it may view.`,
        ]
          .filter((line) => line)
          .join(' '),
      };
    case 'several':
      return {
        code: 'ambiguous-name',
        summary: `there is more than one ${type}${named}`,
        detail: `${isShown ? `Their ids: ${fault.ids.map((id) => shownId(id)).join(', ')}. ` : ''}Write the id of the one that is meant.`,
      };
    case 'unread': {
      const { code, summary, advice } = answerWords(fault.answer);
      const said = isShown ? serviceWords(fault.answer) : '';
      return {
        code,
        summary: `could not look up the ${type} by its name: ${summary}`,
        detail: [
          fault.proof === 'denied' ? `The token must be allowed to view ${list}.` : advice,
          waitAdvice(fault.answer),
          said && `The service said: ${said}`,
          fault.answer.requestId && `Request id: ${fault.answer.requestId}`,
        ]
          .filter((line) => line)
          .join('\n'),
      };
    }
  }
}
