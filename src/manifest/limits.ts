import type { Problem } from '../base/diagnostic.ts';

export interface Limits {
  readonly entries: number;
  readonly problems: number;
}

export const limits: Limits = { entries: 100_000, problems: 100_000 };

const countedSoFar = 'counting from the first file to this one';

const problems: Record<keyof Limits, (maximum: number) => Problem> = {
  entries: (maximum) => ({
    code: 'too-many-resources',
    summary: `more than ${maximum} resources are declared, ${countedSoFar}`,
    detail: 'Run rollcall on some of the files at a time.',
  }),
  problems: (maximum) => ({
    code: 'too-many-problems',
    summary: `more than ${maximum} problems were found, ${countedSoFar}`,
    detail: 'Fix these problems first, then run again.',
  }),
};

export function limitProblem(counts: Partial<Limits>, maximum: Limits): Problem | undefined {
  const key = (['entries', 'problems'] as const).find((each) => (counts[each] ?? 0) > maximum[each]);
  return key && problems[key](maximum[key]);
}
