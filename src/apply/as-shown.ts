import type { UnboundState } from '../kinds/children.ts';
import { compareRecord, printablePart } from '../plan/compare.ts';
import { whoMayOpen } from '../plan/opens.ts';
import type { Change } from '../plan/plan.ts';
import { withoutSecrets } from '../service/redact.ts';
import type { Conflict, Outcome } from './outcome.ts';
import type { WriteResult } from './settle.ts';

export function printableOutcome(
  change: Change,
  { held, inDoubt, clash, ...settled }: WriteResult,
  unbound: UnboundState,
): Omit<Outcome, 'durationMs'> {
  const { resource } = change;
  const differences = held ? compareRecord(resource, held) : [];
  const answer = settled.answer && withoutSecrets(settled.answer, resource.secrets);
  const isThere = settled.outcome === 'exists' || settled.outcome === 'updated';
  return {
    change,
    ...settled,
    ...(held && held.pk !== '' && { pk: held.pk }),
    ...(answer && { answer }),
    ...(inDoubt && isThere && { doubt: held ? 'checked' : 'unchecked' }),
    ...(clash && { clash: printableConflict(change, clash, unbound) }),
    ...(differences.length > 0 && { differences }),
  };
}

function printableConflict(
  { resource, observed: planned = {} }: Change,
  clash: NonNullable<WriteResult['clash']>,
  unbound: UnboundState,
): Conflict {
  if (!('now' in clash)) return clash;
  const { fields, shown = fields } = clash.now;
  const openTo = whoMayOpen(resource, clash.now, unbound);
  return {
    kind: clash.kind,
    ...(openTo && { openTo }),
    fields: clash.fields.map((field) => ({
      field,
      planned: planned[field] ?? null,
      observed: printablePart(resource, field, shown),
    })),
  };
}
