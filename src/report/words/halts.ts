import { groupBy } from '../../base/group-by.ts';
import { listNames } from './diagnostics.ts';
import { printableLine, withoutEmpty } from '../printable.ts';
import { comparePlaces, diagnosticFor, type Diagnostic, type Problem } from '../../base/diagnostic.ts';
import { childrenDeclaredBy, isBindingField } from '../../kinds/access.ts';
import { idText } from '../../kinds/values.ts';
import { placeholderFor } from '../../kinds/fields.ts';
import { diagnosticOf, type Resource } from '../../kinds/resource.ts';
import { formerly, formerName } from '../../kinds/lifecycle.ts';
import type { NameFault, UnresolvedName } from '../../observe/resolve-names.ts';
import type { Halt } from '../../run/result.ts';
import {
  answerDetail,
  answerWords,
  joinLines,
  requestIdWords,
  serviceSentence,
  serviceWords,
} from './answers.ts';
import type { FailedRead } from '../../observe/read-children.ts';
import type { AnswerKind } from '../../service/answer.ts';
import { isTokenUnknown } from '../../service/denial.ts';

export function haltDiagnostics(halt: Halt): readonly Diagnostic[] {
  switch (halt.kind) {
    case 'unread':
      return [
        ...failedReadDiagnostics(halt.failures),
        ...(halt.interrupted ? [interruptedDiagnostic('resources')] : []),
      ];
    case 'unresolved':
      return unresolvedNames(halt);
    case 'not_confirmed': {
      const summary = 'the plan was not confirmed';
      const detail = 'Nothing was created or changed.';
      return [diagnosticFor(undefined, { code: 'not-confirmed', summary, detail })];
    }
    case 'too_many':
    case 'refused':
      return halt.diagnostics;
    case 'stale':
      return halt.diagnostics.map((found) => ({ ...found, detail: printableLine(found.detail) }));
  }
}

function interruptedDiagnostic(what: string): Diagnostic {
  return diagnosticFor(undefined, {
    code: 'interrupted',
    summary: `the run was interrupted while ${what} were looked up`,
    detail: 'Nothing was changed. Run the command again.',
  });
}

/** Diagnostics for failed reads. Failures with the same cause in the service or connection share a diagnostic. */
export function failedReadDiagnostics(failures: readonly FailedRead[]): Diagnostic[] {
  const alike = groupBy(failures.map(withApiMissing), ({ answer, resource, bindingField = '' }) =>
    serviceCodes.has(answer.kind)
      ? `${bindingField}\n${answerWords(answer).summary}\n${serviceWords(answer)}`
      : resource.address,
  );
  return Array.from(alike.values(), readDiagnostic);
}

/** A missing list ends the run only if the API did not answer the documented look-ups either. */
function withApiMissing(read: FailedRead): FailedRead {
  const isApiMissing = read.bindingField === undefined && read.answer.kind === 'not_offered';
  return isApiMissing ? { ...read, answer: { ...read.answer, kind: 'no_such_route' } } : read;
}

/** Answers that are about the service or the connection, not about one resource. */
const serviceCodes: ReadonlySet<AnswerKind> = new Set([
  'denied',
  'read_only',
  'not_offered',
  'no_such_route',
  'redirect',
  'unreachable',
  'unreachable_for_now',
]);

function readDiagnostic(alike: [FailedRead, ...FailedRead[]]): Diagnostic {
  const [{ answer, resource, bindingField }] = alike;
  const { code, summary, advice } = answerWords(answer);
  const isRightMissing = answer.kind === 'denied' && !isTokenUnknown(answer);
  const detail = answerDetail(answer, isRightMissing ? viewPermissions(alike) : advice);
  const { kind, fields } = resource;
  const bound = Object.keys(fields).find((field) => isBindingField(kind, field));
  const names = listNames([...new Set(alike.map((read) => read.resource.address))]);
  if (bindingField === undefined)
    return serviceCodes.has(answer.kind)
      ? diagnosticFor(undefined, { code, summary, detail: joinLines(detail, `Not looked up: ${names}`) })
      : diagnosticOf(resource, kind.identity, { code, summary: `could not look it up: ${summary}`, detail });
  const isAccess = bindingField === kind.access?.field;
  const what = isAccess ? 'who may open it' : `its \`${bindingField}\``;
  const leaveOut = `leave \`${bindingField}\` out, so that ${isAccess ? 'access' : 'it'} is not managed.`;
  const notRead = serviceCodes.has(answer.kind) && alike.length > 1 && `Not read: ${names}`;
  const [children] = childrenDeclaredBy(kind, Object.keys(fields)).keys();
  if (answer.kind === 'denied')
    return diagnosticOf(resource, bound, {
      code,
      summary: `the token may not read ${what}`,
      detail: joinLines(
        `Grant the token the permission view_${children?.model.name ?? ''}, or ${leaveOut}`,
        serviceSentence(answer),
        requestIdWords(answer),
        notRead,
      ),
    });
  return diagnosticOf(resource, bound, {
    code,
    summary: `could not read ${what}: ${summary}`,
    detail: joinLines(detail, answer.kind === 'not_offered' && `Otherwise, ${leaveOut}`, notRead),
  });
}

function viewPermissions(alike: readonly FailedRead[]): string {
  const names = [...new Set(alike.map(({ resource }) => `\`view_${resource.kind.model.name}\``))];
  return `The token needs the permission${names.length === 1 ? '' : 's'} ${names.join(', ')}.`;
}

/** Says why names have no ids. Entries that take the name from `defaults` share a diagnostic. */
function unresolvedNames({
  names,
  diagnostics,
  notRead,
  interrupted: wasInterrupted,
}: Extract<Halt, { kind: 'unresolved' }>): Diagnostic[] {
  const general = names.flatMap(({ resource, fault }) =>
    isServiceFault(fault) ? { resource, proof: fault.proof, answer: fault.answer } : [],
  );
  const found = [
    ...failedReadDiagnostics(general),
    ...names.flatMap((name) =>
      isServiceFault(name.fault)
        ? []
        : diagnosticOf(name.resource, name.declared.field, problemOf(name), name.declared.item),
    ),
    ...diagnostics,
  ];
  const once = new Map(found.map((each) => [JSON.stringify([each.code, each.summary, each.range]), each]));
  const all = [...once.values()].toSorted(comparePlaces);
  if (wasInterrupted) all.push(interruptedDiagnostic('names'));
  // The service asked for too long a pause, or did not become available again.
  else if (notRead > 0 && all.length === 0) all.push(notLookedUpWords);
  return all;
}

/** Whether the service or the connection prevented a look-up. A missing right to view a kind does not count. */
function isServiceFault(fault: NameFault): fault is Extract<NameFault, { kind: 'unread' }> {
  if (fault.kind !== 'unread') return false;
  return fault.answer.kind === 'denied'
    ? isTokenUnknown(fault.answer)
    : fault.answer.kind !== 'not_offered' && serviceCodes.has(fault.answer.kind);
}

const notLookedUpWords = diagnosticFor(undefined, {
  code: 'service-unreachable',
  summary: 'the names in the manifests could not be looked up',
  detail:
    'The service asked rollcall to wait too long, or did not become available. Nothing was changed. Run the command again.',
});

/** The problem of a name for which no id was found. For a hidden field, the message contains no name or id. */
function problemOf({ resource, declared, fault }: UnresolvedName): Problem {
  const { related, name, field } = declared;
  const { type, list } = related;
  const isShown = placeholderFor(resource, field) === undefined;
  const named = isShown ? ` named ${JSON.stringify(name)}` : ' of this name';
  switch (fault.kind) {
    case 'not_found':
      return {
        code: 'name-not-found',
        summary: `there is no ${type}${named}, or it is not visible to this token`,
        detail: fault.isDeclaredElsewhere
          ? `This record is declared, but not selected in this run. Apply it first, for example with --target '${type}.*'. With --shard, apply every shard with --keep-going, from the first to the last, and then repeat.`
          : `${isShown && fault.nearest !== undefined ? `Did you mean ${JSON.stringify(fault.nearest)}? ` : ''}Names are compared exactly. A token sees the ${list} that it may view.`,
      };
    case 'no_such_id':
      return {
        code: 'id-not-found',
        summary: `there is no ${type} with this id${isShown ? `: ${name}` : ''}`,
        detail: `The service refuses an entry with this id. Correct it, or write a name instead: \`{ name: … }\`.`,
      };
    case 'several':
      return {
        code: 'ambiguous-name',
        summary: `there is more than one ${type}${named}`,
        detail: `${isShown ? `Their ids: ${fault.ids.map((id) => idText(id)).join(', ')}. ` : ''}${
          field === resource.kind.identity
            ? 'Rename or delete all but one of them in the service.'
            : 'Write the id of the intended record.'
        }`,
      };
    case 'taken':
      return {
        code: 'name-taken',
        summary: `a ${type} of another type has this name${fault.by === '' ? '' : `: ${fault.by}`}`,
        detail:
          'The service refuses a second record of this name, whatever its type. Choose another name, or rename or delete the existing record first.',
      };
    case 'torn':
      return renameProblem(resource, fault);
    case 'unread': {
      const { code, summary, advice } = answerWords(fault.answer);
      return {
        code,
        summary: `could not look up the ${type} by its name: ${summary}`,
        detail: answerDetail(
          fault.answer,
          withoutEmpty(
            fault.proof === 'denied' ? `The token must be allowed to view ${list}.` : advice,
            fault.answer.kind === 'not_offered' &&
              field !== resource.kind.identity &&
              field !== formerly &&
              'Otherwise, write the id in place of the name.',
          ).join(' '),
          isShown,
        ),
      };
    }
  }
}

function renameProblem(resource: Resource, { why, ids }: Extract<NameFault, { kind: 'torn' }>): Problem {
  const { type, list } = resource.kind;
  const [now, before] = [resource.name, formerName(resource) ?? ''].map((name) => JSON.stringify(name));
  switch (why) {
    case 'both':
      return {
        code: 'ambiguous-name',
        summary: `both ${now} and ${before} exist as ${list}`,
        detail: `Their ids, in this order: ${ids.map((id) => idText(id)).join(', ')}. The new name is taken, so nothing is renamed. Declare both records without \`formerly\`, or delete one of them.`,
      };
    case 'unseen':
      return {
        code: 'ambiguous-name',
        summary: `there is no ${type} named ${now} or ${before}, or they are not visible to this token`,
        detail: `A create could duplicate a record that this token cannot see. If no record has either name, delete \`formerly\`. Otherwise use a superuser's token, which sees all ${list}.`,
      };
    case 'unread':
      return {
        code: 'ambiguous-name',
        summary: `cannot determine whether the ${type} exists as ${now} or as ${before}`,
        detail: `The token must be allowed to view ${list}, and each name must be unique. Otherwise leave \`formerly\` out.`,
      };
  }
}
