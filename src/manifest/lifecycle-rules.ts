import type { Address, Problem } from '../base/diagnostic.ts';
import { formatPlace, type Range } from '../base/source.ts';
import { formerly, formerName, isToBeDeleted, state } from '../kinds/lifecycle.ts';
import { addressOfName, type DeclaredName } from '../kinds/named.ts';
import { addressWithName, nameOf, placeOf, type Resource } from '../kinds/resource.ts';

export interface CheckedEntry {
  readonly resource: Resource;
  /** The first entry with the same address. */
  readonly earlier: Resource | undefined;
  /** The names that the entry contains instead of ids. */
  readonly declaredNames: readonly DeclaredName[];
}

interface Ownership {
  readonly owner: Address;
  readonly at: Range;
}

export class SeenEntries {
  readonly names: Map<Address, Resource> = new Map();
  /** Maps the simplified form of each address to the address, if they differ. */
  readonly similarAddresses: Map<Address, Address> = new Map();
  /** Values that only one resource may have. */
  readonly ownedValues: Map<string, Ownership> = new Map();
  readonly formerAddresses: Map<Address, Ownership> = new Map();
  /** For each address, the place of an entry with `state: absent` or of a reference to the resource. */
  readonly deletedEntries: Map<Address, Range> = new Map();
  readonly referencedEntries: Map<Address, Range> = new Map();
  /** For each resource, its references that may be part of a cycle. */
  readonly references: Map<Address, readonly ReferenceStep[]> = new Map();
}

export interface ReferenceStep {
  readonly to: Address;
  readonly range: Range;
}

export function placeOfIdentity(resource: Resource): Range {
  return placeOf(resource, resource.kind.identity);
}

export type ReportProblem = (field: string, problem: Problem, item?: number) => void;

/** A former name must not be the name or former name of another resource. */
export function checkFormerName(
  { resource, earlier }: CheckedEntry,
  { names, formerAddresses, referencedEntries }: SeenEntries,
  report: ReportProblem,
): void {
  if (earlier) return;
  const { kind, address } = resource;
  const heir = formerAddresses.get(address);
  if (heir !== undefined) {
    const summary = `this is the former name of ${nameOf(heir.owner)}`;
    report(kind.identity, formerProblem(summary, heir.at));
  }
  const former = formerName(resource);
  if (former === undefined) return;
  const before = addressWithName(resource, former);
  const holder = names.get(before);
  const otherRename = formerAddresses.get(before);
  if (holder !== undefined) {
    const summary =
      before === address
        ? 'the resource already has this name'
        : `\`${former}\` is still declared, so it was not renamed`;
    report(formerly, formerProblem(summary, placeOfIdentity(holder)));
  } else if (otherRename !== undefined) {
    const summary = `\`${former}\` is the former name of ${nameOf(otherRename.owner)} too`;
    report(formerly, formerProblem(summary, otherRename.at, 'Remove one of the two.'));
  } else {
    formerAddresses.set(before, { owner: address, at: placeOf(resource, formerly) });
    const at = referencedEntries.get(before);
    if (at !== undefined) report(formerly, renamedProblem(before, address, at));
  }
}

function formerProblem(summary: string, at: Range, detail = oneStepAtATime): Problem {
  return { code: 'former-name', summary, detail: `See ${formatPlace(at)}. ${detail}` };
}

function renamedProblem(before: string, now: string, at: Range): Problem {
  const summary = `${before} is renamed to ${now}, but is still referred to by its former name`;
  return formerProblem(summary, at, 'Use the new name in references.');
}

const oneStepAtATime =
  'Remove `formerly` once the rename is done. To swap two names, first rename one of the resources to a third name, and apply that.';

/** No entry may refer to a resource with `state: absent`, or to a renamed resource by its earlier name. */
export function checkDeleteReferences(
  { resource, declaredNames }: CheckedEntry,
  { formerAddresses, deletedEntries, referencedEntries }: SeenEntries,
  report: ReportProblem,
): void {
  const { kind, address } = resource;
  if (isToBeDeleted(resource)) {
    const at = referencedEntries.get(address);
    deletedEntries.set(address, placeOf(resource, state));
    if (at !== undefined) report(kind.identity, referencedDeleteProblem('it', at));
  }
  for (const declared of declaredNames) {
    const to = addressOfName(declared);
    if (to === undefined) continue;
    const { field, item } = declared;
    const heir = formerAddresses.get(to);
    if (heir !== undefined) report(field, renamedProblem(to, heir.owner, heir.at), item);
    if (isToBeDeleted(resource)) continue; // it may refer to another record that is deleted
    const at = deletedEntries.get(to);
    if (at !== undefined) report(field, referencedDeleteProblem(to, at), item);
    else if (!referencedEntries.has(to)) referencedEntries.set(to, placeOf(resource, field, item));
  }
}

function referencedDeleteProblem(reference: string, at: Range): Problem {
  return {
    code: 'names-absent',
    summary: `${reference} is declared absent, but is still referred to`,
    detail: `See ${formatPlace(at)}. Remove the reference, or keep the resource.`,
  };
}
