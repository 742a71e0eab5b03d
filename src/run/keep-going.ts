import type { ResourceType } from '../kinds/all.ts';
import type { ObservedState } from '../observe/observation.ts';
import type { UnreadableTypes } from '../plan/plan.ts';
import { isOptionalRead } from '../service/retrieve.ts';
import { unreadableReason } from '../service/readable-kinds.ts';
import type { UnreadableReason } from '../service/types.ts';
import { destinationOf } from '../settings/service-settings.ts';
import type { Service } from './connect.ts';
import type { Address, Diagnostic } from '../base/diagnostic.ts';
import type { Resource } from '../kinds/resource.ts';
import { ManifestRules } from '../manifest/rules.ts';
import type { FailedRead } from '../observe/read-children.ts';
import type { ResolvedNames } from '../observe/resolve-names.ts';
import type { NotPlannedReasons } from '../plan/not-planned.ts';

/** Collects why resources are not planned: names without an id, conflicting values, or bindings that could not be read. */
function reasonsByAddress(
  {
    resources,
    unresolved,
    inPart,
    shared,
  }: Pick<ResolvedNames, 'resources' | 'unresolved'> & {
    readonly inPart: readonly FailedRead[];
    readonly shared: readonly Diagnostic[];
  },
  { settings, haltWords: wordsOf }: Service,
): NotPlannedReasons {
  const reasons = new Map<Address, Diagnostic[]>();
  const addReasons = ({ address }: Resource, diagnostics: readonly Diagnostic[]): void => {
    reasons.set(address, [...(reasons.get(address) ?? []), ...diagnostics]);
  };
  const about = { ...destinationOf(settings), notRead: 0, interrupted: false } as const;
  for (const name of unresolved)
    addReasons(
      name.resource,
      wordsOf({ ...about, kind: 'unresolved', diagnostics: [], names: [name], isStale: false }),
    );
  for (const failure of inPart)
    addReasons(failure.resource, wordsOf({ ...about, kind: 'unread', failures: [failure] }));
  // The second search runs backwards, because a search finds only the later of two resources that share a value.
  const findFromEnd = shared.length > 0 ? findSharedValues(resources.toReversed()) : [];
  return withDiagnostics(reasons, [...shared, ...findFromEnd]);
}

export function withDiagnostics(
  reasons: NotPlannedReasons,
  diagnostics: readonly Diagnostic[],
): NotPlannedReasons {
  const all = new Map(reasons);
  for (const found of diagnostics) {
    if (found.address === undefined) continue;
    // A release without the kind or field also explains why the read failed.
    const isExplained = ({ code }: Diagnostic): boolean =>
      found.code === 'not-in-release' && code === 'service-unexpected';
    const others = (all.get(found.address) ?? []).filter((other) => !isExplained(other));
    all.set(found.address, [...others, found]);
  }
  return all;
}

/** Finds resources that have the same value although only one resource may have it. Names must already be replaced by ids. */
export function findSharedValues(resources: readonly Resource[]): readonly Diagnostic[] {
  const found = [...new ManifestRules().check({ entriesWithName: resources, allEntries: [] })];
  return found.filter(({ severity }) => severity === 'error');
}

/**
 * Returns why resources are not planned, or undefined if the run must end instead. With --keep-going, all resources with problems
 * are left out of the plan. Otherwise, only resources for which an undocumented read failed are left out.
 */
export async function notPlannedReasons(
  wrong: Parameters<typeof reasonsByAddress>[0] & Pick<ResolvedNames, 'notRead'>,
  keepGoing: boolean,
  service: Service,
): Promise<NotPlannedReasons | undefined> {
  const { unresolved, inPart, shared, notRead } = wrong;
  if (notRead > 0) return undefined;
  const isUnread = unresolved.every(({ fault }) => fault.kind === 'unread') && shared.length === 0;
  const isNothing = unresolved.length + inPart.length === 0;
  if (!keepGoing && (!isUnread || isNothing)) return undefined;
  for (const { fault } of unresolved)
    if (fault.kind === 'unread' && !(await isOptionalRead(fault.answer, service))) return undefined;
  return reasonsByAddress(wrong, service);
}

export function unreadableKindsIn(
  resources: readonly Resource[],
  observed: ObservedState,
): { readonly unreadable?: UnreadableTypes } {
  const unreadable: Partial<Record<ResourceType, UnreadableReason>> = {};
  for (const { kind, address } of resources) {
    const seen = observed.get(address);
    if (seen?.presence === 'unknown' && seen.unread) unreadable[kind.type] ??= unreadableReason(seen.unread);
  }
  return Object.keys(unreadable).length > 0 ? { unreadable } : {};
}
