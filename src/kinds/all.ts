import { application } from './application.ts';
import { canBeRead, type Kind } from './kind.ts';
import { user } from './user.ts';

/** `application`, `user`, …: the name of a kind. */
export type ResourceType = (typeof application)['type'] | (typeof user)['type'];

/** All kinds, in the order in which their resources are planned and created. */
export const kinds: readonly Kind<ResourceType>[] = [application, user];

export function isResourceType(type: string): type is ResourceType {
  return kinds.some((kind) => kind.type === type);
}

/** The kind with this name. */
export function kindOf(type: ResourceType): Kind<ResourceType> {
  const kind = kinds.find((candidate) => candidate.type === type);
  if (kind === undefined) throw new Error(`there is no kind ${type}`);
  return kind;
}

/** The kind that a place in a manifest is about, by the keys and indexes that lead there from the root. */
export function kindAt([list, type]: readonly (string | number)[]): Kind<ResourceType> | undefined {
  return kinds.find((kind) => kind.list === list || (list === 'defaults' && kind.type === type));
}

/** Words in a sentence: `applications and users`. Intl would do it, and takes most of the start of a small command to load. */
export function listed(words: readonly string[]): string {
  const [last = '', ...before] = words.toReversed();
  if (before.length === 0) return last;
  return `${before.toReversed().join(', ')}${before.length > 1 ? ',' : ''} and ${last}`;
}

const readable = kinds.filter((kind) => canBeRead(kind));
const unreadable = kinds.filter((kind) => !canBeRead(kind));

const listsOf = (some: readonly Kind[]): string => listed(some.map(({ list }) => list));

interface KindWords {
  readonly all: string;
  /** Those that can be looked up. */
  readonly readable: string;
  /** Any of them: `No application is declared`. */
  readonly oneReadable: string;
  readonly unreadable: string;
}

/** The kinds, in a sentence. */
export const kindWords: KindWords = {
  all: listsOf(kinds),
  readable: listsOf(readable),
  oneReadable: readable.map(({ type }) => type).join(' or '),
  unreadable: listsOf(unreadable),
};
