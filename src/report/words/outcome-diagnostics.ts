import { isMissing, isPartial, type Clash, type Outcome, type OutcomeKind } from '../../apply/outcome.ts';
import type { Diagnostic, Problem } from '../../base/diagnostic.ts';
import { isJsonList, textOf, type JsonValue } from '../../base/json.ts';
import { isBlank } from '../../base/sensitive.ts';
import { shownValue } from '../../kinds/fields.ts';
import { diagnosticOf, type Resource } from '../../kinds/resource.ts';
import type { Action, Doing } from '../../plan/actions.ts';
import { complaintsOf, type Complaint } from '../../service/complaints.ts';
import { answerWords, serviceWords, waitAdvice } from './answers.ts';
import { grouped } from './diagnostics.ts';
import { cameBackWords, doubtWords, heldWords } from './outcomes.ts';
import { fieldsOf, leftAsItIs } from './plan.ts';

/** Why a resource failed: what the service said of a field is shown at that field's line of the manifest. */
export function outcomeDiagnostics(outcome: Outcome): Diagnostic[] {
  const { answer, clash, differences } = outcome;
  const { resource, action } = outcome.change;
  const requestId = answer?.requestId === undefined ? '' : `Request id: ${answer.requestId}`;
  const at = (field: string | undefined, problem: Problem, item?: number): Diagnostic => {
    const declares = field !== undefined && Object.hasOwn(resource.fields, field);
    return diagnosticOf(resource, declares ? field : resource.kind.identity, problem, item);
  };

  if (isPartial(outcome)) {
    return partialProblems(outcome).map(({ field, detail, ...problem }) =>
      at(field, { ...problem, detail: [detail, requestId].filter((line) => line).join('\n') }),
    );
  }
  // It was created by somebody else in the meantime, with other values than are declared. What differed before, the plan has said.
  if (outcome.outcome === 'exists' && differences !== undefined)
    return [
      at(differences[0]?.field, {
        code: 'differs',
        severity: 'warning',
        summary: `it exists by now, and differs in ${fieldsOf(differences)}`,
        detail: leftAsItIs,
      }),
    ];
  if (clash) return clashProblems(clash, outcome).map(({ field, ...problem }) => at(field, problem));
  if (outcome.outcome === 'unknown' && answer === undefined)
    return [
      at(undefined, {
        code: 'unexpected-error',
        summary: `${openings[action === 'update' ? 'update' : 'create'].unknown}an unexpected error came while its request was under way`,
        detail: advicesOf(action).unknown ?? '',
      }),
    ];
  if (!isMissing(outcome) || answer === undefined) return [];
  const complaints = complaintsOf(answer);
  if (
    outcome.outcome === 'rejected' &&
    (answer.kind === 'fields_refused' || answer.kind === 'identity_refused') &&
    complaints.length > 0
  ) {
    return complaints.map((complaint) =>
      at(
        complaint.field,
        {
          code: complaint.field === undefined ? 'service-refused' : 'service-refused-field',
          summary: `the service refused ${refusedWords(complaint)}: ${complaint.texts.join(' ')}`,
          detail: [complaint.field === resource.kind.identity && resource.kind.words.nameRefused, requestId]
            .filter((line) => line)
            .join('\n'),
        },
        itemOf(complaint, resource),
      ),
    );
  }
  const { code, summary, advice } = answerWords(answer);
  const said = serviceWords(answer);
  const detail = [
    said && `The service said: ${said}`,
    advice,
    waitAdvice(answer),
    advicesOf(action)[outcome.outcome],
    requestId,
  ];
  return [
    at(undefined, {
      code,
      summary: `${openings[action === 'update' ? 'update' : 'create'][outcome.outcome] ?? ''}${summary}`,
      detail: detail.filter((line) => line).join('\n'),
    }),
  ];
}

/** How a resource ended, in words. */
interface Ended {
  readonly resource: Resource;
  readonly verdict: string;
  readonly incomplete: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

/** How many are named where many were not created for one cause. */
const mostNamed = 20;

/** What was not created and has no diagnostic of its own: once for each cause, at the place of the first. */
export function notCreated(outcomes: readonly Ended[], advice: readonly string[]): Diagnostic[] {
  const left = outcomes.filter(({ incomplete, diagnostics }) => incomplete && diagnostics.length === 0);
  const byCause = grouped(left, ({ verdict }) => verdict);
  return Array.from(byCause.values(), ([{ resource, verdict }, ...others]) => {
    const named = others.slice(0, mostNamed).map((other) => other.resource.address);
    const unnamed = others.length - named.length;
    const alike = [...named, ...(unnamed > 0 ? [`${unnamed} more`] : [])].join(', ');
    return diagnosticOf(resource, resource.kind.identity, {
      code: 'not-created',
      summary: others.length === 0 ? verdict : `${verdict} (and ${others.length} more)`,
      detail: [...(alike === '' ? [] : [`The same for: ${alike}`]), ...advice].join('\n'),
    });
  });
}

function refusedWords({ field, item }: Complaint): string {
  if (field === undefined) return 'it';
  return item === undefined ? `\`${field}\`` : `item ${item + 1} of \`${field}\``;
}

/** The index of the item of a declared list that a complaint is about. */
function itemOf({ field, item, texts }: Complaint, resource: Resource): number | undefined {
  if (field === undefined) return undefined;
  return item ?? namedItem(shownValue(resource, field), texts);
}

type Words = Readonly<Partial<Record<OutcomeKind, string>>>;

/** What the summary of a diagnostic begins with. */
const openings: Readonly<Record<Doing, Words>> = {
  create: {
    conflict: 'this name is taken or reserved: ',
    unknown: 'it may or may not have been created: ',
    not_attempted: 'not created: ',
  },
  update: {
    unknown: 'it may or may not have been changed: ',
    not_attempted: 'not changed: ',
  },
};

function advicesOf(action: Action): Words {
  return {
    ...(action === 'create' && {
      conflict: 'Choose another name, or use a token that may view what has this name.',
    }),
    unknown: `Plan and apply again: that finds out, and ${action === 'update' ? 'changes nothing that is as declared' : 'creates nothing twice'}.`,
  };
}

/** Why what exists was not changed, field by field where it is about fields. */
function clashProblems(clash: Clash, { outcome, attempts }: Outcome): PartialProblem[] {
  const code = 'changed-since-plan';
  const sent =
    outcome === 'unknown'
      ? 'A request to change it was sent, and it is not known what that did.'
      : attempts > 0
        ? 'A request to change it was sent, and changed nothing.'
        : 'Nothing of it was sent.';
  const detail = `${sent} Plan again, read what differs now, and apply.`;
  switch (clash.kind) {
    case 'vanished':
      return [{ code, summary: 'it is no longer there, as far as this token can see', detail }];
    case 'replaced':
      return [{ code, summary: 'another record has its name by now', detail }];
    case 'closed':
      return [{ code, summary: `it is not to be changed any more: ${clash.why}`, detail }];
    case 'changed':
      return clash.fields.map(({ field, planned, observed }) => ({
        field,
        code,
        summary:
          outcome === 'unknown'
            ? `it holds neither what was planned for nor what is declared in \`${field}\``
            : `somebody else has changed \`${field}\` since the plan`,
        detail: `${isBlank(observed) ? '' : `The plan saw ${JSON.stringify(planned)}; it holds ${JSON.stringify(observed)} now.\n`}${detail}`,
      }));
    case 'ignored':
      return clash.fields.map(({ field, observed }) => ({
        field,
        code: 'not-as-declared',
        summary: `the service took the change, and left \`${field}\` as it was${isBlank(observed) ? '' : `: ${JSON.stringify(observed)}`}`,
        detail: `It was sent ${attempts === 1 ? 'once' : `${attempts} times`}. This release of the service may not know the field. Leave it out, or set it in the service.`,
      }));
  }
}

/**
 * The index of the item of a declared list that the service's texts name. The service repeats the id that it refuses, in
 * whatever language its texts are; only ids are looked for, no other words. None unless a text has exactly one of the ids in it.
 */
function namedItem(declared: JsonValue | undefined, texts: readonly string[]): number | undefined {
  if (!isJsonList(declared)) return undefined;
  const ids = declared.map((item) => plainId(textOf(item)));
  for (const text of texts) {
    const words = new Set(Array.from(text.matchAll(/[\w-]+/g), ([word]) => plainId(word)));
    const [id, ...others] = new Set(ids.filter((candidate) => words.has(candidate)));
    if (id !== undefined && others.length === 0) return ids.indexOf(id);
  }
  return undefined;
}

/** A UUID can be written in either case, with dashes or without. */
function plainId(text: string): string {
  return /^[\da-f-]{32,36}$/i.test(text) ? text.toLowerCase().replaceAll('-', '') : text;
}

/** What is wrong, or may be, with a field of a resource that is there. Without a field, any of them may be wrong. */
interface PartialProblem extends Omit<Problem, 'address'> {
  readonly field?: string;
}

/** Why a resource that this run created, or probably did, does not count as done. */
function partialProblems({ change, outcome, doubt, differences = [] }: Outcome): PartialProblem[] {
  if (doubt === 'unchecked') {
    return [
      {
        code: 'perhaps-incomplete',
        summary: `it ${doubtWords}, and fields may be missing`,
        detail: change.resource.kind.words.perhapsInPart ?? '',
      },
    ];
  }
  return differences.map((difference) => {
    const { field, declared, observed } = difference;
    const created = outcome === 'created';
    return {
      field,
      code: 'not-as-declared',
      summary: created
        ? `it was created, but ${cameBackWords([difference])}`
        : `it ${doubtWords}, but holds ${heldWords(difference)} in ${field}`,
      detail: [
        ...(isBlank(declared) ? [] : [`The manifest declares ${JSON.stringify(declared)}.`]),
        ...(observed === null ? ['This release of the service may not know the field.'] : []),
        'Set it in the service: rollcall changes what exists only with the capability `update` and --allow update.',
      ].join('\n'),
    };
  });
}
