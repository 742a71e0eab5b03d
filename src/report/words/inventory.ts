import { childrenDeclaredBy } from '../../kinds/access.ts';
import { diagnosticFor, type Address, type Diagnostic } from '../../base/diagnostic.ts';
import type { DeclaredRecord } from '../../adopt/declaration.ts';
import { joinListNames } from '../../kinds/all.ts';
import { addressOf } from '../../kinds/resource.ts';
import type { UnwritableField } from '../../adopt/writable.ts';
import type { InventoryGap, Inventory } from '../../observe/inventory.ts';
import type { DescribeGaps } from '../../observe/undeclared.ts';
import type { Answer } from '../../service/answer.ts';
import { isTokenUnknown } from '../../service/denial.ts';
import { answerWords } from './answers.ts';
import { groupBy } from '../../base/group-by.ts';
import { listNames, summaryWithAddress } from './diagnostics.ts';

type WithGaps = Pick<Inventory, 'kind' | 'gaps'>;

/** Diagnostics for records that are missing from inventories. Gaps with the same cause share a diagnostic. */
export function gapDiagnostics(inventories: readonly WithGaps[]): Diagnostic[] {
  const ended = inventories.flatMap(({ kind, gaps }) =>
    gaps.flatMap((gap) => (gap.kind === 'ended' ? { kind, answer: gap.answer } : [])),
  );
  const reasons = groupBy(ended, ({ answer }) => JSON.stringify(answerWords(answer)));
  const refused = ended.find(({ answer }) => isTokenUnknown(answer));
  // If the service refuses the token, all other answers have the same cause.
  const unread = refused
    ? [unreadDiagnostic(refused.answer)]
    : Array.from(reasons.values(), (alike) => {
        const lists = listsOf(alike.map(({ kind }) => kind));
        return unreadDiagnostic(alike[0].answer, `not all ${lists} could be read: `);
      });
  const unsent = inventories.flatMap(({ kind, gaps }) =>
    gaps.some((gap) => gap.kind === 'interrupted') ? kind : [],
  );
  if (unsent.length > 0) unread.push(unsentDiagnostic(`not all ${listsOf(unsent)}`));
  const rest = inventories.flatMap(({ kind, gaps }) =>
    gaps.flatMap((gap) =>
      gap.kind === 'ended' || gap.kind === 'interrupted' ? [] : gapDiagnostic(kind, gap),
    ),
  );
  return [...unread, ...new Map(rest.map((found) => [JSON.stringify(found), found])).values()];
}

export const gapWords: DescribeGaps = (inventory) =>
  gapDiagnostics([inventory]).map((found) => ({ summary: summaryWithAddress(found), detail: found.detail }));

function listsOf(all: readonly Inventory['kind'][]): string {
  return joinListNames(all).replaceAll('_', ' ');
}

/** The diagnostic for records or names that were not asked for. */
export function unsentDiagnostic(what: string): Diagnostic {
  return notExported(
    `${what} were read: the run was interrupted, or the service asked rollcall to wait too long or did not answer several requests in a row`,
    'Run the command again. If the service is slow, raise --timeout.',
  );
}

function unreadDiagnostic(answer: Answer, opening = ''): Diagnostic {
  const { code, summary, advice } = answerWords(answer);
  return diagnosticFor(undefined, { code, summary: `${opening}${summary}`, detail: advice });
}

function gapDiagnostic(
  kind: Inventory['kind'],
  gap: Exclude<InventoryGap, { kind: 'ended' | 'interrupted' }>,
): Diagnostic {
  const { type, list } = kind;
  switch (gap.kind) {
    case 'not_superuser': {
      const { named, count } = gap;
      return notExported(
        `only superusers see all ${list}`,
        `This token sees ${named}${count === named ? '' : `, and the service counts ${count}`}. There may be other records. Use a superuser's token.`,
      );
    }
    case 'not_shown':
      return notExported(
        `the service lists the record, but does not return it (${gap.answer.status ?? 'no answer'})`,
        'The token has no permission to view the record, or the record was deleted in the meantime.',
        addressOf(type, gap.name),
      );
    case 'short':
      return notExported(
        `the service counts ${gap.count} ${list}, but lists ${gap.read} distinct records`,
        'The other records are missing here. Run the command again. If that does not help, a proxy may alter the answers.',
      );
    case 'several':
      return notExported(
        'several records have this name',
        `Their ids: ${gap.ids.join(', ')}. A manifest cannot declare any of them. Rename or delete all but one of them in the service.`,
        addressOf(type, gap.name),
      );
    case 'moved':
      return notExported(
        `the ${list} changed while they were read`,
        'There may be other records. Run the command again.',
      );
    case 'other_types':
      return notExported(
        otherTypes(gap),
        'These records stay unchanged. Applications can refer to them by name.',
      );
    case 'no_access': {
      const { summary, advice } = answerWords(gap.answer);
      const isDenied = gap.answer.kind === 'denied';
      const [children] = childrenDeclaredBy(kind, Object.keys(kind.fields)).keys();
      const what = isDenied ? `The token needs the permission view_${children?.model.name ?? ''}.` : advice;
      const unread = gap.field === kind.access?.field ? 'who may open the' : `the \`${gap.field}\` of the`;
      return notExported(
        `${unread} ${list} could not be read: ${summary}`,
        `The manifest has no \`${gap.field}\`, so the field is not managed. ${what}`,
      );
    }
    case 'expired':
      return notExported(
        `\`${kind.access?.field ?? 'policies'}\` is left out, because the bindings of the record have expired`,
        `Another service would open the record to everyone. Name who may open it: see docs/access.md.`,
        addressOf(type, gap.name),
      );
  }
}

function notExported(summary: string, detail: string, address?: Address): Diagnostic {
  const problem = { code: 'not-exported', severity: 'warning', summary, detail } as const;
  return diagnosticFor(undefined, { ...problem, ...(address && { address }) });
}

/** Values that were read but are not declared, because no manifest can declare them or because they are secret. */
export function unwrittenValues(
  declared: readonly DeclaredRecord[],
  unwritable: readonly UnwritableField[],
): Diagnostic[] {
  const secret = declared.flatMap(({ address, secret: names }) =>
    names.map((field) =>
      notExported(
        `\`${field}\` is left out`,
        "It contains one of rollcall's own secrets, such as the token.",
        address,
      ),
    ),
  );
  const impossible = unwritable.map(({ address, field, isWhole, problem }) =>
    diagnosticFor(undefined, {
      ...problem,
      severity: 'warning',
      address,
      summary: `${isWhole ? 'no manifest can declare it' : `\`${field}\` is left out`}: ${problem.summary}`,
    }),
  );
  return [...secret, ...impossible];
}

const maxListed = 20;

/** For each type that was not read, the number of its records and the first names. */
function otherTypes({ of, others }: Extract<InventoryGap, { kind: 'other_types' }>): string {
  const types = Array.from(
    groupBy(others, ({ type }) => type),
    ([type, all]) => {
      const names = all.map(({ name }) => JSON.stringify(name));
      return `${all.length} of ${type} (${listNames(names, maxListed)})`;
    },
  );
  const are = others.length === 1 ? 'one is of another type' : `${others.length} are of other types`;
  return `of the ${of.list.replaceAll('_', ' ')}, ${are}: ${types.join(', ')}`;
}
