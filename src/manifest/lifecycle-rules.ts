import type { Address, Problem } from '../base/diagnostic.ts';
import { shownPlace, type Range } from '../base/source.ts';
import { formerly, formerName, isToGo, state } from '../kinds/lifecycle.ts';
import { addressNamed, declaredNames } from '../kinds/named.ts';
import { addressOf, nameOf, placeOf, type Resource } from '../kinds/resource.ts';

/** A resource to check. */
export interface Entry {
  readonly resource: Resource;
  /** Where its address was declared first. */
  readonly first: Range;
  /** Whether that is this very entry. */
  readonly isFirst: boolean;
}

/** What a resource declared first, and where. */
interface Owned {
  readonly owner: Address;
  readonly at: Range;
}

/** What was met in all entries up to this one, and where it was met first. */
export class Met {
  readonly names: Map<Address, Range> = new Map();
  /** How names look that are not written as plainly as they can be; the others are among the names. */
  readonly looks: Map<Address, Address> = new Map();
  /** What belongs to one resource. */
  readonly values: Map<string, Owned> = new Map();
  /** What resources were called before. */
  readonly formers: Map<Address, Owned> = new Map();
  /** What is to be deleted, and what is named by others. */
  readonly going: Map<Address, Range> = new Map();
  readonly named: Map<Address, Range> = new Map();
  /** What resources name that may name them again, and where. */
  readonly above: Map<Address, readonly Step[]> = new Map();
}

/** From a resource to one that it names. */
export interface Step {
  readonly to: Address;
  readonly range: Range;
}

/** Takes what is wrong with a field of the resource, or with one item of it. */
export type Report = (field: string, problem: Problem, item?: number) => void;

/** What a resource was called before is the name of no other, now or before. */
export function formerNames(
  { resource, isFirst }: Entry,
  { names, formers, named }: Met,
  report: Report,
): void {
  if (!isFirst) return;
  const { kind, address } = resource;
  const heir = formers.get(address);
  if (heir !== undefined) {
    const summary = `${nameOf(heir.owner)} is declared as what this was renamed to`;
    report(kind.identity, formerProblem(summary, heir.at));
  }
  const former = formerName(resource);
  if (former === undefined) return;
  const before = addressOf(kind.type, former);
  const holder = names.get(before);
  const other = formers.get(before);
  if (holder !== undefined) {
    const summary =
      before === address ? 'this is its name already' : `\`${former}\` is declared: it was not renamed`;
    report(formerly, formerProblem(summary, holder));
  } else if (other !== undefined) {
    const summary = `\`${former}\` is what ${nameOf(other.owner)} was called before`;
    report(formerly, formerProblem(summary, other.at, 'One of the two is.'));
  } else {
    formers.set(before, { owner: address, at: placeOf(resource, formerly) });
    const at = named.get(before);
    if (at !== undefined) report(formerly, renamedProblem(before, address, at));
  }
}

function formerProblem(summary: string, at: Range, detail = oneByOne): Problem {
  return { code: 'former-name', summary, detail: `See ${shownPlace(at)}. ${detail}` };
}

function renamedProblem(before: string, now: string, at: Range): Problem {
  const summary = `${before} is ${now} now, and is named as it was before`;
  return formerProblem(summary, at, 'Where it is named, write the new name.');
}

const oneByOne =
  'Remove `formerly` where it has done its work. Names that change places take two steps: give one of them a third name first, and apply that.';

/** What is to be deleted is named by nothing that is declared, and what is renamed by its new name alone. */
export function namesGoing({ resource }: Entry, { formers, going, named }: Met, report: Report): void {
  const { kind, address } = resource;
  if (isToGo(resource)) {
    const at = named.get(address);
    if (!going.has(address)) going.set(address, placeOf(resource, state));
    if (at !== undefined) report(kind.identity, goingProblem('it', at));
  }
  for (const declared of declaredNames(resource)) {
    const to = addressNamed(declared);
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
    summary: `${what} is to be absent, and is named all the same`,
    detail: `See ${shownPlace(at)}. Take its name out there, or let it stay.`,
  };
}
