import type { ResourceType } from '../kinds/all.ts';
import type { ObservedState } from '../observe/observation.ts';
import type { UnreadableTypes } from '../plan/plan.ts';
import { isOptionalRead } from '../service/retrieve.ts';
import { reasonUnread } from '../service/readable-kinds.ts';
import type { Unreadable } from '../service/types.ts';
import { destinationOf } from '../settings/service-settings.ts';
import type { Service } from './connect.ts';
import type { Destination } from '../base/destination.ts';
import type { Address, Diagnostic } from '../base/diagnostic.ts';
import type { Resource } from '../kinds/resource.ts';
import { Rules } from '../manifest/rules.ts';
import type { FailedRead } from '../observe/read-children.ts';
import type { ResolvedNames } from '../observe/resolve-names.ts';
import type { NotPlannedReasons } from '../plan/not-planned.ts';
import type { Job } from './world.ts';

/** Resources that are not planned: their names have no id, they share a value that only one may have, or a part of them could not be read. */
function heldBackBy(
  {
    resources,
    unresolved,
    inPart,
    shared,
  }: Pick<ResolvedNames, 'resources' | 'unresolved'> & {
    readonly inPart: readonly FailedRead[];
    readonly shared: readonly Diagnostic[];
  },
  destination: Destination,
  wordsOf: Job['haltWords'],
): NotPlannedReasons {
  const held = new Map<Address, Diagnostic[]>();
  const hold = (address: Address, diagnostics: readonly Diagnostic[]): void => {
    held.set(address, [...(held.get(address) ?? []), ...diagnostics]);
  };
  const about = { ...destination, notRead: 0, interrupted: false } as const;
  for (const name of unresolved)
    hold(
      name.resource.address,
      wordsOf({ ...about, kind: 'unresolved', diagnostics: [], names: [name], isStale: false }),
    );
  for (const failure of inPart)
    hold(failure.resource.address, wordsOf({ ...about, kind: 'unread', failures: [failure] }));
  // The first of two that share a value is no better than the second, which is found from the other end.
  const fromTheEnd = shared.length > 0 ? sharedValues(resources.toReversed()) : [];
  for (const found of [...shared, ...fromTheEnd])
    if (found.address !== undefined) hold(found.address, [found]);
  return held;
}

/** The reasons with further problems of single resources. */
export function withDiagnostics(
  held: NotPlannedReasons,
  diagnostics: readonly Diagnostic[],
): NotPlannedReasons {
  const all = new Map(held);
  for (const found of diagnostics)
    if (found.address !== undefined) all.set(found.address, [...(all.get(found.address) ?? []), found]);
  return all;
}

/** Ids show that two names, or a name and an id, are the same provider, which belongs to one application. */
export function sharedValues(resources: readonly Resource[]): readonly Diagnostic[] {
  const found = [...new Rules().check({ entriesWithName: resources, allEntries: [] })];
  return found.filter(({ severity }) => severity === 'error');
}

/**
 * Resources that are not planned: with --keep-going all with problems of their own; otherwise only those that need an undocumented
 * read that returned no data. Undefined if the run ends instead.
 */
export async function notPlannedReasons(
  wrong: Parameters<typeof heldBackBy>[0] & Pick<ResolvedNames, 'notRead'>,
  keepGoing: boolean,
  { client, pacing, signal, settings }: Service,
  job: Job,
): Promise<NotPlannedReasons | undefined> {
  const { unresolved, inPart, shared, notRead } = wrong;
  if (notRead > 0) return undefined;
  const isUnread = unresolved.every(({ fault }) => fault.kind === 'unread') && shared.length === 0;
  const isNothing = unresolved.length + inPart.length === 0;
  if (!keepGoing && (!isUnread || isNothing)) return undefined;
  for (const { fault } of unresolved)
    if (fault.kind === 'unread' && !(await isOptionalRead(fault.answer, client, pacing, signal)))
      return undefined;
  return heldBackBy(wrong, destinationOf(settings), job.haltWords);
}

export function unreadableIn(
  resources: readonly Resource[],
  observed: ObservedState,
): { readonly unreadable?: UnreadableTypes } {
  const unreadable: Partial<Record<ResourceType, Unreadable>> = {};
  for (const { kind, address } of resources) {
    const seen = observed.get(address);
    if (seen?.presence === 'unknown' && seen.unread) unreadable[kind.type] ??= reasonUnread(seen.unread);
  }
  return Object.keys(unreadable).length > 0 ? { unreadable } : {};
}
