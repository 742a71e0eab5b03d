export type WriteAction = 'create' | 'update' | 'delete';

export type Action = WriteAction | 'no-op';

/** How an action is counted in the last line of a plan or an apply. */
export type Effect = 'add' | 'change' | 'destroy';

interface ActionRow {
  readonly sign: string;
  readonly effect: Effect;
  /** As in "Plan to create". */
  readonly verb: string;
  /** As in "Creating". */
  readonly present: string;
  /** The outcome if it succeeded. */
  readonly outcome: 'created' | 'updated' | 'deleted';
}

/**
 * A new action needs a row here and a function in apply/. With any of these actions, `plan --detailed-exitcode` exits with 2. A
 * no-op has no row, because it is not counted.
 */
export const actions: Readonly<Record<WriteAction, ActionRow>> = {
  create: { sign: '+', effect: 'add', verb: 'create', present: 'Creating', outcome: 'created' },
  update: { sign: '~', effect: 'change', verb: 'update', present: 'Updating', outcome: 'updated' },
  delete: { sign: '-', effect: 'destroy', verb: 'delete', present: 'Deleting', outcome: 'deleted' },
};

export function effectsOf(countOf: (action: WriteAction) => number): Readonly<Record<Effect, number>> {
  const effects = { add: 0, change: 0, destroy: 0 };
  for (const action of Object.keys(actions) as WriteAction[])
    effects[actions[action].effect] += countOf(action);
  return effects;
}
