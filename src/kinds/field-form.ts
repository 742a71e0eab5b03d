import type { FieldFacts } from './facts.ts';
import type { FieldOfKind } from './kind.ts';
import { timeChecks } from './time.ts';
import { plainId, plainUuid, sameInstant, sameTexts, sameUuid } from './values.ts';

/** Exceptions from how values are compared by default. */
export interface ComparisonOptions {
  /** A list of references is declared in full unless `at_least` names the field; with `part`, in part unless `exactly` names it. */
  readonly part?: true;
  /** JSON is declared in part unless `exactly` names the field; with `whole`, and for secrets, always in full. */
  readonly whole?: true;
  /** The order of plain values is compared; with `ordered: false` it is not. */
  readonly ordered?: false;
}

export function comparisonOf(
  { type, format, items }: FieldFacts,
  isReference: boolean,
  { part, whole, ordered }: { readonly [Key in keyof ComparisonOptions]: boolean | undefined },
): Pick<FieldOfKind, 'idForm' | 'tableForm' | 'same' | 'part' | 'checks'> {
  if (items) {
    const isNumber = items.type === 'integer';
    const idForm = isNumber ? plainId : plainUuid;
    return {
      tableForm: isNumber ? 'numbers' : 'texts',
      ...(isReference && { idForm, part: part ? 'unless exactly' : 'if at_least' }),
      ...(ordered === false && { same: sameTexts }),
    };
  }
  if (type === 'boolean') return { tableForm: 'boolean' };
  if (type === 'integer' || type === 'number') return { tableForm: 'number' };
  if (type !== 'string') return { tableForm: 'columns', ...(!whole && { part: 'unless exactly' }) };
  if (format === 'date-time') return { same: sameInstant, checks: timeChecks };
  return isReference ? { same: sameUuid } : {};
}
