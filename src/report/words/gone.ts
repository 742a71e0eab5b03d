import { diagnosticFor, type Address, type Diagnostic } from '../../base/diagnostic.ts';
import { kinds } from '../../kinds/all.ts';
import { active } from '../../kinds/lifecycle.ts';
import { nameOf, typeOf } from '../../kinds/resource.ts';
import type { Gone } from '../../manifest/since.ts';
import type { Plan } from '../../plan/plan.ts';
import { inline } from '../printable.ts';

/** Warnings about what is no longer declared, each in its file where that was read: it may still be there. */
export function goneFindings({ since }: Pick<Plan, 'since'>, filenames: readonly string[]): Diagnostic[] {
  return (since?.noLongerDeclared ?? []).map(({ address, source, active: isActive }) => ({
    ...diagnosticFor(
      filenames.find((filename) => filename === source?.file),
      {
        code: 'no-longer-declared',
        severity: 'warning',
        summary: `${address} is no longer declared${isActive ? ', and still active' : ''}`,
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
  return kind.fields[active]
    ? `${still} An account that is to leave is declared as ${entry('is_active: false')}.${gone}`
    : `${still}${gone}`;
}

/** What is no longer declared, in a line; of very many, the first ones. Safe to print. */
export function goneWords(gone: readonly Gone[], most: number = gone.length): string {
  const names = gone
    .slice(0, most)
    .map(({ address, active: isActive }) => inline(`${address}${isActive ? ' (still active)' : ''}`));
  const more = gone.length > most ? ` and ${gone.length - most} more` : '';
  return `No longer declared, and left as it is: ${names.join(', ')}${more}`;
}
