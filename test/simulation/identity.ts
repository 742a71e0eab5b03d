import type { KindName } from '../../src/sandbox/all.ts';

/** The service's record of a declared resource, in normalized form. */
export interface Version {
  readonly pk: string;
  /** The declared part of each declared field. */
  readonly fields: Values;
  /** The rest of the declared fields, and all other fields. */
  readonly beside: Values;
}

/** A declared resource, or one created by others. */
export interface Identity {
  readonly type: string;
  readonly name: string;
}

/** By field, in normalized form. */
export type Values = Readonly<Record<string, string>>;

export interface DeclaredIdentity extends Identity {
  /** Whether the service always refuses its fields. */
  readonly invalid: boolean;
  /** Whether the token of the first runs may not view it. */
  readonly hidden: boolean;
  /** Whether it refers to a missing record. */
  readonly stray?: boolean;
  /** It is declared absent; a record of another type with its name is a mistake. */
  readonly absent?: 'declared' | 'other type';
  /** Its former name. */
  readonly formerly?: string;
  /** The sandbox's name of its kind, if that is not its type. */
  readonly model?: KindName;
  /** For a kind without a hand-written model: the field of its name, the field that a create in part leaves out, and whether names are unique. */
  readonly field?: string;
  /** The paths of its list in the releases, below the base URL. */
  readonly paths?: readonly string[];
  readonly partial?: string;
  readonly sentAlong?: readonly string[];
  /** The former names of some fields, which are sent too. */
  readonly formerFields?: Readonly<Record<string, string>>;
  /** Whether the service shows records of other types under its path. */
  readonly isBase?: boolean;
  readonly isUnique?: boolean;
  /** The declared parent in which its name is unique. */
  readonly within?: Identity;
  /** It belongs to a circle, and is created by several requests: a reference, or bindings, follow the create. */
  readonly isInParts?: true;
  /** Where the service lists what is bound to it. */
  readonly boundAt?: string;
  /** It belongs to a world of access: it has several writes, or is renamed or deleted. */
  readonly isOfAccess?: true;
}

export function addressOf({ type, name }: Identity): string {
  return `${type}.${name}`;
}

export function isSame(a: Identity, b: Identity): boolean {
  return a.type === b.type && a.name === b.name;
}

/** Whether the service may have two records of this name. */
export function mayBeDoubled({ type, isUnique = type !== 'group' }: DeclaredIdentity): boolean {
  return !isUnique;
}

/** Whether its kind has no hand-written model. */
export function isDrawn({ isUnique }: DeclaredIdentity): boolean {
  return isUnique !== undefined;
}
