import { isJsonList, type JsonValue } from '../base/json.ts';
import { coverAllBindings } from '../kinds/access.ts';
import {
  bindingsByDeclaration,
  differingFields,
  missingBindings,
  changedBindings,
  ownValues,
  extraBindings,
  declaredBindings,
} from '../kinds/bindings.ts';
import type { Child, WantedChild } from '../kinds/children.ts';
import { rankOf } from '../service/children.ts';
import type { RecordReading } from '../service/client.ts';
import { maxTries, retryUntilProven } from '../service/retries.ts';
import { add, type BindingTarget, change, changedMeanwhile, childrenOf, removeBinding } from './children.ts';
import type { WriteResult } from './settle.ts';
import { runSteps, type Step } from './steps.ts';

/** Writes the bindings that belong to a binding. */
async function within(binder: BindingTarget, one: WantedChild): Promise<WriteResult> {
  const nothing = { inDoubt: false, attempts: 0 };
  const { inside } = one;
  const bound = await childrenOf(binder);
  if ('outcome' in bound) return { ...bound, ...nothing, at: one.field };
  const parent = bindingsByDeclaration(binder, bound).get(one);
  if (inside === undefined || parent === undefined)
    return {
      ...nothing,
      outcome: 'conflict',
      at: one.field,
      clash: { kind: 'closed', why: changedMeanwhile },
    };
  const nested: BindingTarget = {
    ...binder,
    parent,
    children: inside.children,
    wanted: declaredBindings(inside.children, one.field, one.values[inside.field] ?? null),
    ...coverAllBindings(one.field, false),
  };
  const there = await childrenOf(nested);
  if ('outcome' in there) return { ...there, ...nothing, at: one.field };
  const unchanged: WriteResult = { ...nothing, outcome: 'unchanged' };
  return runSteps(unchanged, 'updated', await orderWrites([nested], () => there));
}

/**
 * The writes that make bindings as declared: first adds, then changes, then deletes. Bindings to last children are added after
 * the others, moved later before them, moved earlier after them, and deleted before them.
 */
export async function orderWrites(
  binders: readonly BindingTarget[],
  boundTo: (binder: BindingTarget) => readonly Child[],
): Promise<readonly Step[]> {
  const all = await Promise.all(binders.map((binder) => movesTo(binder, boundTo(binder))));
  const phase = (of: (moves: Moves) => readonly Step[]): Step[] => all.flatMap((moves) => of(moves));
  return [
    ...phase(({ added }) => added),
    ...phase(({ removedFirst }) => removedFirst),
    ...phase(({ changed }) => changed),
    ...phase(({ addedLast }) => addedLast),
    ...phase(({ removed }) => removed),
  ];
}

type Moves = Readonly<
  Record<'added' | 'changed' | 'addedLast' | 'removed' | 'removedFirst', readonly Step[]>
>;

async function movesTo(binder: BindingTarget, bound: readonly Child[]): Promise<Moves> {
  const missing = missingBindings(binder, bound);
  const ranks = await ranksOf(binder, missing);
  const rankIn = (one: WantedChild): number => ranks.get(one) ?? 0;
  const adding = (one: WantedChild): Step[] => [
    () => add(binder, one),
    ...(nestedIn(one).length > 0 ? [() => within(binder, one)] : []),
  ];
  const ends = endsOf(binder, bound);
  /** Whether a child acts on those before it, or asks for a name from behind one that does. */
  const crosses = ({ rank }: Child, now: number, order: number): boolean =>
    rank > 1 || (rank === 1 && (now > ends.now || order > ends.planned));
  const changes = changedBindings(binder, bound).map(([one, base]) => {
    const [order = 0, now = 0] = [one.values['order'], base.values['order']].map(Number);
    const moves = Math.sign(order - now) || 0;
    const isOwn = differingFields({ ...one, values: ownValues(one) }, base).length > 0;
    const isInside = differingFields(one, base).includes(one.inside?.field ?? '');
    const steps: Step[] = [
      ...(isOwn ? [() => change(binder, one, base)] : []),
      ...(isInside ? [() => within(binder, one)] : []),
    ];
    return { turn: -moves * (crosses(base, now, order) ? 2 : 1), order, steps };
  });
  const moved = changes.toSorted(byTurn);
  const extra = extraBindings(binder, bound).toSorted((a, b) => b.child.rank - a.child.rank);
  const last = missing.filter((one) => rankIn(one) > 0).toSorted((a, b) => rankIn(a) - rankIn(b));
  // Where none of those that come last is added, to delete one closes the rest, and changes may open it.
  const isFirst = ({ child }: (typeof extra)[number]): boolean => last.length === 0 && child.rank > 0;
  const removing = (these: typeof extra): Step[] => these.map((one) => () => removeBinding(binder, one));
  return {
    added: missing.filter((one) => rankIn(one) === 0).flatMap(adding),
    removedFirst: removing(extra.filter(isFirst)),
    changed: moved.flatMap(({ steps }) => steps),
    addedLast: last.flatMap(adding),
    removed: removing(extra.filter((one) => !isFirst(one))),
  };
}

/** Where the first of the children that come last is bound, and where it is to be. */
function endsOf(
  binder: BindingTarget,
  bound: readonly Child[],
): { readonly now: number; readonly planned: number } {
  const last = bound.filter(({ rank }) => rank > 1);
  const kept = [...bindingsByDeclaration(binder, bound)].filter(([, child]) => child.rank > 1);
  return {
    now: least(last.map(({ values }) => values['order'])),
    planned: least(kept.map(([{ values }, child]) => values['order'] ?? child.values['order'])),
  };
}

function least(orders: readonly (JsonValue | undefined)[]): number {
  return Math.min(...orders.map(Number));
}

interface Move {
  readonly turn: number;
  readonly order: number;
}

/** Children that move later go from the last to the first, then those that move earlier from the first to the last: none overtakes another on the way. */
function byTurn(a: Move, b: Move): number {
  return a.turn - b.turn || (a.turn < 0 ? b.order - a.order : a.order - b.order);
}

function nestedIn({ values, inside }: WantedChild): readonly JsonValue[] {
  const nested = (inside && values[inside.field]) ?? null;
  return isJsonList(nested) ? nested : [];
}

/** How late the children of bindings must come. Children that cannot be read keep the declared order. */
async function ranksOf(
  { children, client, pacing }: BindingTarget,
  missing: readonly WantedChild[],
): Promise<ReadonlyMap<WantedChild, number>> {
  const ranks = new Map<WantedChild, number>();
  if (children.last === undefined) return ranks;
  for (const one of missing) {
    const ask = (): Promise<RecordReading> => client.readById(one.binds.refersTo, one.id);
    const reading = await retryUntilProven(ask, pacing, maxTries.lookUp);
    if (reading?.proof === 'exists') ranks.set(one, rankOf(children, reading.record.received));
  }
  return ranks;
}
