import type { KindName } from '../../src/sandbox/all.ts';

/** What the service holds of something that is declared, each value in one form. */
export interface Version {
  readonly pk: string;
  /** Of each declared field the part that is declared. */
  readonly fields: Values;
  /** What stands beside that, in the declared fields and in all others. */
  readonly beside: Values;
}

/** What is declared, or created by others. */
export interface Identity {
  readonly type: string;
  readonly name: string;
}

/** By field, each value in one form. */
export type Values = Readonly<Record<string, string>>;

export interface DeclaredIdentity extends Identity {
  /** Whether the service refuses its fields, whatever happens. */
  readonly invalid: boolean;
  /** Whether the token of the first runs may not see it. */
  readonly hidden: boolean;
  /** Whether it names what the service does not have. */
  readonly stray?: boolean;
  /** It is to be absent: by mistake, where it is of another type than the one that is declared. */
  readonly absent?: 'declared' | 'other type';
  /** What it was called before. */
  readonly formerly?: string;
  /** What the sandbox calls its kind, where that is not its type. */
  readonly model?: KindName;
  /** Of a kind that nobody wrote for here: which of its fields names one, which one is left out by half, and whether names are unique. */
  readonly field?: string;
  /** Where the releases list them, below the base URL. */
  readonly paths?: readonly string[];
  readonly partial?: string;
  readonly sentAlong?: readonly string[];
  /** Under which names earlier releases have some fields: they are sent as well. */
  readonly formerFields?: Readonly<Record<string, string>>;
  /** Whether the service shows others of its list under its path. */
  readonly isBase?: boolean;
  readonly isUnique?: boolean;
  /** The declared record within which its name counts. */
  readonly within?: Identity;
  /** It belongs to a circle, and is created by several requests: a reference, or bindings, follow the create. */
  readonly isInParts?: true;
  /** Where the service lists what is bound to it. */
  readonly boundAt?: string;
  /** It belongs to a world of access: it takes several writes, or is renamed or deleted. */
  readonly isOfAccess?: true;
}

export function addressOf({ type, name }: Identity): string {
  return `${type}.${name}`;
}

export function isSame(a: Identity, b: Identity): boolean {
  return a.type === b.type && a.name === b.name;
}

/** Whether the service may hold two of this name. */
export function mayBeDoubled({ type, isUnique = type !== 'group' }: DeclaredIdentity): boolean {
  return !isUnique;
}

/** Whether it is of a kind that nobody wrote for here. */
export function isDrawn({ isUnique }: DeclaredIdentity): boolean {
  return isUnique !== undefined;
}
