import type { FieldFacts } from './facts.ts';
import type { FieldOfKind } from './kind.ts';
import { timeChecks } from './time.ts';
import { plainId, plainUuid, sameInstant, sameTexts, sameUuid } from './values.ts';

export interface ComparisonOptions {
  /**
   * By default, a list of references is declared in full unless `at_least` lists the field. With `part`, the list is declared in
   * part: always, or unless `exactly` lists the field.
   */
  readonly part?: 'always' | 'unless exactly';
  /** By default, JSON is declared in part unless `exactly` lists the field. If `whole` is set, JSON is always declared in full. */
  readonly whole?: true;
  /** Whether the order of plain values in a list matters, by default true. */
  readonly ordered?: false;
}

export function comparisonOf(
  { type, format, items }: FieldFacts,
  isReference: boolean,
  { part, whole, ordered }: ComparisonOptions,
): Pick<FieldOfKind, 'idForm' | 'tableForm' | 'same' | 'part' | 'checks'> {
  if (items) {
    const isNumber = items.type === 'integer';
    const idForm = isNumber ? plainId : plainUuid;
    return {
      tableForm: isNumber ? 'numbers' : 'strings',
      ...(isReference && { idForm, part: part ?? 'if at_least' }),
      ...(ordered === false && { same: sameTexts }),
    };
  }
  if (type === 'boolean') return { tableForm: 'boolean' };
  if (type === 'integer' || type === 'number') return { tableForm: 'number' };
  if (type !== 'string') return { tableForm: 'columns', ...(!whole && { part: 'unless exactly' }) };
  if (format === 'date-time') return { same: sameInstant, checks: timeChecks };
  return isReference ? { same: sameUuid } : {};
}
