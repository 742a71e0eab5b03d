import { diagnosticFor, type Address, type Diagnostic } from '../../base/diagnostic.ts';
import { kinds, resourceTypes } from '../../kinds/all.ts';
import { nameOf, typeOf } from '../../kinds/resource.ts';
import type { Gone } from '../../manifest/since.ts';
import type { Plan } from '../../plan/plan.ts';
import { inline } from '../printable.ts';
import { gapDiagnostics } from './inventory.ts';

/** Warnings about what is no longer declared, each in its file where that was read: it may still be there. */
export function goneFindings({ since }: Pick<Plan, 'since'>, filenames: readonly string[]): Diagnostic[] {
  return (since?.noLongerDeclared ?? []).map(({ address, source }) => ({
    ...diagnosticFor(
      filenames.find((filename) => filename === source?.file),
      {
        code: 'no-longer-declared',
        severity: 'warning',
        summary: `${address} is no longer declared`,
        detail: leaveWords(address),
      },
    ),
    address,
  }));
}

/** How what is no longer declared can go, in the lines to write. */
function leaveWords(address: Address): string {
  const kind = kinds.find(({ type }) => type === typeOf(address));
  const name = JSON.stringify(nameOf(address));
  const entry = (more: string): string => `\`- { ${kind?.identity}: ${name}, ${more} }\``;
  const sort = kind?.sort ? `${kind.sort.field}: …, ` : '';
  const still = 'What is there stays as it is.';
  if (kind === undefined) return still;
  const gone = kind.deletion ? ` To have it deleted: ${entry(`${sort}state: absent`)}.` : '';
  return kind.fields['is_active']
    ? `${still} An account that is to leave is declared as ${entry('is_active: false')}.${gone}`
    : `${still}${gone}`;
}

/** What is no longer declared, in a line; of very many, the first ones. Safe to print. */
export function goneWords(gone: readonly Gone[], most: number = gone.length): string {
  const names = gone.slice(0, most).map(({ address }) => inline(address));
  const more = gone.length > most ? ` and ${gone.length - most} more` : '';
  return `No longer declared, and left as it is: ${names.join(', ')}${more}`;
}

const mostUndeclared = 20;

/** What the service holds and no manifest declares, and what of that could not be read. Safe to print. */
export function undeclaredNotes({ undeclared }: Pick<Plan, 'undeclared'>): string[] {
  if (undeclared === undefined) return [];
  const { found, isWhole, gaps = [] } = undeclared;
  const lines = resourceTypes.flatMap((type) => {
    const all = found.filter(({ address }) => typeOf(address) === type);
    const more = all.length - mostUndeclared;
    return [
      ...all.slice(0, mostUndeclared).map(({ address, pk }) => inline(`  ${address} (pk ${pk})`)),
      ...(more > 0 ? [`  and ${more} more of type ${type}`] : []),
    ];
  });
  const head =
    found.length === 0
      ? isWhole
        ? 'All that the service holds is declared.'
        : 'Of what could be read, all is declared.'
      : `${found.length} that the service holds and no manifest declares, left as ${found.length === 1 ? 'it is' : 'they are'}:`;
  const tail =
    found.length > 0
      ? ['`rollcall export --missing-from MANIFESTS` writes what declares them; --list names them all.']
      : [];
  const missing = gaps.flatMap((each) =>
    gapDiagnostics(each).map(({ summary, detail }) => inline(`  Not all was read: ${summary}. ${detail}`)),
  );
  const unknown = !isWhole && missing.length === 0 ? ['  Not all could be read.'] : [];
  return [[head, ...lines, ...tail.map((words) => `  ${words}`), ...missing, ...unknown].join('\n')];
}
