import type { Address, Problem } from '../base/diagnostic.ts';
import { shownPlace, type Range } from '../base/source.ts';
import { formerly, formerName, isToGo, state } from '../kinds/lifecycle.ts';
import { addressNamed, declaredNames } from '../kinds/named.ts';
import { addressOf, nameOf, placeOf, type Resource } from '../kinds/resource.ts';
import { FirstPlaces } from './first-places.ts';

/** A resource to check, and where its address was met first. */
export interface Entry {
  readonly resource: Resource;
  /** Its record among the names. */
  readonly first: number;
  /** Whether that is this very entry. */
  readonly isFirst: boolean;
}

/** What was met in all entries up to this one. None of them is kept: there may be millions. */
export class Met {
  readonly names: FirstPlaces<Address> = new FirstPlaces();
  /** How names look that are not written as plainly as they can be; the others are among the names. */
  readonly looks: FirstPlaces = new FirstPlaces();
  /** What belongs to one resource. */
  readonly values: FirstPlaces = new FirstPlaces();
  /** What resources were called before. */
  readonly formers: FirstPlaces<Address> = new FirstPlaces();
  /** What is to be deleted, and what is named by others. */
  readonly going: FirstPlaces<Address> = new FirstPlaces();
  readonly named: FirstPlaces<Address> = new FirstPlaces();
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
  { resource, first, isFirst }: Entry,
  { names, formers, named }: Met,
  report: Report,
): void {
  if (!isFirst) return;
  const { kind, address } = resource;
  const ownerOf = (record: number): string => nameOf(names.textOf(formers.ownerOf(record)));
  const heir = formers.find(address);
  if (heir !== undefined) {
    const summary = `${ownerOf(heir)} is declared as what this was renamed to`;
    report(kind.identity, formerProblem(summary, formers.placeOf(heir)));
  }
  const former = formerName(resource);
  if (former === undefined) return;
  const before = addressOf(kind.type, former);
  const holder = names.find(before);
  const other = formers.find(before);
  if (holder !== undefined) {
    const summary =
      before === address ? 'this is its name already' : `\`${former}\` is declared: it was not renamed`;
    report(formerly, formerProblem(summary, names.placeOf(holder)));
  } else if (other !== undefined) {
    const summary = `\`${former}\` is what ${ownerOf(other)} was called before`;
    report(formerly, formerProblem(summary, formers.placeOf(other), 'One of the two is.'));
  } else {
    formers.add(before, placeOf(resource, formerly), first);
    const at = named.find(before);
    if (at !== undefined) report(formerly, renamedProblem(before, address, named.placeOf(at)));
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
export function namesGoing(
  { resource, first }: Entry,
  { names, formers, going, named }: Met,
  report: Report,
): void {
  const { kind, address } = resource;
  if (isToGo(resource)) {
    const at = named.find(address);
    if (!going.has(address)) going.add(address, placeOf(resource, state), first);
    if (at !== undefined) report(kind.identity, goingProblem('it', named.placeOf(at)));
  }
  for (const declared of declaredNames(resource)) {
    const to = addressNamed(declared);
    if (to === undefined) continue;
    const { field, item } = declared;
    const heir = formers.find(to);
    if (heir !== undefined) {
      const now = names.textOf(formers.ownerOf(heir));
      report(field, renamedProblem(to, now, formers.placeOf(heir)), item);
    }
    const at = going.find(to);
    if (at !== undefined) report(field, goingProblem(to, going.placeOf(at)), item);
    else if (!named.has(to)) named.add(to, placeOf(resource, field, item), first);
  }
}

function goingProblem(what: string, at: Range): Problem {
  return {
    code: 'names-absent',
    summary: `${what} is to be absent, and is named all the same`,
    detail: `See ${shownPlace(at)}. Take its name out there, or let it stay.`,
  };
}
