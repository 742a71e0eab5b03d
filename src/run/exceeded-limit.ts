import { diagnosticFor, type Problem } from '../base/diagnostic.ts';
import { joinListNames } from '../kinds/all.ts';
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

const defaultMaxDeletes = 10;

export function exceededLimit(
  made: Bounded,
  { maxCreates, maxUpdates, maxDeletes }: ChangeLimits,
): Halt | undefined {
  const { add, change, destroy } = plannedEffects(made);
  const lists = joinListNames(unreadKinds(made));
  const included = lists && `The count includes all declared ${lists}, because ${lists} are not looked up. `;
  const advice = 'Raise the limit, or narrow the plan with --target and --exclude.';
  const deleteAdvice = `Read the plan. If it is intended, allow it with --max-deletes ${destroy}.`;
  const problem =
    tooMany('create', add, maxCreates, included + advice) ??
    tooMany('update', change, maxUpdates, advice) ??
    tooMany('delete', destroy, maxDeletes ?? defaultMaxDeletes, deleteAdvice) ??
    (maxDeletes === undefined ? tooManyOfKind(made, deleteAdvice) : undefined);
  return problem && { kind: 'too_many', diagnostics: [diagnosticFor(undefined, problem)] };
}

function tooMany(
  action: WriteAction,
  count: number,
  most: number | undefined,
  detail: string,
): Problem | undefined {
  if (most === undefined || count <= most) return undefined;
  const verb = action === 'update' ? 'change' : action;
  const resources = count === 1 ? 'resource' : 'resources';
  const summary = `the plan would ${verb} ${count} ${resources}, and --max-${action}s allows ${most}`;
  return { code: `too-many-${action}s`, summary, detail };
}

/** Refuses a plan that deletes more than one record of a kind and more than a tenth of the records of this kind. */
function tooManyOfKind({ changes, deletions }: Bounded, detail: string): Problem | undefined {
  const going = changes.flatMap(({ action, resource }) => (action === 'delete' ? resource.kind : []));
  for (const kind of new Set(going)) {
    const count = going.filter((each) => each === kind).length;
    const all = deletions?.counts.get(kind);
    const max = Math.max(1, Math.floor((all ?? 0) / 10));
    if (count <= max) continue;
    const { plural } = kind.model;
    const share =
      all === undefined
        ? `${count} ${plural}, and it is unknown whether that is more than a tenth of all`
        : `${count} of the ${all} ${plural}, more than a tenth (${max})`;
    return { code: 'too-many-deletes', summary: `the plan would delete ${share}`, detail };
  }
  return undefined;
}
