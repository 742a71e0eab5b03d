import type { WrittenType } from '../../src/sandbox/all.ts';

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
  readonly model?: WrittenType;
  /** It belongs to a world of access: it takes several writes, or is renamed or deleted. */
  readonly isOfAccess?: true;
}

export function addressOf({ type, name }: Identity): string {
  return `${type}.${name}`;
}

export function isSame(a: Identity, b: Identity): boolean {
  return a.type === b.type && a.name === b.name;
}
