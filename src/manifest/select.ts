import { hash } from 'node:crypto';
import type { Address } from '../base/diagnostic.ts';
import { UsageError } from '../base/errors.ts';
import { escapeRegExp } from '../base/pattern.ts';
import { didYouMean } from '../base/suggestion.ts';
import { isInFirstShard, defaultKinds, listed, resourceTypes } from '../kinds/all.ts';
import { typeOf } from '../kinds/resource.ts';
import type { LoadedManifests } from './load-manifests.ts';

/** The resources that a run selects, as globs on addresses; exclusion wins. */
export interface Selection {
  /** Empty: all. */
  readonly target: readonly string[];
  readonly exclude: readonly string[];
  readonly shard?: Shard;
}

/** A selection, and the number of all declared resources. */
export interface Scope extends Selection {
  readonly declared: number;
  /** Whether only entries that changed since the baseline are selected. */
  readonly changed_only?: true;
  /** Resources that are not selected but included, because selected ones name them. */
  readonly along?: readonly Address[];
}

/** One of several parts that are applied independently. */
type Shard = {
  readonly index: number;
  readonly count: number;
};

/** Parses `1/8`. Throws a UsageError with the given name. */
export function shardIn(written: string, name: string): Shard {
  const [, index = 0, count = 0] = (/^(\d{1,4})\/(\d{1,4})$/.exec(written) ?? []).map(Number);
  if (index >= 1 && index <= count) return { index, count };
  throw new UsageError(
    `${name} cannot be ${JSON.stringify(written)}`,
    'Write it as I/N, such as 1/8: the first of eight. I goes from 1 to N.',
  );
}

/** A pattern for addresses: `*` matches any text, `?` one character. */
interface Glob {
  readonly flag: 'target' | 'exclude';
  readonly glob: string;
  readonly pattern: RegExp;
  isMatched: boolean;
}

function globOf(flag: Glob['flag'], glob: string): Glob {
  const pattern = glob.replace(/[*?]+|[^*?]+/g, (part) =>
    /^[*?]/.test(part)
      ? part.replace(/\*+/g, '*').replaceAll('?', '.').replaceAll('*', '.*')
      : escapeRegExp(part),
  );
  return { flag, glob, pattern: new RegExp(`^${pattern}$`, 'su'), isMatched: false };
}

export class Selector {
  readonly #selection: Selection;
  readonly #globs: readonly Glob[];

  constructor(selection: Selection) {
    this.#selection = selection;
    this.#globs = [
      ...selection.target.map((glob) => globOf('target', glob)),
      ...selection.exclude.map((glob) => globOf('exclude', glob)),
    ];
  }

  has(address: Address): boolean {
    let isWanted = this.#selection.target.length === 0;
    let isExcluded = false;
    // Every glob is tried with every address, so that a glob without a match is noticed.
    for (const one of this.#globs) {
      if (address !== one.glob && !one.pattern.test(address)) continue;
      one.isMatched = true;
      if (one.flag === 'target') isWanted = true;
      else isExcluded = true;
    }
    return isWanted && !isExcluded && isIn(this.#selection.shard, address);
  }

  reaches(type: string): boolean {
    const start = `${type}.`;
    const { target } = this.#selection;
    const isWanted = target.some((glob) => {
      const [fixed = ''] = glob.split(/[*?]/, 1);
      return fixed.startsWith(start) || start.startsWith(fixed);
    });
    return (target.length === 0 || isWanted) && !this.leavesOutAll(type);
  }

  leavesOutAll(type: string): boolean {
    return this.#selection.exclude.includes(`${type}.*`);
  }

  excludes(address: Address): boolean {
    return this.#globs.some(
      ({ flag, glob, pattern }) => flag === 'exclude' && (address === glob || pattern.test(address)),
    );
  }

  /** The globs without a match so far. */
  get unmatched(): string[] {
    return this.#globs.filter(({ isMatched }) => !isMatched).map(({ glob }) => glob);
  }

  /**
   * The scope of a run, once every declared resource was asked about; undefined if all are selected. Throws a UsageError if nothing
   * is selected, or a glob matches nothing.
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
        didYouMean(unmatched[0] ?? '', [...resourceTypes.map((type) => `${type}.*`), ...addresses]) ??
          `Addresses are ${addressForms}; * matches any text, ? one character.`,
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

const addressForms = listed([
  ...new Set(defaultKinds.map(({ type, identity }) => `${type}.${identity.toUpperCase()}`)),
]);

/**
 * The first six bytes of the SHA-256 of an address choose its shard: the same on every machine, in every release. Kinds that the
 * service would create twice are in the first shard, so that no two shards create one at once.
 */
function isIn(shard: Shard | undefined, address: Address): boolean {
  if (shard === undefined) return true;
  if (isInFirstShard(typeOf(address))) return shard.index === 1;
  const sixBytes = Number.parseInt(hash('sha256', address).slice(0, 12), 16);
  return sixBytes % shard.count === shard.index - 1;
}
