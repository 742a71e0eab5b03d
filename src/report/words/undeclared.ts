import { diagnosticFor, type Address, type Diagnostic } from '../../base/diagnostic.ts';
import { kinds, resourceTypes } from '../../kinds/all.ts';
import { active } from '../../kinds/lifecycle.ts';
import { nameOf, typeOf } from '../../kinds/resource.ts';
import { mayLeaveRecord, type RemovedEntry } from '../../manifest/baseline.ts';
import type { Undeclared } from '../../observe/undeclared.ts';
import type { Plan } from '../../plan/plan.ts';
import { printableLine, withoutEmpty } from '../printable.ts';
import { listNames } from './diagnostics.ts';

const maxListed = 20;
const maxReasons = 5;

/** Records that no manifest declares, as every format shows them. All texts are safe to print. */
export interface UndeclaredView {
  readonly head: string;
  readonly missing: readonly string[];
  readonly lists: readonly { readonly count: string; readonly lines: readonly string[] }[];
  readonly hint: string;
}

export function undeclaredView({ found, gaps }: Undeclared): UndeclaredView {
  const lists = resourceTypes.flatMap((type) => {
    const all = found.filter(({ address }) => typeOf(address) === type);
    const more = all.length - maxListed;
    const list = kinds.find((kind) => kind.type === type)?.list ?? type;
    const first = all.slice(0, maxListed).map(({ address, pk }) => printableLine(`${address} (pk ${pk})`));
    const lines = withoutEmpty(...first, more > 0 && `and ${more} more of type ${type}`);
    return all.length === 0 ? [] : { count: `${all.length} ${all.length === 1 ? type : list}`, lines };
  });
  const others = [...new Set(gaps.slice(maxReasons).map(({ type }) => type))];
  return {
    head: headline(found.length, gaps.length === 0),
    missing: withoutEmpty(
      ...gaps.slice(0, maxReasons).map(({ summary, detail }, place) => {
        const isTold = gaps.slice(0, place).some((other) => other.detail === detail);
        const advice = !isTold && detail.replaceAll('\n', ' ');
        return printableLine(withoutEmpty(`Not all records were read: ${summary}.`, advice).join(' '));
      }),
      others.length > 0 &&
        `Not all records of these types were read either: ${listNames(others)}. With -o json, the reasons are shown.`,
    ),
    lists,
    hint:
      found.length > 0
        ? '`rollcall export --missing-from MANIFESTS` writes manifests of these records; with --list, it lists all of them.'
        : '',
  };
}

function headline(count: number, isWhole: boolean): string {
  if (count > 0) return `${count} in the service that no manifest declares, left unchanged:`;
  return isWhole
    ? 'Every record that this token sees is declared or came with the service. Changes to the latter are not shown.'
    : 'No undeclared records were found, but not all records could be read.';
}

/** Warnings about entries that are no longer declared, at the files that declared them. The records may still exist. */
export function removedEntryWarnings(
  { baseline }: Pick<Plan, 'baseline'>,
  filenames: readonly string[],
): Diagnostic[] {
  const entries = baseline?.noLongerDeclared.filter(mayLeaveRecord) ?? [];
  return entries.map(({ address, source, active: isActive }) => ({
    ...diagnosticFor(
      filenames.find((filename) => filename === source?.file),
      {
        code: 'no-longer-declared',
        severity: 'warning',
        summary: `${address} is no longer declared${isActive ? ', and still active' : ''}`,
        detail: removalAdvice(address, isActive),
      },
    ),
    address,
  }));
}

/** How to remove a record that is no longer declared: the lines to add to a manifest. */
function removalAdvice(address: Address, isActive: boolean | undefined): string {
  const kind = kinds.find(({ type }) => type === typeOf(address));
  const written = nameOf(address);
  const isInner = kind?.scope !== undefined && written.includes('/');
  const name = JSON.stringify(isInner ? written.slice(written.indexOf('/') + 1) : written);
  const entry = (more: string): string => `\`- { ${kind?.identity}: ${name}, ${more} }\``;
  const typeField = kind?.variant?.field ?? (isInner ? kind?.scope : undefined);
  const typeText = typeField === undefined ? '' : `${typeField}: …, `;
  const still = 'If the record exists, it stays unchanged.';
  if (kind === undefined) return still;
  const gone = kind.deletion ? ` To delete it, declare ${entry(`${typeText}state: absent`)}.` : '';
  return kind.fields[active] && isActive !== false
    ? `${still} To disable the account, declare ${entry('is_active: false')}.${gone}`
    : `${still}${gone}`;
}

/** The entries that are no longer declared, on one line. If there are more than `max` entries, only the first are named. Safe to print. */
export function removedEntryWords(gone: readonly RemovedEntry[], max: number = gone.length): string {
  const names = gone.map(({ address, state, active: isActive }) => {
    const more = isActive ? ' (still active)' : state === 'absent' ? ' (was declared absent)' : '';
    return printableLine(`${address}${more}`);
  });
  return `No longer declared, and left unchanged: ${listNames(names, max)}`;
}
