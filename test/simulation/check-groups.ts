import { cannotHaveHadEffect, isReplaced } from './events.ts';
import { isOfRandomKind, isSame, mayBeDoubled, type History, type Identity } from './history.ts';
import { ofKind, singleWriteRecords, type Fail, type Of, type RunHistory } from './run-history.ts';

/** Checks that no run creates a group twice where the service would allow that, or refers to a group that it failed to create. */
export function checkGroups(
  history: History,
  run: RunHistory,
  ended: Of<'ended'> | undefined,
  fail: Fail,
): void {
  const { access, events } = history;
  if (access) return;
  for (const { request, unknownIds = [] } of run.sent)
    if (unknownIds.length > 0)
      fail(
        'named',
        `${run.name} sent #${request} with ids that it was never shown: ${unknownIds.join(', ')}`,
      );
  const groups = singleWriteRecords(history).filter((identity) => mayBeDoubled(identity));
  const timesHandled = new Map<number, number>();
  for (const { request } of run.handled) timesHandled.set(request, (timesHandled.get(request) ?? 0) + 1);
  for (const group of groups) {
    const posts = run.sent.filter((event) => event.purpose === 'create' && isSame(event, group));
    const open = posts.filter((post) => !cannotHaveHadEffect(run, post) && !isReplaced(run, post));
    if (open.length > 1)
      fail('retry', `${run.name} sent ${open.length} creates of ${group.name} that may have succeeded`);
    for (const post of posts) {
      const look = run.delivered.findLast(
        (answer) => answer.purpose === 'look_up' && isSame(answer, group) && run.before(answer, post),
      );
      const { within } = group;
      const isParentNew = run.delivered.some(
        (answer) =>
          within !== undefined &&
          answer.purpose === 'create' &&
          answer.status === 201 &&
          isSame(answer, within) &&
          run.before(answer, post),
      );
      const wasThere = look?.tells !== 'absent' && !isParentNew;
      if (wasThere) fail('retry', `${run.name} sent #${post.request} without a look-up that found nothing`);
    }
    const created = new Set(
      run.handled
        .filter((event) => event.committed && isSame(event, group) && event.status === 201)
        .map(({ request }) => request),
    );
    if (created.size > 1) fail('retry', `${run.name} created ${group.name} ${created.size} times`);
  }
  const names = new Set(groups.map(({ name }) => name));
  for (const event of run.sent) {
    const stray = event.groupNames?.find((name) => !names.has(name) && name !== unknown);
    if (stray !== undefined) fail('named', `${run.name} sent #${event.request}, which refers to ${stray}`);
    const early = event.groupNames?.find(
      (name) => names.has(name) && !wasShown(run, { type: 'group', name }, event),
    );
    if (early !== undefined)
      fail('named', `${run.name} sent #${event.request} before it was shown the group ${early}`);
  }
  for (const outcome of ended?.report?.outcomes ?? []) {
    if (outcome.stopped_by !== 'unmade' || history.declared.some((identity) => isOfRandomKind(identity)))
      continue;
    if (groups.length === 0 || outcome.type === 'application')
      fail('named', `${run.name} did not attempt ${outcome.address}, which refers to no group`);
    const areThere = groups.every((group) =>
      events.some((event) => event.kind === 'handled' && event.committed && isSame(event, group)),
    );
    const ownOutcomes = ended?.report?.outcomes.filter(({ type }) => type === 'group') ?? [];
    const isWell = ownOutcomes.every(({ outcome: kind }) => ['created', 'unchanged'].includes(kind));
    if (areThere && isWell)
      fail('named', `${run.name} did not attempt ${outcome.address}, although all groups were created`);
  }
}

/** Whether a record refers, directly or through others, to a group that the service refuses. Such a record is never sent. */
export function refersToInvalidGroup(
  { declared, present }: Pick<History, 'declared' | 'present'>,
  { type, name }: Identity,
): boolean {
  const groups = declared.filter((other) => other.type === 'group');
  const number = Number(name.slice(1));
  const of =
    type === 'group' ? number + 1 : type === 'user' ? number % Math.max(1, groups.length) : Number.NaN;
  const named = groups.find((other) => other.name === `g${of}`);
  if (named === undefined || present.some((other) => isSame(other, named))) return false;
  return named.invalid || refersToInvalidGroup({ declared, present }, named);
}

/** The id of a group that does not exist. */
const unknown = '99999999-9999-4999-8999-999999999999';

/** Whether an answer before this event had shown the group to the run. */
function wasShown(run: RunHistory, identity: Identity, event: Of<'sent'>): boolean {
  return run.delivered.some(
    (answer) =>
      run.before(answer, event) &&
      isSame(answer, identity) &&
      (answer.tells === 'present' || answer.shows !== undefined || answer.status === 201),
  );
}

/** The groups that exist twice, because two runs created them at once or a proxy sent a request twice. */
export function doubledGroups({ declared, present, events }: History): Identity[] {
  return declared.filter((group) => {
    if (!mayBeDoubled(group)) return false;
    const before = present.filter((other) => isSame(other, group)).length;
    const created = ofKind(events, 'handled').filter(
      (event) => event.status === 201 && event.committed && isSame(event, group),
    );
    const byOthers = ofKind(events, 'actor').filter(
      (event) => event.action === 'create' && isSame(event, group),
    );
    return before + created.length + byOthers.length > 1;
  });
}

/** Whether a field refers to groups. If two groups have the same name, a reference to either counts as declared. */
export function refersToGroups(field: string): boolean {
  return field === 'groups' || field === 'parents';
}
