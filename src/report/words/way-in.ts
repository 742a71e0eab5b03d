import { listed } from '../../kinds/all.ts';
import { ownedFields } from '../../kinds/kind.ts';
import type { Change, Plan } from '../../plan/plan.ts';
import { inline, present } from '../printable.ts';

/** What a plan changes of how people log in. Safe to print. */
export function wayInWords({ changes, wayIn }: Pick<Plan, 'changes' | 'wayIn'>): string[] {
  const onWay = changes.filter(({ onWayIn }) => onWayIn).map(({ resource }) => resource.address);
  const { unread = [] } = wayIn ?? {};
  return [
    ...(onWay.length > 0 ? [`On the way in, by which people log in: ${firstOf(onWay)}.`] : []),
    ...(unread.length > 0
      ? [inline(`Of the way in, ${listed(unread)} could not be read, so all flows that log people in count.`)]
      : []),
  ];
}

/** Why a change comes after another one. */
export function reasonToWait({ resource: { kind } }: Change): string {
  return ownedFields(kind).length > 0
    ? 'which frees a value that this one needs'
    : 'so that no login is opened or closed in between';
}

const mostAlong = 10;

/** The first of some addresses, and how many there are more. Safe to print. */
export function firstOf(addresses: readonly string[]): string {
  const more = addresses.length - mostAlong;
  return present(...addresses.slice(0, mostAlong), more > 0 && `${more} more`)
    .map((each) => inline(each))
    .join(', ');
}
