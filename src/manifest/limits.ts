import type { Problem } from '../base/diagnostic.ts';

export interface Limits {
  readonly entries: number;
  /** The maximum number of problems. Nobody reads more. */
  readonly problems: number;
}

export const limits: Limits = { entries: 100_000, problems: 100_000 };

const soFar = 'counting from the first file to this one';

const problems: Record<keyof Limits, (most: number) => Problem> = {
  entries: (most) => ({
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

/** The problem of a limit that is exceeded; undefined otherwise. */
export function limitProblem(found: Partial<Limits>, most: Limits): Problem | undefined {
  const key = (['entries', 'problems'] as const).find((each) => (found[each] ?? 0) > most[each]);
  return key && problems[key](most[key]);
}
