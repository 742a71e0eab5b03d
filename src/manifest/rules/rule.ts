import type { Address, Diagnostic } from '../../base/diagnostic.ts';
import type { Resource } from '../../kinds/resource.ts';
import type { FirstPlaces } from '../first-places.ts';

/** A resource to check, and where its address was met first. */
interface Entry {
  readonly resource: Resource;
  /** Its record among the names. */
  readonly first: number;
  /** Whether that is this very entry. */
  readonly isFirst: boolean;
}

/**
 * Something that holds over all files, and that no schema can say. It is told every entry that has a name, one after the other,
 * and keeps none of them: there may be millions. `names` has the addresses up to this one. It may name any resource.
 */
export type Rule = (names: FirstPlaces<Address>) => (entry: Entry) => Iterable<Diagnostic>;
