import type { Problem } from '../base/diagnostic.ts';

/** How much is read, until no more is. */
export interface Limits {
  /** How many entries one file may have: it is in memory as a whole. */
  readonly inFile: number;
  /** How many resources may be kept. */
  readonly kept: number;
  /** How many entries all files may have. Some 80 bytes are kept of each. */
  readonly declared: number;
  /** How many problems fit into memory. Nobody reads as many. */
  readonly problems: number;
}

export const limits: Limits = {
  inFile: 200_000,
  kept: 200_000,
  declared: 10_000_000,
  problems: 1_000_000,
};

const soFar = 'counting from the first file to this one';

const problems: Record<keyof Limits, (most: number) => Problem> = {
  inFile: (most) => ({
    code: 'too-many-resources',
    summary: `more than ${most} resources are declared in this file`,
    detail: 'Divide it into several files.',
  }),
  kept: (most) => ({
    code: 'too-many-resources',
    summary: `this run is about more than ${most} resources, ${soFar}`,
    detail:
      'Divide them among several runs with --shard, or among more of them. `rollcall validate` takes all at once.',
  }),
  declared: (most) => ({
    code: 'too-many-resources',
    summary: `more than ${most} resources are declared, ${soFar}`,
    detail: 'Run rollcall on some of the files at a time.',
  }),
  problems: (most) => ({
    code: 'too-many-problems',
    summary: `more than ${most} problems were found, ${soFar}`,
    detail: 'Mend these first.',
  }),
};

const keys = ['inFile', 'kept', 'declared', 'problems'] as const;

/** Why no more is read; nothing while more may be. */
export function excess(found: Partial<Limits>, most: Limits): Problem | undefined {
  const key = keys.find((each) => (found[each] ?? 0) > most[each]);
  return key && problems[key](most[key]);
}
