import type { OutcomeKind } from '../../apply/outcome.ts';
import type { WriteAction } from '../../plan/actions.ts';

/** How a diagnostic begins that says why something was not done, and what to do then. */
interface OutcomeWords {
  /** What the summary of a diagnostic begins with. */
  readonly opening: string;
  readonly advice?: string;
}

/** By what was to be done, and how it ended. */
export const wordsOf: Readonly<Record<WriteAction, Readonly<Partial<Record<OutcomeKind, OutcomeWords>>>>> = {
  create: {
    conflict: {
      opening: 'this name is taken or reserved: ',
      advice: 'Choose another name, or use a token that may view what has this name.',
    },
    unknown: {
      opening: 'it may or may not have been created: ',
      advice: 'Plan and apply again: that finds out, and creates nothing twice.',
    },
    not_attempted: { opening: 'not created: ' },
  },
  update: {
    unknown: {
      opening: 'it may or may not have been changed: ',
      advice: 'Plan and apply again: that finds out, and changes nothing that is as declared.',
    },
    not_attempted: { opening: 'not changed: ' },
  },
  delete: {
    unknown: {
      opening: 'it may or may not have been deleted: ',
      advice: 'Plan and apply again: that finds out.',
    },
    rejected: { opening: 'not deleted: ' },
    denied: { opening: 'not deleted: ' },
    not_attempted: { opening: 'not deleted: ' },
  },
};
