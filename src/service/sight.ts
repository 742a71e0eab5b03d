import type { Kind } from '../kinds/kind.ts';
import type { Unreadable } from './types.ts';

/** Which kinds can be looked up, as far as is known. */
export class Sight {
  readonly #contractOnly: boolean;
  readonly #shown = new Set<Kind>();
  readonly #unreadable = new Map<Kind, Unreadable>();
  /** Whether the service refuses the token itself. */
  isTokenRefused = false;

  constructor(contractOnly: boolean) {
    this.#contractOnly = contractOnly;
  }

  canRead(kind: Kind): boolean {
    return kind.lookUp.isDocumented || (!this.#contractOnly && !this.#unreadable.has(kind));
  }

  /** Whether the service has answered what it holds of this kind, or that it holds nothing. */
  hasShown(kind: Kind): boolean {
    return this.#shown.has(kind);
  }

  noteShown(kind: Kind): void {
    this.#shown.add(kind);
  }

  /** From now on, records of this kind cannot be looked up. */
  forgo(kind: Kind, why: Unreadable): void {
    this.#unreadable.set(kind, why);
  }

  /** The kinds that were forgone. */
  get unreadable(): ReadonlyMap<Kind, Unreadable> {
    return this.#unreadable;
  }
}
