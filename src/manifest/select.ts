import { createHash } from 'node:crypto';
import type { Address } from '../base/address.ts';
import { UsageError } from '../base/errors.ts';
import { didYouMean } from '../base/suggestion.ts';
import { kinds, listed } from '../kinds/all.ts';
import type { Resource } from '../kinds/resource.ts';
import type { Since } from './since.ts';

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

/** The resources that a run is about. */
export interface Scoped {
  readonly resources: readonly Resource[];
  /** None: all that are declared. */
  readonly scope?: Scope;
  /** All that the manifests declare. */
  readonly declared: readonly Resource[];
  /** What became of them since a revision, where that is known. */
  readonly since?: Since;
}

/** The same, with what became of them since a revision; or those of them alone that became something else. */
export function scopedSince(
  scoped: Scoped,
  selection: Selection,
  since: Since,
  changedOnly: boolean,
): Scoped {
  const { resources, declared, scope = { ...selection, declared: declared.length } } = scoped;
  const { revision, alterations } = since;
  const noLongerDeclared = select(revision.noLongerDeclared, selection).items;
  const ofRun = { alterations, revision: { ...revision, noLongerDeclared } };
  if (!changedOnly) return { ...scoped, since: ofRun };
  return {
    resources: resources.filter(({ address }) => alterations.get(address)?.kind !== 'same'),
    declared,
    scope: { ...scope, changed_only: true },
    since: ofRun,
  };
}

const addressForms = listed(kinds.map(({ type, identity }) => `${type}.${identity.toUpperCase()}`));

/** The resources that a run is about. Throws a UsageError when the selection leaves nothing over, or names nothing. */
export function selected(
  declared: readonly Resource[],
  selection: Selection,
  nameOf: (flag: 'target' | 'exclude') => string,
): Scoped {
  const { target, exclude, shard } = selection;
  if (target.length + exclude.length === 0 && shard === undefined) return { resources: declared, declared };
  const { items: resources, unmatched } = select(declared, selection);
  if (unmatched.length > 0) {
    throw new UsageError(
      `no declared resource has an address like ${unmatched.join(' or ')}`,
      didYouMean(unmatched[0] ?? '', [
        ...kinds.map(({ type }) => `${type}.*`),
        ...declared.map(({ address }) => address),
      ]) ?? `Addresses are ${addressForms}; * stands for any text, ? for one character.`,
    );
  }
  if (resources.length === 0 && shard === undefined) {
    throw new UsageError(
      `${nameOf('target')} and ${nameOf('exclude')} leave out every resource`,
      'Exclude less.',
    );
  }
  return { resources, declared, scope: { ...selection, declared: declared.length } };
}

interface Selected<Item> {
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
  const wantedItems = items.filter((item) => {
    // Every glob looks at every address, so that one that matches nothing is noticed.
    const wanted = matching(targets, item.address) > 0 || targets.length === 0;
    return matching(excludes, item.address) === 0 && wanted && isIn(shard, item.address);
  });
  const unmatched = [...targets, ...excludes].filter(({ matched }) => !matched).map(({ glob }) => glob);
  return { items: wantedItems, unmatched };
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
