import { diagnosticFor, type Address, type Diagnostic } from '../base/diagnostic.ts';
import { UsageError } from '../base/errors.ts';
import { mayLeaveRecord } from '../manifest/baseline.ts';
import {
  changeKind,
  incompleteChanges,
  isLoginChange,
  notPlannedChanges,
  type Change,
  type Plan,
} from '../plan/plan.ts';
import { printableLine } from '../report/printable.ts';
import { listNames } from '../report/words/diagnostics.ts';
import type { RunFlags } from './flags.ts';

export const failOnNames = ['differs', 'undeclared', 'opens'] as const;

export type FailOn = (typeof failOnNames)[number];

type ConditionFlags = Pick<RunFlags, 'baseline' | 'target' | 'exclude' | 'shard' | 'changedOnly'> & {
  readonly undeclared?: boolean;
};

/** Throws a UsageError if the given flags make it impossible to check a condition of `--fail-on`. */
export function refuseUnavailableCondition(failOn: readonly FailOn[], asked: ConditionFlags): void {
  const { baseline, undeclared, target, exclude, shard, changedOnly } = asked;
  if (failOn.includes('undeclared') && baseline === undefined && !undeclared)
    throw new UsageError(
      '--fail-on undeclared needs --undeclared or --baseline',
      'With --undeclared, the plan fails if the service has records that no manifest declares; with --baseline, the plan fails if entries are no longer declared.',
    );
  if (undeclared && (target ?? exclude ?? shard ?? changedOnly) !== undefined)
    throw new UsageError(
      '--undeclared compares the service with all manifests',
      'Leave out --target, --exclude, --shard and --changed-only.',
    );
}

/** With --detailed-exitcode, `differs` includes missing records. */
type Condition = FailOn | 'missing';

/** Returns an error for each condition of `--fail-on` that makes the plan fail. */
export function failedConditions(
  plan: Plan,
  failOn: readonly FailOn[],
  isMissingFailure: boolean,
): Diagnostic[] {
  const names: readonly Condition[] = isMissingFailure ? [...failOn, 'missing'] : failOn;
  return [...new Set(names)].flatMap((name) => {
    const addresses = addressesFor(name, plan);
    const count = addresses.length;
    if (count === 0) return [];
    const subject = `${count} ${count === 1 ? 'resource' : 'resources'}`;
    const [one, several] = name === 'undeclared' && plan.undeclared ? notDeclared : conditionVerbs[name];
    const option = name === 'missing' ? 'differs' : name;
    return failOnError(
      `${subject} ${count === 1 ? one : several}, and --fail-on ${option} is given`,
      addresses,
    );
  });
}

/** Returns an error for each condition of `--fail-on` that could not be checked. */
export function uncheckedConditions({ undeclared }: Plan, failOn: readonly FailOn[]): Diagnostic[] {
  const isUnchecked = failOn.includes('undeclared') && undeclared && undeclared.gaps.length > 0;
  return isUnchecked
    ? [
        failOnError(
          'the records of the service could not be read completely, and --fail-on undeclared is given',
        ),
      ]
    : [];
}

/** A warning if `--fail-on opens` passes over differences that the apply may be allowed to change. */
export function uncountedWarnings({ changes }: Plan, failOn: readonly FailOn[]): string[] {
  const count = changes.filter((each) => changeKind(each) === 'differs' && !each.leftBecause).length;
  if (count === 0 || !failOn.includes('opens')) return [];
  const subject = count === 1 ? '1 resource that differs' : `${count} resources that differ`;
  return [
    `--fail-on opens does not count ${subject}, because this run may not change ${count === 1 ? 'it' : 'them'}; plan with the same --allow as the apply`,
  ];
}

const maxNamed = 20;

function failOnError(summary: string, addresses: readonly Address[] = []): Diagnostic {
  const detail = listNames(addresses.map(printableLine), maxNamed);
  return diagnosticFor(undefined, { code: 'fail-on', summary, detail });
}

export function incompletePlanLines(plan: Plan): string[] {
  const incomplete = incompleteChanges(plan);
  const left = incomplete.filter(({ leftBecause }) => leftBecause !== undefined);
  const unfinished = incomplete.filter(({ leftBecause }) => leftBecause === undefined);
  return [
    ...incompleteLine(notPlannedChanges(plan), 'not planned'),
    ...incompleteLine(unfinished, 'unfinished, which needs --allow update'),
    ...incompleteLine(left, 'left unchanged'),
  ];
}

function incompleteLine(changes: readonly Change[], predicate: string): string[] {
  const addresses = changes.map(({ resource }) => printableLine(resource.address));
  const subject = addresses.length === 1 ? '1 resource is' : `${addresses.length} resources are`;
  return addresses.length === 0 ? [] : [`${subject} ${predicate}: ${listNames(addresses)}`];
}

function addressesFor(name: Condition, { changes, baseline, undeclared }: Plan): Address[] {
  switch (name) {
    case 'differs':
      return changes.flatMap(({ differences, resource }) => (differences.length > 0 ? resource.address : []));
    case 'missing':
      return changes.flatMap(({ action, resource }) => (action === 'create' ? resource.address : []));
    case 'undeclared':
      return [...(baseline?.noLongerDeclared ?? []).filter(mayLeaveRecord), ...(undeclared?.found ?? [])].map(
        ({ address }) => address,
      );
    case 'opens':
      return changes.flatMap((change) =>
        (change.opens ?? []).length > 0 || isLoginChange(change) ? change.resource.address : [],
      );
  }
}

const conditionVerbs: Readonly<Record<Condition, readonly [string, string]>> = {
  differs: ['differs', 'differ'],
  missing: ['is missing', 'are missing'],
  undeclared: ['is no longer declared', 'are no longer declared'],
  opens: [
    'gives people more access or changes how people log in',
    'give people more access or change how people log in',
  ],
};

const notDeclared = ['is not declared', 'are not declared'] as const;
