import { isMissing, isPartial, type Conflict, type Outcome } from '../../apply/outcome.ts';
import type { Diagnostic, Problem } from '../../base/diagnostic.ts';
import { isMasked } from '../../base/sensitive.ts';
import { childrenDeclaredBy, isBindingField } from '../../kinds/access.ts';
import { diagnosticOf, type Resource } from '../../kinds/resource.ts';
import { isToBeDeleted } from '../../kinds/lifecycle.ts';
import type { WriteAction } from '../../plan/actions.ts';
import type { Change } from '../../plan/plan.ts';
import { expiry } from '../../kinds/time.ts';
import { GivenUpError } from '../../service/abortable.ts';
import type { AnswerKind } from '../../service/answer.ts';
import { fieldErrorsOf, type FieldError } from '../../service/complaints.ts';
import { isTokenUnknown } from '../../service/denial.ts';
import {
  answerWords,
  changeAnswerWords,
  fieldPath,
  joinLines,
  permissionWords,
  quotedTexts,
  requestIdWords,
  serviceSentence,
  waitAdvice,
} from './answers.ts';
import { returnedValuesWords, doubtWords, serviceValueWords, usabilityWords } from './outcomes.ts';
import { placeOfComplaint } from './place-of-complaint.ts';
import { fieldList } from './plan.ts';

/** A problem of a resource, or of a field that the manifest need not declare. */
interface PlacedProblem extends Omit<Problem, 'address'> {
  readonly field?: string | undefined;
  readonly item?: number | undefined;
}

/** Says why a resource failed. If the service complains about a field, the diagnostic is at the line of that field. */
export function outcomeDiagnostics(outcome: Outcome): readonly Diagnostic[] {
  const { change } = outcome;
  if (change.action === 'not-planned') return change.diagnostics;
  const { resource } = change;
  return problemsOf(outcome).map(({ field, item, ...problem }) => {
    const isDeclared = field !== undefined && Object.hasOwn(resource.fields, field);
    return diagnosticOf(resource, isDeclared ? field : resource.kind.identity, problem, item);
  });
}

function problemsOf(outcome: Outcome): PlacedProblem[] {
  const { answer, at, clash, differences } = outcome;
  if (outcome.stoppedBy === 'left') return [unchangedProblem(outcome.change)];
  if (isPartial(outcome)) return partialProblems(outcome);
  // The plan did not contain these differences, so somebody else has created the record since then.
  if (outcome.outcome === 'exists' && differences !== undefined)
    return [
      {
        field: differences[0]?.field,
        code: 'differs',
        severity: 'warning',
        summary: `it now exists, and differs in ${fieldList(differences)}`,
        detail:
          'The plan did not show this record, so it is left unchanged. Plan again to see the differences.',
      },
    ];
  if (outcome.outcome === 'unfinished') return [unfinishedProblem(outcome)];
  if (clash) return conflictProblems(clash, outcome);
  const { resource } = outcome.change;
  const { opening, advice = '' } = actionStart(outcome);
  const unexpected = `${opening}an unexpected error occurred during its request`;
  if (outcome.outcome === 'unknown' && answer === undefined)
    return [{ code: 'unexpected-error', summary: unexpected, detail: advice }];
  if (!isMissing(outcome) || answer === undefined) return [];
  // Only a look-up before the change was cancelled, so there is nothing to report about the change.
  if (outcome.stoppedBy === 'interrupted' && answer.error instanceof GivenUpError) return [];
  const isContent = contentRefusals.has(answer.kind);
  // A complaint about a binding names the binding's own fields.
  const complaints =
    outcome.outcome === 'rejected' && isContent && at === undefined
      ? fieldErrorsOf(answer, resource.kind)
      : [];
  if (complaints.length > 0)
    return complaints.map((complaint) => {
      const place = placeOfComplaint(complaint, resource);
      return {
        ...place,
        code: complaint.field === undefined ? 'service-refused' : 'service-refused-field',
        summary: `the service refused ${refusedWords(complaint)}: ${quotedTexts(complaint.texts)}`,
        detail: joinLines(
          complaint.field === resource.kind.identity && resource.kind.words.nameTakenHint,
          complaint.key !== undefined && demandWords(place.field !== undefined),
          requestIdWords(answer),
        ),
      };
    });
  const { code, summary, advice: usual } = changeAnswerWords(outcome.change, answer);
  const said = serviceSentence(answer);
  const rights = rightsWords(outcome);
  const detail = joinLines(said, rights ?? usual, waitAdvice(answer), advice, requestIdWords(answer));
  const summaryStart = at === undefined || opening !== '' ? opening : `\`${at}\` was not changed: `;
  return [{ field: at, code, summary: `${summaryStart}${summary}`, detail }];
}

/** Why a change was not made, although the capability and --allow permit updates. */
function unchangedProblem({ resource, differences, leftBecause, deletesBindings }: Change): PlacedProblem {
  const isDelete = isToBeDeleted(resource);
  return {
    field: differences[0]?.field,
    code: 'differs',
    summary: `not ${isDelete ? 'deleted' : `changed in ${fieldList(differences)}`}: ${leftBecause}`,
    detail: isDelete
      ? 'Remove this obstacle and apply again.'
      : deletesBindings
        ? ''
        : 'Declare the value that the service has, or change the value in the service.',
  };
}

const contentRefusals: ReadonlySet<AnswerKind> = new Set([
  'fields_refused',
  'identity_refused',
  'identity_and_more_refused',
]);

/** Words for each action. `again` ends the advice to plan and apply again after a lost answer. */
const actionWords: Readonly<Record<WriteAction, Readonly<Record<'verb' | 'done' | 'again', string>>>> = {
  create: { verb: 'create', done: 'created', again: ' This creates nothing twice.' },
  update: { verb: 'change', done: 'changed', again: ' This changes nothing that is already as declared.' },
  delete: { verb: 'delete', done: 'deleted', again: '' },
};

/** The first words of a diagnostic about a failed action, and advice for the user. */
function actionStart({ change: { action, resource }, outcome }: Outcome): {
  opening: string;
  advice?: string;
} {
  const isCreate = action !== 'update' && action !== 'delete';
  const { done, again } = actionWords[isCreate ? 'create' : action];
  if (outcome === 'unknown')
    return {
      opening: `unclear whether it was ${done}: `,
      advice: `Plan and apply again to find out.${again}`,
    };
  if (outcome === 'conflict' && isCreate)
    return {
      opening: 'this name is taken or reserved: ',
      advice: `Choose another name, or use a token that may view the record with this name.${expiry in resource.kind.fields ? ' If that record has expired, the service does not show it: delete it, or wait until the service does.' : ''}`,
    };
  const isRefused = outcome === 'rejected' || outcome === 'denied';
  const isSaid = outcome === 'not_attempted' || (isRefused && action === 'delete');
  return { opening: isSaid ? `not ${done}: ` : '' };
}

/** Why a resource that this run created, or probably created, does not count as done. */
function partialProblems({ change, outcome, doubt, differences = [], answer }: Outcome): PlacedProblem[] {
  const request = answer && requestIdWords(answer);
  if (doubt === 'hidden') {
    const summary = 'it was created, but this token cannot see it';
    const detail = `Each later run may create another one. Delete the record in the service, use a token that may view each ${change.resource.kind.type}, and apply again.`;
    return [{ code: 'perhaps-hidden', summary, detail: joinLines(detail, request) }];
  }
  if (doubt === 'unchecked') {
    const detail = joinLines(change.resource.kind.words.incompleteRecordAdvice, request);
    return [{ code: 'perhaps-incomplete', summary: `it ${doubtWords}, and fields may be missing`, detail }];
  }
  return differences.map((difference) => {
    const { field, declared, observed } = difference;
    return {
      field,
      code: 'not-as-declared',
      summary:
        outcome === 'created'
          ? `it was created, but ${returnedValuesWords([difference])}`
          : `it ${doubtWords}, but has ${serviceValueWords(difference)} in ${field}`,
      detail: joinLines(
        !isMasked(declared) && `The manifest declares ${JSON.stringify(declared)}.`,
        observed === null &&
          !change.resource.kind.bindable?.withheld.includes(field) &&
          'This release of the service may not know the field.',
        'To set the field, plan and apply with the capability `update` and --allow update.',
        request,
      ),
    };
  });
}

function rightsWords({ change: { resource }, answer, at }: Outcome): string | undefined {
  if (answer?.kind !== 'denied' || isTokenUnknown(answer)) return undefined;
  const [children] = at === undefined ? [] : childrenDeclaredBy(resource.kind, [at]).keys();
  return permissionWords(answer, children ?? resource.kind);
}

const successes: ReadonlySet<string> = new Set(['found', 'created']);

function unfinishedProblem(outcome: Outcome): PlacedProblem {
  const { change, answer, clash, differences = [], at } = outcome;
  const done = change.action === 'update' ? 'changed' : 'created';
  const lacking =
    differences.length > 0
      ? `: ${fieldList(differences)} ${differences.length === 1 ? 'is' : 'are'} not yet as declared`
      : '';
  // A successful answer is not the cause: the record was changed meanwhile, or a record that it refers to is missing.
  const answerText = answer && !successes.has(answer.kind) ? answerWords(answer) : undefined;
  return {
    field: at ?? differences[0]?.field,
    code:
      clash && !(clash.kind === 'unseen' && answerText)
        ? 'changed-since-plan'
        : (answerText?.code ?? 'not-as-declared'),
    summary:
      clash?.kind === 'unseen'
        ? `it exists, but ${change.resource.kind.access ? 'who can open it' : 'what is bound to it'} is unknown`
        : done === 'changed' && !change.unfinished
          ? `it was changed only in part${lacking}`
          : `it is unfinished${lacking}`,
    detail: joinLines(
      clash && concurrentChangeWords(clash, change.resource),
      answerText && `The next step failed: ${answerText.summary}.`,
      answer && serviceSentence(answer),
      rightsWords(outcome) ?? answerText?.advice,
      answer && waitAdvice(answer),
      clash === undefined && usabilityWords(done, change.resource, differences),
      differences.length > 0
        ? 'To finish it, plan and apply with --capability update --allow update.'
        : 'Plan again to see what it lacks, if anything.',
      answer && requestIdWords(answer),
    ),
  };
}

function concurrentChangeWords(clash: Conflict, { kind }: Resource): string | undefined {
  if (clash.kind === 'refused') return `The change was stopped half-way: ${clash.why}.`;
  if (clash.kind === 'ignored') return 'The service accepted the last change, but did not make it.';
  if (clash.kind === 'unseen') return 'Its bindings could not be read again.';
  if (clash.kind !== 'changed') return 'Somebody else changed it in the meantime.';
  const isOfBound = clash.fields.some(({ field }) => isBindingField(kind, field));
  const other = isOfBound ? ', or some bindings are hidden from the token' : ', or the service itself did';
  const { openTo } = clash;
  return joinLines(
    `Somebody else changed it in the meantime${other}.`,
    openTo &&
      (openTo.length === 0 ? 'Nobody can open it yet.' : `Who can open it now: ${openTo.join(', ')}.`),
  );
}

/** Says why an existing record was not changed, with a problem for each field that prevented the change. */
function conflictProblems(clash: Conflict, { change, outcome, attempts }: Outcome): PlacedProblem[] {
  const code = 'changed-since-plan';
  const { verb, done } = actionWords[change.action === 'delete' ? 'delete' : 'update'];
  const sent =
    outcome === 'unknown'
      ? `rollcall sent a request to ${verb} it, and the effect is unknown.`
      : attempts > 0
        ? 'rollcall sent a request to change it, but the request had no effect.'
        : 'Nothing was sent.';
  const detail = `${sent} Plan again, read the differences, and apply.`;
  switch (clash.kind) {
    case 'vanished':
      return [{ code, summary: 'it no longer exists, as far as this token can see', detail }];
    case 'replaced':
      return [{ code, summary: 'another record now has its name', detail }];
    case 'unseen':
      return [{ code, summary: 'the result could not be read', detail }];
    case 'refused':
      return [{ code, summary: `it can no longer be ${done} safely: ${clash.why}`, detail }];
    case 'changed':
      return clash.fields.map(({ field, planned, observed }) => {
        const seen = `The plan saw ${JSON.stringify(planned)}; the service now has ${JSON.stringify(observed)}.`;
        const summary =
          outcome === 'unknown'
            ? `\`${field}\` differs from both the planned and the declared value`
            : `somebody else has changed \`${field}\` since the plan`;
        const own = outcome === 'unknown' && ownChangeWords;
        return { field, code, summary, detail: joinLines(!isMasked(observed) && seen, own, detail) };
      });
    case 'ignored':
      return clash.fields.map(({ field, observed }) => ({
        field,
        code: 'not-as-declared',
        summary: `the service accepted the change, but did not change \`${field}\`${isMasked(observed) ? '' : `: ${JSON.stringify(observed)}`}`,
        detail: `The value was sent ${attempts === 1 ? 'once' : `${attempts} times`}. The service may store the value in another form: then declare that form. Or this release of the service may not know the field: then leave it out, or set it in the service.`,
      }));
  }
}

const ownChangeWords =
  'Somebody else may have changed it, or the service itself: it may store the value in another form, or set the field when others change.';

function demandWords(isDeclared: boolean): string {
  const demanded =
    'The administrators of the service require this attribute (Directory > Object attributes).';
  return isDeclared
    ? demanded
    : `${demanded} A record without this attribute cannot be created or changed: declare the attribute here.`;
}

function refusedWords({ item, ...complaint }: FieldError): string {
  const field = fieldPath(complaint);
  if (field === undefined) return 'it';
  return item === undefined ? `\`${field}\`` : `item ${item + 1} of \`${field}\``;
}
