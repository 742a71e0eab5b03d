import type { FieldFacts } from './facts.ts';
import type { FieldOfKind } from './kind.ts';
import { timeChecks } from './time.ts';
import { plainId, plainUuid, sameInstant, sameTexts, sameUuid } from './values.ts';

/** How much of a value is compared, if not the default. */
export interface Extent {
  /** A list of references is declared in full unless `at_least` names it; with this, in part unless `exactly` does. */
  readonly part?: true;
  /** JSON is declared in part unless `exactly` names it; with this, it is one value. Secrets always are. */
  readonly whole?: true;
  /** The order of plain values is compared; not with this. */
  readonly ordered?: false;
}

export function formOf(
  { type, format, items }: FieldFacts,
  refers: boolean,
  { part, whole, ordered }: { readonly [Key in keyof Extent]: boolean | undefined },
): Pick<FieldOfKind, 'idForm' | 'inTable' | 'same' | 'part' | 'checks'> {
  if (items) {
    const isNumber = items.type === 'integer';
    const idForm = isNumber ? plainId : plainUuid;
    return {
      inTable: isNumber ? 'numbers' : 'texts',
      ...(refers && { idForm, part: part ? 'unless exactly' : 'if at_least' }),
      ...(ordered === false && { same: sameTexts }),
    };
  }
  if (type === 'boolean') return { inTable: 'boolean' };
  if (type === 'integer' || type === 'number') return { inTable: 'number' };
  if (type !== 'string') return { inTable: 'columns', ...(!whole && { part: 'unless exactly' }) };
  if (format === 'date-time') return { same: sameInstant, checks: timeChecks };
  return refers ? { same: sameUuid } : {};
}
