import type { OutcomeKind, StopReason } from '../apply/outcome.ts';

/** How a resource ended, in a few words. */
export const outcomeWords: Readonly<Record<OutcomeKind, string>> = {
  created: 'created',
  exists: 'there already',
  unchanged: 'in sync',
  differs: 'differing and left as is',
  rejected: 'rejected',
  denied: 'denied',
  conflict: 'in conflict',
  unknown: 'unknown',
  not_attempted: 'not attempted',
};

/** Why a resource was not begun. */
export const stopWords: Readonly<Record<StopReason, string>> = {
  interrupted: 'the run was interrupted',
  denied: 'the token may not create resources of this type',
  read_only: 'the licence of the service lets no resources of this type be created',
  no_way: 'the service cannot be used as it is, see what was answered before',
  pause: 'the service asks for too long a wait',
  doubts: 'too many before it had an open end',
  fail_fast: 'another failed, and --fail-fast was given',
};
