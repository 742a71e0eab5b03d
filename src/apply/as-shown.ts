import { redactorOf } from '../base/redactor.ts';
import type { UnboundState } from '../kinds/children.ts';
import { compareRecord, printablePart } from '../plan/compare.ts';
import { uncomparedFields } from '../plan/resend.ts';
import { whoMayOpen } from '../plan/opens.ts';
import type { Change } from '../plan/plan.ts';
import { withoutSecrets } from '../service/redact.ts';
import type { Conflict, Outcome } from './outcome.ts';
import type { WriteResult } from './settle.ts';

export function printableOutcome(
  change: Change,
  { outcome, answer, held, at, clash, inDoubt, attempts, isHidden }: WriteResult,
  unbound: UnboundState,
  { stoppedBy, durationMs }: Pick<Outcome, 'stoppedBy' | 'durationMs'>,
): Outcome {
  const { resource } = change;
  const differences = held ? compareRecord(resource, held) : [];
  const notCompared = held && outcome === 'created' ? uncomparedFields(resource, held) : [];
  const isThere = outcome === 'exists' || outcome === 'updated';
  return {
    change,
    outcome,
    answer: answer && withoutSecrets(answer, resource.secrets),
    doubt: isHidden ? 'hidden' : inDoubt && isThere ? (held ? 'checked' : 'unchecked') : undefined,
    differences: differences.length > 0 ? differences : undefined,
    notCompared: notCompared.length > 0 ? notCompared : undefined,
    at,
    clash: clash && printableConflict(change, clash, unbound),
    stoppedBy,
    pk: redactorOf(resource.secrets).redactId(held?.pk ?? '') || undefined,
    attempts,
    durationMs,
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
