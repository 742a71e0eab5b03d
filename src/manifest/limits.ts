import type { Problem } from '../base/diagnostic.ts';

export interface Limits {
  readonly entries: number;
  readonly problems: number;
}

export const limits: Limits = { entries: 100_000, problems: 100_000 };

const countedSoFar = 'counting from the first file to this one';

export function limitProblem(
  { entries = 0, problems = 0 }: Partial<Limits>,
  maximum: Limits,
): Problem | undefined {
  if (entries > maximum.entries)
    return {
      code: 'too-many-resources',
      summary: `more than ${maximum.entries} resources are declared, ${countedSoFar}`,
      detail: 'Run rollcall on some of the files at a time.',
    };
  if (problems <= maximum.problems) return undefined;
  return {
    code: 'too-many-problems',
    summary: `more than ${maximum.problems} problems were found, ${countedSoFar}`,
    detail: 'Fix these problems first, then run again.',
  };
}
