import { createHash } from 'node:crypto';
import type { Address } from '../base/address.ts';
import { UsageError } from '../base/errors.ts';

/** Which of the declared resources a run is about, as globs on addresses; what is excluded is not selected. */
export interface Selection {
  /** None: all. */
  readonly target: readonly string[];
  readonly exclude: readonly string[];
  readonly shard?: Shard;
}

/** One of several parts of the roll, which know nothing of each other. */
export interface Shard {
  /** From 1 to `count`. */
  readonly index: number;
  readonly count: number;
}

/** Reads `1/8`. Throws a UsageError that says what it is called. */
export function shardIn(written: string, name: string): Shard {
  const [, index = 0, count = 0] = (/^(\d{1,4})\/(\d{1,4})$/.exec(written) ?? []).map(Number);
  if (index >= 1 && index <= count) return { index, count };
  throw new UsageError(
    `${name} cannot be ${JSON.stringify(written)}`,
    'Write it as I/N, such as 1/8: the first of eight. I goes from 1 to N.',
  );
}

export interface Selected<Item> {
  readonly items: readonly Item[];
  /** The globs that no item matches. */
  readonly unmatched: readonly string[];
}

/** Selects resources, or what else has an address, by their addresses. */
export function select<Item extends { readonly address: Address }>(
  items: readonly Item[],
  { target, exclude, shard }: Selection,
): Selected<Item> {
  const targets = target.map((glob) => new AddressGlob(glob));
  const excludes = exclude.map((glob) => new AddressGlob(glob));
  const selected = items.filter((item) => {
    // Every glob looks at every address, so that one that matches nothing is noticed.
    const wanted = matching(targets, item.address) > 0 || targets.length === 0;
    return matching(excludes, item.address) === 0 && wanted && isIn(shard, item.address);
  });
  const unmatched = [...targets, ...excludes].filter(({ matched }) => !matched).map(({ glob }) => glob);
  return { items: selected, unmatched };
}

/** The first six bytes of the SHA-256 of an address choose its shard: the same on every machine, in every release. */
function isIn(shard: Shard | undefined, address: Address): boolean {
  if (shard === undefined) return true;
  const hash = createHash('sha256').update(address).digest().readUIntBE(0, 6);
  return hash % shard.count === shard.index - 1;
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

function literal(text: string): string {
  return text.replace(/[\\^$.|+()[\]{}/]/g, String.raw`\$&`);
}
