import { application } from './application.ts';
import { group } from './group.ts';
import type { Access, Kind, ReadKind } from './kind.ts';
import { provider } from './provider.ts';
import { role } from './role.ts';
import { user } from './user.ts';

/** All kinds of records. Those that manifests declare stand in the order in which their resources are planned and created. */
const all: readonly [typeof group, typeof application, typeof user, typeof provider, typeof role] = [
  group,
  application,
  user,
  provider,
  role,
];

/** `application`, `user`, …: the name of a kind that manifests declare. */
export type ResourceType = Extract<(typeof all)[number], { readonly creates: true }>['type'];

export const allKinds: readonly (Kind<ResourceType> | ReadKind)[] = all;

/** The kinds that manifests declare. */
export const kinds: readonly Kind<ResourceType>[] = all.filter((kind) => kind.creates);

/** The kinds of which no documented operation reads a record: rollcall does without where it has to. */
export const readBeyond: readonly (Kind | ReadKind | Access)[] = [
  ...all.filter((kind) => !kind.creates || !kind.lookUp.isDocumented),
  ...accesses(),
];

/** What says who may open the records of some kinds. */
export function accesses(): readonly Access[] {
  return kinds.flatMap(({ access }) => access ?? []);
}

/** The kinds that are created with nothing but the documented operations: of the others, each is looked for first. */
export const createdUnseen: readonly Kind<ResourceType>[] = kinds.filter(({ listing }) => listing.isUnique);

/** Whether the service may take a second one of the same name, in some release. */
export function canDouble(type: string): boolean {
  return kinds.some((kind) => kind.type === type && !kind.listing.isUnique);
}

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

/** The words for several of these kinds, in a sentence and in the order of the kinds: `applications and users`. */
export function listsOf(some: Iterable<Kind>): string {
  const these = new Set<Kind>(some);
  return listed(kinds.filter((kind) => these.has(kind)).map(({ list }) => list));
}
