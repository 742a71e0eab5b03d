import { byPlace, diagnosticFor, type Diagnostic, type Problem } from '../../base/diagnostic.ts';
import { shownId } from '../../kinds/name-of-one.ts';
import { blankFor } from '../../kinds/fields.ts';
import { diagnosticOf } from '../../kinds/resource.ts';
import type { UnresolvedName } from '../../observe/resolve-names.ts';
import type { Halt } from '../../run/result.ts';
import { answerWords, serviceWords, waitAdvice } from './answers.ts';

/** Why names have no ids, each at its line: once where many entries have it from the defaults of their file. */
export function unresolvedNames({
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
