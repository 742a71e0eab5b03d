import { kindAt } from './all.ts';
import type { SandboxKind, World } from './kind.ts';

/** Finds the kind that handles a path. A kind is made when it is first requested. */
export class KindsByPath {
  readonly #world: World;
  readonly #kinds = new Map<string, SandboxKind>();

  constructor(world: World) {
    this.#world = world;
  }

  listAt(path: string): SandboxKind | undefined {
    const existing = this.#kinds.get(path);
    if (existing !== undefined) return existing;
    const made = kindAt(this.#world, path);
    if (made !== undefined) this.#kinds.set(path, made);
    return made;
  }

  recordAt(path: string): { readonly kind: SandboxKind; readonly name: string } | undefined {
    const end = path.endsWith('/') ? path.lastIndexOf('/', path.length - 2) + 1 : 0;
    const kind = this.listAt(path.slice(0, end));
    return kind && { kind, name: path.slice(end, -1) };
  }

  kind(path: string): SandboxKind {
    const kind = this.listAt(path);
    if (kind === undefined) throw new Error(`release ${this.#world.release} has no ${path}`);
    return kind;
  }

  all(): Iterable<SandboxKind> {
    return this.#kinds.values();
  }
}
