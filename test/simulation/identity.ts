/** The service's record of a declared resource, in normalized form. */
export interface Version {
  readonly pk: string;
  /** The declared fields. Only the declared part of each value is included. */
  readonly fields: Values;
  /** All other fields, and the undeclared part of declared fields. */
  readonly undeclared: Values;
}

/** A declared resource, or one that another client creates. */
export interface Identity {
  readonly type: string;
  readonly name: string;
}

/** Values by field, in normalized form. */
export type Values = Readonly<Record<string, string>>;

export interface DeclaredIdentity extends Identity {
  /** Whether the service always refuses its fields. */
  readonly invalid: boolean;
  /** Whether the token of the first runs cannot see it. */
  readonly hidden: boolean;
  /** Whether it refers to a missing record. */
  readonly stray?: boolean;
  /** `declared`: it is declared absent. `other type`: another type has a record with its name, which must not be changed. */
  readonly absent?: 'declared' | 'other type';
  readonly formerly?: string;
  /** The sandbox's name for its kind, if that differs from its type. */
  readonly model?: string;
  /** For a kind without hand-written code: the field with the name, the field that a create in part leaves out, and whether names are unique. */
  readonly field?: string;
  /** The paths of its list below the base URL, by release. */
  readonly paths?: readonly string[];
  readonly partial?: string;
  readonly sentAlong?: readonly string[];
  /** The former names of some fields. Requests contain these too. */
  readonly formerFields?: Readonly<Record<string, string>>;
  /** Whether its list also contains records of other types. */
  readonly isBase?: boolean;
  readonly isUnique?: boolean;
  /** The declared parent within which its name is unique. */
  readonly within?: Identity;
  /** Whether it belongs to a circle. Several requests create it: after the create, a reference or bindings are added. */
  readonly isInParts?: true;
  /** The path at which the service lists what is bound to it. */
  readonly boundAt?: string;
  /** Whether it belongs to a world of access: it needs several writes, or is renamed or deleted. */
  readonly isOfAccess?: true;
}

export function addressOf({ type, name }: Identity): string {
  return `${type}.${name}`;
}

export function isSame(a: Identity, b: Identity): boolean {
  return a.type === b.type && a.name === b.name;
}

/** Whether the service accepts two records with this name. */
export function mayBeDoubled({ type, isUnique = type !== 'group' }: DeclaredIdentity): boolean {
  return !isUnique;
}

/** Whether it is a record of a random kind. */
export function isOfRandomKind({ isUnique }: DeclaredIdentity): boolean {
  return isUnique !== undefined;
}
