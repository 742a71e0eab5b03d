import type { Diagnostic } from '../base/diagnostic.ts';
import { addressOfName } from '../kinds/named.ts';
import type { Release } from '../kinds/release.ts';
import type { Resource } from '../kinds/resource.ts';
import { hasLaterFields, withoutLaterFields } from '../observe/later-fields.ts';
import { checkByRelease } from '../manifest/load-manifests.ts';
import { findNamesTakenByOtherKinds } from '../observe/names-of-other-kinds.ts';
import type { ObservedState } from '../observe/observation.ts';
import { observe, type ObserveResult } from '../observe/observe.ts';
import type { FailedRead } from '../observe/read-children.ts';
import { readReferenceFacts } from '../observe/read-reference-facts.ts';
import { readRemovedNames } from '../observe/removed-names.ts';
import { namesWithoutId, resolveNames, type UnresolvedName } from '../observe/resolve-names.ts';
import type { NotPlannedReasons } from '../plan/not-planned.ts';
import { destinationOf } from '../settings/service-settings.ts';
import type { Service } from './connect.ts';
import { findSharedValues, notPlannedReasons } from './keep-going.ts';
import type { StoppedRun } from './result.ts';
import type { ScopedResources } from './scope.ts';
import { stoppedRun } from './stopped-run.ts';

/** What the service holds of the declared resources. */
export interface ReadState {
  /** The declared resources, with ids in place of the names of the service's records. */
  readonly resources: readonly Resource[];
  readonly observed: ObservedState;
  readonly facts: Awaited<ReturnType<typeof readReferenceFacts>>['known'];
  /** The names of records to which updates would no longer refer, by `keyOfId`. */
  readonly removedNames: ReadonlyMap<string, string>;
  /** Why resources are not planned; undefined if all are. */
  readonly heldBack: NotPlannedReasons | undefined;
}

interface ReadingManner {
  readonly isSaved: boolean;
  readonly keepGoing: boolean;
  readonly readRelease: () => Promise<Release | undefined>;
}

/**
 * Reads what the service holds of the declared resources:
 * 1. `resolveNames` looks up the ids of names, and `findSharedValues` finds values that only one resource may have.
 * 2. `observe` looks up the resources, and `readReferenceFacts` the ids in new entries.
 * 3. `readRemovedNames` looks up the names of ids that updates would remove.
 *
 * If no plan can be made, returns the function that ends the run.
 */
export async function readState(
  { resources: everything, elsewhere }: ScopedResources,
  service: Service,
  { isSaved, keepGoing, readRelease }: ReadingManner,
): Promise<ReadState | (() => StoppedRun)> {
  const { client, pacing, emit } = service;
  const onRead = (done: number, total: number): void =>
    emit({ kind: 'progress', stage: 'looking_up', done, total, pace: pacing.pace() });
  onRead(0, everything.length);
  const releaseForNames = everything.some(hasLaterFields) ? await readRelease() : undefined;
  const {
    resources: declared,
    leftOutFields,
    laterEntries,
  } = withoutLaterFields(everything, releaseForNames);
  if (releaseForNames && leftOutFields.length > 0)
    emit({ kind: 'later_fields', release: releaseForNames, fields: leftOutFields });
  const resolved = await resolveNames(declared, { ...service, elsewhere });
  const { notRead } = resolved;
  const withoutLater = (names: readonly UnresolvedName[]): UnresolvedName[] =>
    names.filter(
      ({ resource: { address }, declared: named }) =>
        !laterEntries.has(address) && !laterEntries.has(addressOfName(named) ?? address),
    );
  const unresolved = withoutLater(resolved.unresolved);
  const shared = resolved.resources === declared ? [] : findSharedValues(resolved.resources);
  const reasonsFor = (
    names: readonly UnresolvedName[],
    inPart: readonly FailedRead[] = [],
  ): Promise<NotPlannedReasons | undefined> =>
    notPlannedReasons({ ...resolved, unresolved: names, inPart, shared }, keepGoing, service);
  const stop = async (
    names: readonly UnresolvedName[],
    conflicts: readonly Diagnostic[] = [],
  ): Promise<() => StoppedRun> => {
    const areRead = notRead === 0 && names.every(({ fault }) => fault.kind !== 'unread');
    const diagnostics = [...conflicts, ...(areRead ? errorsByRelease(everything, await readRelease()) : [])];
    return () => stopUnresolved(service, { isSaved, names, diagnostics, notRead });
  };
  if (!(await reasonsFor(unresolved)) && (unresolved.length > 0 || shared.length > 0 || notRead > 0))
    return stop(unresolved, shared);
  const result = await observe(resolved.resources, {
    ...service,
    onRead,
    onList: (news) => emit({ kind: 'listed', news }),
  });
  if (result.kind === 'failed') return () => unreadHalt(result, service);
  const { observed, partialReads } = result;
  const { missing, known: facts } = await readReferenceFacts(resolved, observed, service);
  const unusable = withoutLater([
    ...missing,
    ...namesWithoutId(resolved.resources, observed, client.readable),
    ...(await findNamesTakenByOtherKinds(resolved.resources, observed, service)),
  ]);
  const heldBack = await reasonsFor([...unresolved, ...unusable], partialReads);
  if (!heldBack && unusable.length + partialReads.length > 0) return stop(unusable);
  const removedNames = await readRemovedNames(resolved.resources, observed, service);
  return { resources: resolved.resources, observed, facts, removedNames, heldBack };
}

/** Errors that depend on the release alone, so that these are not reported only after all names are corrected. */
function errorsByRelease(resources: readonly Resource[], release: Release | undefined): Diagnostic[] {
  // Existing records need no fields that only a create requires.
  const existing = new Map(resources.map(({ address }) => [address, {}]));
  return checkByRelease(resources, release, false, existing).filter(({ severity }) => severity === 'error');
}

interface UnresolvedReason {
  readonly isSaved: boolean;
  readonly names?: readonly UnresolvedName[];
  readonly diagnostics?: readonly Diagnostic[];
  readonly notRead?: number;
}

/** Ends a run whose manifests name what the service does not have, or contradict each other or the service. */
export function stopUnresolved(
  service: Service,
  { isSaved, names = [], diagnostics = [], notRead = 0 }: UnresolvedReason,
): StoppedRun {
  const reason = { names, diagnostics, notRead, interrupted: service.signal.aborted, isStale: isSaved };
  return stoppedRun({ kind: 'unresolved', ...destinationOf(service.settings), ...reason }, service);
}

function unreadHalt(
  failed: Extract<ObserveResult, { readonly kind: 'failed' }>,
  service: Service,
): StoppedRun {
  const interrupted = failed.interrupted || service.signal.aborted;
  return stoppedRun({ ...failed, interrupted, ...destinationOf(service.settings), kind: 'unread' }, service);
}
