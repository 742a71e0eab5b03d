/** What can be done to a resource that changes the service. */
export type WriteAction = 'create' | 'update' | 'delete';

export type Action = WriteAction | 'no-op';

/** How an action is counted, in the words of those who read the last line of a plan or an apply. */
export type Effect = 'add' | 'change' | 'destroy';

interface ActionRow {
  /** What stands before the change in a report. */
  readonly sign: string;
  readonly effect: Effect;
  /** "Plan to create". */
  readonly verb: string;
  /** "Creating". */
  readonly present: string;
  /** The outcome where it was done. */
  readonly outcome: 'created' | 'updated' | 'deleted';
}

/**
 * A new action is a row here, and a function in apply/. A plan that holds any of these makes `plan --detailed-exitcode` end
 * with 2. A no-op has no row: nothing is done or counted, and its sign says whether the resource differs.
 */
export const actions: Readonly<Record<WriteAction, ActionRow>> = {
  create: { sign: '+', effect: 'add', verb: 'create', present: 'Creating', outcome: 'created' },
  update: { sign: '~', effect: 'change', verb: 'update', present: 'Updating', outcome: 'updated' },
  delete: { sign: '-', effect: 'destroy', verb: 'delete', present: 'Deleting', outcome: 'deleted' },
};

/** How much of each effect there is, where each action was counted so often. */
export function effectsOf(countOf: (action: WriteAction) => number): Readonly<Record<Effect, number>> {
  const effects = { add: 0, change: 0, destroy: 0 };
  // The keys of the table.
  for (const action of Object.keys(actions) as WriteAction[])
    effects[actions[action].effect] += countOf(action);
  return effects;
}
