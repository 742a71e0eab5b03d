import type { Kind } from '../kinds/kind.ts';
import type { WriteAction } from '../plan/actions.ts';
import { plannedEffects, unreadKinds, type Plan } from '../plan/plan.ts';
import type { Halt } from './result.ts';

export interface ChangeLimits {
  readonly maxCreates?: number | undefined;
  readonly maxUpdates?: number | undefined;
  /** By default, at most ten records, and at most a tenth of the records of a kind, may be deleted. */
  readonly maxDeletes?: number | undefined;
}

interface Bounded extends Plan {
  readonly deletions?: { readonly counts: ReadonlyMap<Kind, number> } | undefined;
}

export function exceededLimit(
  made: Bounded,
  { maxCreates, maxUpdates, maxDeletes }: ChangeLimits,
): Halt | undefined {
  const { add, change, destroy } = plannedEffects(made);
  if (maxCreates !== undefined && add > maxCreates)
    return { ...tooMany('create', add, maxCreates), unseen: unreadKinds(made) };
  if (maxUpdates !== undefined && change > maxUpdates) return tooMany('update', change, maxUpdates);
  if (destroy > (maxDeletes ?? defaultMaxDeletes))
    return tooMany('delete', destroy, maxDeletes ?? defaultMaxDeletes);
  const ofKind = maxDeletes === undefined ? tooManyOfKind(made) : undefined;
  return ofKind && { ...ofKind, total: destroy };
}

const defaultMaxDeletes = 10;

function tooMany(action: WriteAction, count: number, most: number): Halt & { readonly kind: 'too_many' } {
  return { kind: 'too_many', action, count, most };
}

/** Refuses a plan that deletes more than one record of a kind and more than a tenth of the records of this kind. */
function tooManyOfKind({ changes, deletions }: Bounded): ReturnType<typeof tooMany> | undefined {
  const going = changes.flatMap(({ action, resource }) => (action === 'delete' ? resource.kind : []));
  for (const kind of new Set(going)) {
    const count = going.filter((each) => each === kind).length;
    const all = deletions?.counts.get(kind) ?? 0;
    const max = Math.max(1, Math.floor(all / 10));
    if (count > max) return { ...tooMany('delete', count, max), of: { kind, count: all } };
  }
  return undefined;
}
