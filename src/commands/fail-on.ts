import { UsageError } from '../base/errors.ts';
import { notPlannedIn, type Plan } from '../plan/plan.ts';
import { inline } from '../report/printable.ts';
import { listed } from '../report/words/diagnostics.ts';

/** What `plan --fail-on` can name. */
export const failOnNames = ['differs', 'undeclared', 'opens'] as const;

export type FailOn = (typeof failOnNames)[number];

/** Throws a UsageError where a plan cannot show whether it has what is named. */
export function refuseWithoutSince(failOn: readonly FailOn[], since: string | undefined): void {
  if (!failOn.includes('undeclared') || since !== undefined) return;
  throw new UsageError(
    '--fail-on undeclared needs --since',
    'Name the revision that the manifests are compared with, such as: --since origin/main.',
  );
}

/** Why a plan fails by what `--fail-on` names, each reason in a line; empty when it does not. */
export function whyFailed(plan: Plan, failOn: readonly FailOn[]): string[] {
  return [...new Set(failOn)].flatMap((name) => {
    const count = countOf(name, plan);
    if (count === 0) return [];
    const subject = `${count} ${count === 1 ? 'resource' : 'resources'}`;
    return `${subject} ${words[name][count === 1 ? 0 : 1]}, and --fail-on ${name} is given`;
  });
}

/** The last line of a plan of which some is not planned. */
export function whyIncomplete(plan: Plan): string[] {
  const left = notPlannedIn(plan).map(({ resource }) => inline(resource.address));
  const subject = left.length === 1 ? '1 resource is' : `${left.length} resources are`;
  return left.length === 0 ? [] : [`${subject} not planned: ${listed(left)}`];
}

function countOf(name: FailOn, { changes, since }: Plan): number {
  switch (name) {
    case 'differs':
      return changes.filter(({ differences }) => differences.length > 0).length;
    case 'undeclared':
      return since?.noLongerDeclared.length ?? 0;
    case 'opens':
      return changes.filter(({ opens = [] }) => opens.length > 0).length;
  }
}

/** Of one, and of several. */
const words: Readonly<Record<FailOn, readonly [string, string]>> = {
  differs: ['differs', 'differ'],
  undeclared: ['is no longer declared', 'are no longer declared'],
  opens: ['is opened to more than before', 'are opened to more than before'],
};
