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

/** Why no more is read; nothing while more may be. */
export function excess(found: Limits, most: Limits): Problem | undefined {
  const soFar = 'counting from the first file to this one';
  if (found.inFile > most.inFile)
    return {
      code: 'too-many-resources',
      summary: `more than ${most.inFile} resources are declared in this file`,
      detail: 'Divide it into several files.',
    };
  if (found.kept > most.kept)
    return {
      code: 'too-many-resources',
      summary: `this run is about more than ${most.kept} resources, ${soFar}`,
      detail:
        'Divide them among several runs with --shard, or among more of them. `rollcall validate` takes all at once.',
    };
  if (found.declared > most.declared)
    return {
      code: 'too-many-resources',
      summary: `more than ${most.declared} resources are declared, ${soFar}`,
      detail: 'Run rollcall on some of the files at a time.',
    };
  if (found.problems > most.problems)
    return {
      code: 'too-many-problems',
      summary: `more than ${most.problems} problems were found, ${soFar}`,
      detail: 'Mend these first.',
    };
  return undefined;
}
