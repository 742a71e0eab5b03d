import { hash } from 'node:crypto';
import type { Address } from '../base/diagnostic.ts';
import { UsageError } from '../base/errors.ts';
import { escapeRegExp } from '../base/pattern.ts';
import { didYouMean } from '../base/suggestion.ts';
import { kindsOf, defaultKinds, joinWords, resourceTypes } from '../kinds/all.ts';
import { typeOf } from '../kinds/resource.ts';
import type { LoadedManifests } from './load-manifests.ts';

/** Selects resources by globs on their addresses; `exclude` overrides `target`. */
export interface Selection {
  /** An empty list selects all resources. */
  readonly target: readonly string[];
  readonly exclude: readonly string[];
  readonly shard?: Shard;
}

export interface Scope extends Selection {
  readonly declared: number;
  readonly changed_only?: true;
  /** Resources that were added because selected resources refer to them. */
  readonly along?: readonly Address[];
}

/** A part of the resources that is applied independently: number `index` (from 1) of `count` parts. */
type Shard = {
  readonly index: number;
  readonly count: number;
};

/** Parses a shard such as `1/8`, or throws a UsageError that contains `name`. */
export function parseShard(written: string, name: string): Shard {
  const [, index = 0, count = 0] = (/^(\d{1,4})\/(\d{1,4})$/.exec(written) ?? []).map(Number);
  if (index >= 1 && index <= count) return { index, count };
  throw new UsageError(
    `${name} cannot be ${JSON.stringify(written)}`,
    'Write I/N, such as 1/8 for the first of eight parts. I is a number from 1 to N.',
  );
}

/** A pattern for addresses: `*` matches any text, `?` one character. */
interface Glob {
  readonly flag: 'target' | 'exclude';
  readonly glob: string;
  readonly pattern: RegExp;
  isMatched: boolean;
}

function parseGlob(flag: Glob['flag'], glob: string): Glob {
  const pattern = escapeRegExp(glob)
    .replace(/(?:\\\*)+/g, '.*')
    .replaceAll(String.raw`\?`, '.');
  return { flag, glob, pattern: new RegExp(`^${pattern}$`, 'su'), isMatched: false };
}

export class Selector {
  readonly #selection: Selection;
  readonly #globs: readonly Glob[];

  constructor(selection: Selection) {
    this.#selection = selection;
    this.#globs = [
      ...selection.target.map((glob) => parseGlob('target', glob)),
      ...selection.exclude.map((glob) => parseGlob('exclude', glob)),
    ];
  }

  has(address: Address): boolean {
    let isWanted = this.#selection.target.length === 0;
    let isExcluded = false;
    // Every glob is tested, even after a match, so that globs that match nothing can be reported.
    for (const glob of this.#globs) {
      if (!glob.pattern.test(address)) continue;
      glob.isMatched = true;
      if (glob.flag === 'target') isWanted = true;
      else isExcluded = true;
    }
    return isWanted && !isExcluded && isInShard(this.#selection.shard, address);
  }

  mayContainType(type: string): boolean {
    const start = `${type}.`;
    const { target } = this.#selection;
    const isWanted = target.some((glob) => {
      const [fixed = ''] = glob.split(/[*?]/, 1);
      return fixed.startsWith(start) || start.startsWith(fixed);
    });
    return (target.length === 0 || isWanted) && !this.excludesType(type);
  }

  excludesType(type: string): boolean {
    return this.#selection.exclude.includes(`${type}.*`);
  }

  excludes(address: Address): boolean {
    return this.#globs.some(({ flag, pattern }) => flag === 'exclude' && pattern.test(address));
  }

  get unmatched(): string[] {
    return this.#globs.filter(({ isMatched }) => !isMatched).map(({ glob }) => glob);
  }

  /** Throws a UsageError if nothing is selected or a glob matches nothing; `has` must have been called for every resource. */
  scope(
    selected: number,
    { declared, addresses }: Pick<Scope, 'declared'> & Pick<LoadedManifests, 'addresses'>,
    nameOf: (flag: 'target' | 'exclude') => string,
  ): Scope | undefined {
    const { target, exclude, shard } = this.#selection;
    if (target.length + exclude.length === 0 && shard === undefined) return undefined;
    const { unmatched } = this;
    if (unmatched.length > 0)
      throw new UsageError(
        `no declared resource has an address like ${unmatched.join(' or ')}`,
        didYouMean(unmatched[0] ?? '', [...resourceTypes.map((type) => `${type}.*`), ...addresses]) ??
          `Addresses have forms such as ${addressForms}. * matches any characters, ? matches one.`,
      );
    if (selected === 0 && shard === undefined)
      throw new UsageError(
        `${nameOf('target')} and ${nameOf('exclude')} leave out every resource`,
        'Exclude less.',
      );
    return { ...this.#selection, declared };
  }
}

const addressForms = joinWords([
  ...new Set(defaultKinds.map(({ type, identity }) => `${type}.${identity.toUpperCase()}`)),
]);

/**
 * Whether a resource is in a shard. The first six bytes of the address's SHA-256 determine the shard, on every machine and in
 * every release. Only applications and users are divided; the first shard has all other kinds, because these refer to each other.
 */
function isInShard(shard: Shard | undefined, address: Address): boolean {
  if (shard === undefined) return true;
  if (!kindsOf(typeOf(address)).every((kind) => kind.isCreateDocumented)) return shard.index === 1;
  const sixBytes = Number.parseInt(hash('sha256', address).slice(0, 12), 16);
  return sixBytes % shard.count === shard.index - 1;
}
