import type { Address, Diagnostic } from '../base/diagnostic.ts';
import type { Release } from '../kinds/release.ts';
import { placeOf } from '../kinds/resource.ts';
import type { Declared } from './desired.ts';
import { FirstPlaces } from './first-places.ts';
import { belongsToOne } from './rules/belongs-to-one.ts';
import { duplicateResource } from './rules/duplicate-resource.ts';
import { fieldChecks } from './rules/field-checks.ts';
import { repeatedId } from './rules/repeated-id.ts';
import type { Rule } from './rules/rule.ts';
import { hasSensitiveName, sensitiveName } from './rules/sensitive-name.ts';
import { similarName } from './rules/similar-name.ts';

const rulesOfNamed: readonly Rule[] = [duplicateResource, belongsToOne, repeatedId, similarName];

/** Checks what holds over all files, file by file. */
export class Rules {
  /** The addresses of all entries that have a name which may be told. */
  readonly names: FirstPlaces<Address> = new FirstPlaces();
  readonly #ofNamed = rulesOfNamed.map((rule) => rule(this.names));
  readonly #release: Release | undefined;

  /** The release of the service, where it is known. */
  constructor(release?: Release) {
    this.#release = release;
  }

  /** Checks the entries of a file: those that have a name for what they say together, and all for what each field says. */
  *check({ named, mappings }: Pick<Declared, 'named' | 'mappings'>): Iterable<Diagnostic> {
    yield* sensitiveName(named);
    for (const resource of named) {
      // The other rules name resources, so they see none whose name is a secret.
      if (hasSensitiveName(resource)) continue;
      const { address, kind } = resource;
      const known = this.names.find(address);
      const first = known ?? this.names.add(address, placeOf(resource, kind.identity));
      for (const rule of this.#ofNamed) yield* rule({ resource, first, isFirst: known === undefined });
    }
    for (const resource of mappings) yield* fieldChecks(resource, this.#release);
  }
}
