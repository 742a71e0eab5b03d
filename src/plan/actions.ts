export type WriteAction = 'create' | 'update' | 'delete';

export type Action = WriteAction | 'no-op';

/** The last line of a plan or an apply counts actions under these words: "1 to add". */
export type Effect = 'add' | 'change' | 'destroy';

interface ActionRow {
  readonly sign: string;
  readonly effect: Effect;
  readonly outcome: 'created' | 'updated' | 'deleted';
}

/** If a plan contains any of these actions, `plan --detailed-exitcode` exits with 2. */
export const actions: Readonly<Record<WriteAction, ActionRow>> = {
  create: { sign: '+', effect: 'add', outcome: 'created' },
  update: { sign: '~', effect: 'change', outcome: 'updated' },
  delete: { sign: '-', effect: 'destroy', outcome: 'deleted' },
};

export function effectsOf(countOf: (action: WriteAction) => number): Readonly<Record<Effect, number>> {
  const effects = { add: 0, change: 0, destroy: 0 };
  for (const action of Object.keys(actions) as WriteAction[])
    effects[actions[action].effect] += countOf(action);
  return effects;
}
