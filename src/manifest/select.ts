import { hash } from 'node:crypto';
import type { Address } from '../base/diagnostic.ts';
import { UsageError } from '../base/errors.ts';
import { literal } from '../base/pattern.ts';
import { didYouMean } from '../base/suggestion.ts';
import { kinds, listed } from '../kinds/all.ts';
import type { LoadedManifests } from './load-manifests.ts';

/** Which of the declared resources a run is about, as globs on addresses; what is excluded is not selected. */
export interface Selection {
  /** None: all. */
  readonly target: readonly string[];
  readonly exclude: readonly string[];
  readonly shard?: Shard;
}

/** A selection, and how many resources the manifests declare in all. */
export interface Scope extends Selection {
  readonly declared: number;
  /** Whether only what a change of the manifests adds or alters is selected. */
  readonly changed_only?: true;
}

/** One of several parts of the roll, which know nothing of each other. */
type Shard = {
  /** From 1 to `count`. */
  readonly index: number;
  readonly count: number;
};

/** Reads `1/8`. Throws a UsageError that says what it is called. */
export function shardIn(written: string, name: string): Shard {
  const [, index = 0, count = 0] = (/^(\d{1,4})\/(\d{1,4})$/.exec(written) ?? []).map(Number);
  if (index >= 1 && index <= count) return { index, count };
  throw new UsageError(
    `${name} cannot be ${JSON.stringify(written)}`,
    'Write it as I/N, such as 1/8: the first of eight. I goes from 1 to N.',
  );
}

/** Tells which resources are selected, by their addresses. */
export class Selector {
  readonly #selection: Selection;
  readonly #targets: readonly AddressGlob[];
  readonly #excludes: readonly AddressGlob[];

  constructor(selection: Selection) {
    this.#selection = selection;
    this.#targets = selection.target.map((glob) => new AddressGlob(glob));
    this.#excludes = selection.exclude.map((glob) => new AddressGlob(glob));
  }

  has(address: Address): boolean {
    // Every glob looks at every address, so that one that matches nothing is noticed.
    const wanted = matching(this.#targets, address) > 0 || this.#targets.length === 0;
    return matching(this.#excludes, address) === 0 && wanted && isIn(this.#selection.shard, address);
  }

  /** The globs that matched none of the addresses so far. */
  get unmatched(): string[] {
    return [...this.#targets, ...this.#excludes].filter(({ matched }) => !matched).map(({ glob }) => glob);
  }

  /**
   * The scope of a run that is about so many resources, once each that is declared was asked about; none where it is about all.
   * Throws a UsageError when the selection leaves nothing over, or names nothing.
   */
  scope(
    selected: number,
    { declared, addresses }: Pick<LoadedManifests, 'declared' | 'addresses'>,
    nameOf: (flag: 'target' | 'exclude') => string,
  ): Scope | undefined {
    const { target, exclude, shard } = this.#selection;
    if (target.length + exclude.length === 0 && shard === undefined) return undefined;
    const { unmatched } = this;
    if (unmatched.length > 0) {
      throw new UsageError(
        `no declared resource has an address like ${unmatched.join(' or ')}`,
        didYouMean(unmatched[0] ?? '', [...kinds.map(({ type }) => `${type}.*`), ...addresses]) ??
          `Addresses are ${addressForms}; * stands for any text, ? for one character.`,
      );
    }
    if (selected === 0 && shard === undefined) {
      throw new UsageError(
        `${nameOf('target')} and ${nameOf('exclude')} leave out every resource`,
        'Exclude less.',
      );
    }
    return { ...this.#selection, declared };
  }
}

const addressForms = listed(kinds.map(({ type, identity }) => `${type}.${identity.toUpperCase()}`));

/** The first six bytes of the SHA-256 of an address choose its shard: the same on every machine, in every release. */
function isIn(shard: Shard | undefined, address: Address): boolean {
  if (shard === undefined) return true;
  const sixBytes = Number.parseInt(hash('sha256', address).slice(0, 12), 16);
  return sixBytes % shard.count === shard.index - 1;
}

function matching(globs: readonly AddressGlob[], address: Address): number {
  return globs.filter((glob) => glob.matches(address)).length;
}

/** A pattern for addresses: `*` stands for any text, `?` for one character, everything else for itself. */
class AddressGlob {
  readonly glob: string;
  matched = false;
  readonly #pattern: RegExp;

  constructor(glob: string) {
    this.glob = glob;
    const pattern = glob.replace(/[*?]+|[^*?]+/g, (part) =>
      /^[*?]/.test(part)
        ? part.replace(/\*+/g, '*').replaceAll('?', '.').replaceAll('*', '.*')
        : literal(part),
    );
    this.#pattern = new RegExp(`^${pattern}$`, 'su');
  }

  matches(address: string): boolean {
    const matches = address === this.glob || this.#pattern.test(address);
    this.matched ||= matches;
    return matches;
  }
}
