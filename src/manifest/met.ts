import type { Address } from '../base/diagnostic.ts';
import type { Range } from '../base/source.ts';
import type { Resource } from '../kinds/resource.ts';
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
