import { planSummary, type Plan } from '../plan/plan.ts';

/** What `plan --fail-on` can name. */
export const failOnNames = ['differs'] as const;

export type FailOn = (typeof failOnNames)[number];

/** Why a plan fails by what `--fail-on` names, each reason in a line; empty when it does not. */
export function whyFailed({ changes }: Plan, failOn: readonly FailOn[]): string[] {
  return [...new Set(failOn)].flatMap((name) => {
    switch (name) {
      case 'differs': {
        const { differs } = planSummary(changes);
        return differs === 0
          ? []
          : `${differs} ${differs === 1 ? 'resource differs' : 'resources differ'}, and --fail-on differs is given`;
      }
    }
  });
}
