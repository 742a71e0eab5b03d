import type { Destination } from '../base/destination.ts';
import type { Address, Diagnostic } from '../base/diagnostic.ts';
import type { Resource } from '../kinds/resource.ts';
import { Rules } from '../manifest/rules.ts';
import type { ResolvedNames } from '../observe/resolve-names.ts';
import type { HeldBack } from '../plan/not-planned.ts';
import type { Halt } from './result.ts';

/** The words for what keeps a resource from being planned: they are those of a halt. */
export type HaltWords = (halt: Halt) => readonly Diagnostic[];

/**
 * What the names in the manifests keep from being planned: those that lead to no id, and what they give to two resources. None where
 * it is not for these alone that the plan would halt: the service could not answer.
 */
export function heldBackByNames(
  { resources, unresolved, notRead }: ResolvedNames,
  shared: readonly Diagnostic[],
  destination: Destination,
  wordsOf: HaltWords,
): HeldBack | undefined {
  const isAnswered = unresolved.every(({ fault }) => fault.kind !== 'unread' || fault.proof === 'denied');
  if (notRead > 0 || !isAnswered) return undefined;
  const held = new Map<Address, Diagnostic[]>();
  const hold = (address: Address, diagnostics: readonly Diagnostic[]): void => {
    held.set(address, [...(held.get(address) ?? []), ...diagnostics]);
  };
  const about = { ...destination, kind: 'unresolved', diagnostics: [], notRead, isStale: false } as const;
  for (const name of unresolved)
    hold(name.resource.address, wordsOf({ ...about, names: [name], interrupted: false }));
  // The first of two that have the same is no better than the second, and is found from the other end.
  const fromTheEnd = shared.length > 0 ? sharedBy(resources.toReversed()) : [];
  for (const found of [...shared, ...fromTheEnd])
    if (found.address !== undefined) hold(found.address, [found]);
  return held;
}

/** The same with what else is wrong with single resources. */
export function withOthers(held: HeldBack, diagnostics: readonly Diagnostic[]): HeldBack {
  const all = new Map(held);
  for (const found of diagnostics)
    if (found.address !== undefined) all.set(found.address, [...(all.get(found.address) ?? []), found]);
  return all;
}

/** Ids show what names do not: that two names, or a name and an id, are one provider, which belongs to one application. */
export function sharedBy(resources: readonly Resource[]): readonly Diagnostic[] {
  const found = [...new Rules().check({ named: resources, mappings: [] })];
  return found.filter(({ severity }) => severity === 'error');
}
