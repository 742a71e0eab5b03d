import { kinds, resourceTypes } from '../../kinds/all.ts';
import { typeOf } from '../../kinds/resource.ts';
import type { Undeclared } from '../../observe/undeclared.ts';
import { inline } from '../printable.ts';

const mostNamed = 20;

/** What the service holds and no manifest declares, as every format shows it. All texts are safe to print. */
export interface UndeclaredView {
  /** How much there is, and what was not read. */
  readonly head: readonly string[];
  /** The first of each type. */
  readonly lists: readonly { readonly count: string; readonly lines: readonly string[] }[];
  /** How to have all of them; none where there are none. */
  readonly hint: readonly string[];
}

export function undeclaredView({ found, gaps }: Undeclared): UndeclaredView {
  const lists = resourceTypes.flatMap((type) => {
    const all = found.filter(({ address }) => typeOf(address) === type);
    const more = all.length - mostNamed;
    const list = kinds.find((kind) => kind.type === type)?.list ?? type;
    const lines = [
      ...all.slice(0, mostNamed).map(({ address, pk }) => inline(`${address} (pk ${pk})`)),
      ...(more > 0 ? [`and ${more} more of type ${type}`] : []),
    ];
    return all.length === 0 ? [] : { count: `${all.length} ${all.length === 1 ? type : list}`, lines };
  });
  const missing = gaps.map(({ summary, detail }) =>
    inline(`Not all was read: ${summary}. ${detail.replaceAll('\n', ' ')}`),
  );
  return {
    head: [headline(found.length, gaps.length === 0), ...missing],
    lists,
    hint:
      found.length > 0
        ? ['`rollcall export --missing-from MANIFESTS` writes what declares them; --list names them all.']
        : [],
  };
}

function headline(count: number, isWhole: boolean): string {
  if (count > 0)
    return `${count} that the service holds and no manifest declares, left as ${count === 1 ? 'it is' : 'they are'}:`;
  return isWhole
    ? 'All that this token sees in the service is declared.'
    : 'Of what could be read, all is declared.';
}

/** The lines of a text. Where there is no room, the last of the rest are cut off. */
export interface UndeclaredLines {
  /** How much there is, and what was not read. */
  readonly first: readonly string[];
  readonly rest: readonly string[];
}

export function undeclaredLines({ head, lists, hint }: UndeclaredView): UndeclaredLines {
  const [headWords = '', ...missing] = head;
  return {
    first: [headWords, ...missing.map((line) => `  ${line}`)],
    rest: [...lists.flatMap(({ lines }) => lines), ...hint].map((line) => `  ${line}`),
  };
}
