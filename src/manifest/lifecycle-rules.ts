import type { Address, Problem } from '../base/diagnostic.ts';
import { placeText, type Range } from '../base/source.ts';
import { formerly, formerName, isToBeDeleted, state } from '../kinds/lifecycle.ts';
import { addressOfName, declaredNames } from '../kinds/named.ts';
import { addressNow, nameOf, placeOf, type Resource } from '../kinds/resource.ts';

export interface Entry {
  readonly resource: Resource;
  /** The entry that declared its address first. */
  readonly first: Resource;
  /** Whether this is that entry. */
  readonly isFirst: boolean;
}

interface Owned {
  readonly owner: Address;
  readonly at: Range;
}

/** The entries seen so far, each by its address. */
export class SeenEntries {
  readonly names: Map<Address, Resource> = new Map();
  /** Simplified forms of names that are not already in the simplest form. */
  readonly looks: Map<Address, Address> = new Map();
  /** Values that belong to one resource. */
  readonly values: Map<string, Owned> = new Map();
  readonly formers: Map<Address, Owned> = new Map();
  /** Resources to delete, and resources that others name. */
  readonly going: Map<Address, Range> = new Map();
  readonly named: Map<Address, Range> = new Map();
  /** For resources that may be part of a cycle: what they name, and where. */
  readonly above: Map<Address, readonly Step[]> = new Map();
}

/** A reference from one resource to another. */
export interface Step {
  readonly to: Address;
  readonly range: Range;
}

export function placeOfIdentity(resource: Resource): Range {
  return placeOf(resource, resource.kind.identity);
}

/** Reports a problem of a field, or of one item of it. */
export type Report = (field: string, problem: Problem, item?: number) => void;

/** A former name must not be the present or former name of another resource. */
export function formerNames(
  { resource, isFirst }: Entry,
  { names, formers, named }: SeenEntries,
  report: Report,
): void {
  if (!isFirst) return;
  const { kind, address } = resource;
  const heir = formers.get(address);
  if (heir !== undefined) {
    const summary = `${nameOf(heir.owner)} is declared as the renamed resource`;
    report(kind.identity, formerProblem(summary, heir.at));
  }
  const former = formerName(resource);
  if (former === undefined) return;
  const before = addressNow(resource, former);
  const holder = names.get(before);
  const other = formers.get(before);
  if (holder !== undefined) {
    const summary =
      before === address ? 'this is its name already' : `\`${former}\` is declared: it was not renamed`;
    report(formerly, formerProblem(summary, placeOfIdentity(holder)));
  } else if (other !== undefined) {
    const summary = `\`${former}\` is the former name of ${nameOf(other.owner)} too`;
    report(formerly, formerProblem(summary, other.at, 'Remove one of the two.'));
  } else {
    formers.set(before, { owner: address, at: placeOf(resource, formerly) });
    const at = named.get(before);
    if (at !== undefined) report(formerly, renamedProblem(before, address, at));
  }
}

function formerProblem(summary: string, at: Range, detail = oneByOne): Problem {
  return { code: 'former-name', summary, detail: `See ${placeText(at)}. ${detail}` };
}

function renamedProblem(before: string, now: string, at: Range): Problem {
  const summary = `${before} is ${now} now, and is named as it was before`;
  return formerProblem(summary, at, 'Use the new name in references.');
}

const oneByOne =
  'Remove `formerly` once the rename is done. To swap two names, rename one of them to a third name first, and apply that.';

/** A resource to delete must not be named by a declared one; a renamed resource is named only by its new name. */
export function checkDeleteReferences(
  { resource }: Entry,
  { formers, going, named }: SeenEntries,
  report: Report,
): void {
  const { kind, address } = resource;
  if (isToBeDeleted(resource)) {
    const at = named.get(address);
    if (!going.has(address)) going.set(address, placeOf(resource, state));
    if (at !== undefined) report(kind.identity, goingProblem('it', at));
  }
  for (const declared of declaredNames(resource)) {
    const to = addressOfName(declared);
    if (to === undefined) continue;
    const { field, item } = declared;
    const heir = formers.get(to);
    if (heir !== undefined) report(field, renamedProblem(to, heir.owner, heir.at), item);
    const at = going.get(to);
    if (at !== undefined) report(field, goingProblem(to, at), item);
    else if (!named.has(to)) named.set(to, placeOf(resource, field, item));
  }
}

function goingProblem(what: string, at: Range): Problem {
  return {
    code: 'names-absent',
    summary: `${what} is declared absent, but is still referred to`,
    detail: `See ${placeText(at)}. Remove the reference, or keep the resource.`,
  };
}
