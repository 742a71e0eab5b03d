import { isJsonList, textOf, type JsonValue } from '../base/json.ts';
import { declaresAll } from '../kinds/access.ts';
import {
  bindingsByDeclaration,
  differingIn,
  missingBindings,
  changedBindings,
  ownValues,
  extraBindings,
  declaredBindings,
} from '../kinds/bindings.ts';
import type { Child, WantedChild } from '../kinds/children.ts';
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
    ...declaresAll(one.field, false),
  };
  const there = await childrenOf(nested);
  if ('outcome' in there) return { ...there, ...nothing, at: one.field };
  const unchanged: WriteResult = { ...nothing, outcome: 'unchanged' };
  return runSteps(unchanged, 'updated', await orderWrites([nested], () => there));
}

/**
 * The writes that make bindings as declared: first adds, then changes, then deletes. Bindings to last children are added after
 * the others, moved later before them, and moved earlier after them.
 */
export async function orderWrites(
  binders: readonly BindingTarget[],
  boundTo: (binder: BindingTarget) => readonly Child[],
): Promise<readonly Step[]> {
  const all = await Promise.all(
    binders.map(async (binder) => ({ ...(await movesTo(binder, boundTo(binder))) })),
  );
  const phase = (of: (moves: Moves) => readonly Step[]): Step[] => all.flatMap((moves) => of(moves));
  return [
    ...phase(({ added }) => added),
    ...phase(({ changed }) => changed),
    ...phase(({ addedLast }) => addedLast),
    ...phase(({ removed }) => removed),
  ];
}

type Moves = Readonly<Record<'added' | 'changed' | 'addedLast' | 'removed', readonly Step[]>>;

async function movesTo(binder: BindingTarget, bound: readonly Child[]): Promise<Moves> {
  const missing = missingBindings(binder, bound);
  const lastOnes = await lastAmong(binder, missing);
  const adding = (one: WantedChild): Step[] => [
    () => add(binder, one),
    ...(nestedIn(one).length > 0 ? [() => within(binder, one)] : []),
  ];
  const changes = changedBindings(binder, bound).map(([one, base]) => {
    const [order = 0, now = 0] = [one.values['order'], base.values['order']].map(Number);
    const moves = Math.sign(order - now);
    const steps: Step[] = [
      ...(differingIn({ ...one, values: ownValues(one) }, base).length > 0
        ? [() => change(binder, one, base)]
        : []),
      ...(differingIn(one, base).includes(one.inside?.field ?? '') ? [() => within(binder, one)] : []),
    ];
    return { rank: base.isLast ? -moves : 0, steps };
  });
  return {
    added: missing.filter((one) => !lastOnes.has(one)).flatMap(adding),
    changed: changes.toSorted((a, b) => a.rank - b.rank).flatMap(({ steps }) => steps),
    addedLast: missing.filter((one) => lastOnes.has(one)).flatMap(adding),
    removed: extraBindings(binder, bound).map((one) => () => removeBinding(binder, one)),
  };
}

function nestedIn({ values, inside }: WantedChild): readonly JsonValue[] {
  const nested = (inside && values[inside.field]) ?? null;
  return isJsonList(nested) ? nested : [];
}

/** The bindings whose children must come last. Children that cannot be read keep the declared order. */
async function lastAmong(
  { children: { last }, client, pacing }: BindingTarget,
  missing: readonly WantedChild[],
): Promise<ReadonlySet<WantedChild>> {
  const found = new Set<WantedChild>();
  if (last === undefined) return found;
  for (const one of missing) {
    const ask = (): Promise<RecordReading> => client.readById(one.binds.refersTo, one.id);
    const reading = await retryUntilProven(ask, pacing, maxTries.lookUp);
    const record = reading?.proof === 'exists' ? reading.record.received : {};
    if (last.values.includes(textOf(record[last.field] ?? null))) found.add(one);
  }
  return found;
}
