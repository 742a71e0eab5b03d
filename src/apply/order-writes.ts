import { isJsonList, type JsonValue } from '../base/json.ts';
import { coverAllBindings } from '../kinds/access.ts';
import {
  bindingsByDeclaration,
  differingFields,
  missingBindings,
  changedBindings,
  extraBindings,
  declaredBindings,
  isEnabled,
} from '../kinds/bindings.ts';
import type { Child, WantedChild } from '../kinds/children.ts';
import { rankOfChild } from '../service/children.ts';
import type { RecordReading } from '../service/client.ts';
import { retryUntilProven } from '../service/retries.ts';
import {
  addBinding,
  bindingsChanged,
  type BindingTarget,
  changeBinding,
  readBoundChildren,
  differsInOwnFields,
  removeBinding,
} from './children.ts';
import { runSteps, type StepResult, type WriteStep } from './steps.ts';

async function writeNested(target: BindingTarget, child: WantedChild): Promise<StepResult> {
  const { inside, field } = child;
  const bound = await readBoundChildren(target);
  if ('outcome' in bound) return { ...bound, at: field };
  const parent = bindingsByDeclaration(target, bound).get(child);
  if (inside === undefined || parent === undefined) return { ...bindingsChanged.end, at: field };
  const nested: BindingTarget = {
    ...target,
    parent,
    children: inside.children,
    wanted: declaredBindings(inside.children, field, child.values[inside.field] ?? null),
    ...coverAllBindings(field, false),
  };
  const nestedBindings = await readBoundChildren(nested);
  if ('outcome' in nestedBindings) return { ...nestedBindings, at: field };
  const steps = await orderWrites([nested], () => nestedBindings);
  return { ...(await runSteps({ outcome: 'unchanged' }, 'updated', steps)), at: field };
}

/**
 * Orders the writes of bindings: first creates, then changes, then deletes. Children that must come last have a rank. Their
 * bindings are created after all others and deleted before all others. Such a binding is the first to move to a later position
 * and the last to move to an earlier position.
 */
export async function orderWrites(
  binders: readonly BindingTarget[],
  boundTo: (binder: BindingTarget) => readonly Child[],
): Promise<readonly WriteStep[]> {
  const all = await Promise.all(binders.map((binder) => planMoves(binder, boundTo(binder))));
  return phases.flatMap((phase) => all.flatMap((moves) => moves[phase]));
}

const phases = ['added', 'removedFirst', 'changed', 'addedLast', 'removed'] as const;

type Moves = Readonly<Record<(typeof phases)[number], readonly WriteStep[]>>;

async function planMoves(binder: BindingTarget, bound: readonly Child[]): Promise<Moves> {
  const missing = missingBindings(binder, bound);
  const ranks = await ranksOf(binder, missing);
  const rankOfBinding = (child: WantedChild): number => ranks.get(child) ?? 0;
  const addSteps = (child: WantedChild): WriteStep[] => [
    () => addBinding(binder, child),
    ...(nestedValuesOf(child).length > 0 ? [() => writeNested(binder, child)] : []),
  ];
  const firstLastOrders = firstOrdersOfLast(binder, bound);
  /** True for a child with a rank above 1, and for a child with rank 1 whose current or declared position is behind such a child. */
  const needsReverseOrder = ({ rank }: Child, now: number, order: number): boolean =>
    rank > 1 || (rank === 1 && (now > firstLastOrders.now || order > firstLastOrders.planned));
  const changes = changedBindings(binder, bound).map(([one, base]) => {
    const [order = 0, now = 0] = [one.values['order'], base.values['order']].map(Number);
    const moves = Math.sign(order - now) || 0;
    const areOwnFieldsChanged = differsInOwnFields(one, base);
    const areNestedChanged = differingFields(one, base).includes(one.inside?.field ?? '');
    const steps: WriteStep[] = [
      ...(areOwnFieldsChanged ? [() => changeBinding(binder, one, base)] : []),
      ...(areNestedChanged ? [() => writeNested(binder, one)] : []),
    ];
    const enabling =
      Number(isEnabled(base)) - Number(isEnabled({ values: { ...base.values, ...one.values } }));
    const moving = -moves * (needsReverseOrder(base, now, order) ? 2 : 1);
    return { enabling, phase: moving, order, steps };
  });
  const moved = changes.toSorted(compareMoves);
  const extra = extraBindings(binder, bound).toSorted((a, b) => b.child.rank - a.child.rank);
  const last = missing
    .filter((child) => rankOfBinding(child) > 0)
    .toSorted((a, b) => rankOfBinding(a) - rankOfBinding(b));
  // If no child with a rank is added, deletes of children with a rank come first: such a delete closes the flow, and later changes may open the flow again.
  const isFirst = ({ child }: (typeof extra)[number]): boolean => last.length === 0 && child.rank > 0;
  const removeSteps = (bindings: typeof extra, isAfterChanges: boolean): WriteStep[] =>
    bindings.map((item) => () => removeBinding(binder, item, isAfterChanges));
  return {
    added: missing.filter((child) => rankOfBinding(child) === 0).flatMap(addSteps),
    removedFirst: removeSteps(extra.filter(isFirst), false),
    changed: moved.flatMap(({ steps }) => steps),
    addedLast: last.flatMap(addSteps),
    removed: removeSteps(
      extra.filter((item) => !isFirst(item)),
      true,
    ),
  };
}

/** The lowest current position and the lowest declared position of the children with a rank above 1. */
function firstOrdersOfLast(
  binder: BindingTarget,
  bound: readonly Child[],
): { readonly now: number; readonly planned: number } {
  const last = bound.filter(({ rank }) => rank > 1);
  const kept = [...bindingsByDeclaration(binder, bound)].filter(([, child]) => child.rank > 1);
  return {
    now: minOrder(last.map(({ values }) => values['order'])),
    planned: minOrder(kept.map(([{ values }, child]) => values['order'] ?? child.values['order'])),
  };
}

function minOrder(orders: readonly (JsonValue | undefined)[]): number {
  return Math.min(...orders.map(Number));
}

interface Move {
  /** Negative for a binding that is enabled, positive for a binding that is disabled. */
  readonly enabling: number;
  readonly phase: number;
  readonly order: number;
}

/**
 * Sorts changes of bindings. Bindings are enabled first and disabled last, because a record without enabled bindings is open to
 * everyone. Of the others, moves to later positions come first, beginning with the last child; then moves to earlier positions,
 * beginning with the first child.
 */
function compareMoves(a: Move, b: Move): number {
  return (
    a.enabling - b.enabling || a.phase - b.phase || (a.phase < 0 ? b.order - a.order : a.order - b.order)
  );
}

function nestedValuesOf({ values, inside }: WantedChild): readonly JsonValue[] {
  const nested = (inside && values[inside.field]) ?? null;
  return isJsonList(nested) ? nested : [];
}

/** Reads the ranks of children. Children that cannot be read are left out. */
async function ranksOf(
  { children, client, pacing }: BindingTarget,
  missing: readonly WantedChild[],
): Promise<ReadonlyMap<WantedChild, number>> {
  const ranks = new Map<WantedChild, number>();
  if (children.last === undefined) return ranks;
  for (const child of missing) {
    const ask = (): Promise<RecordReading> => client.readById(child.binds.refersTo, child.id);
    const reading = await retryUntilProven(ask, pacing);
    if (reading?.proof === 'exists') ranks.set(child, rankOfChild(children, reading.record.received));
  }
  return ranks;
}
