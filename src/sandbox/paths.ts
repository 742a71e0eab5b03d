import { factsOf, hasFacts } from '../kinds/facts.ts';
import type { SandboxKind, World } from './kind.ts';
import { shownFrom, tableFrom } from './table.ts';

const api = '/api/v3';

/** What is served where: the kinds that are written, and those that nothing but the facts make, when they are first asked for. */
export class Paths {
  readonly #world: World;
  readonly #kinds = new Map<string, SandboxKind>();

  constructor(world: World, kindsWritten: readonly SandboxKind[]) {
    this.#world = world;
    for (const kind of kindsWritten) this.#kinds.set(kind.path, kind);
  }

  /** The kind whose list is at the path of a request. */
  listAt(path: string): SandboxKind | undefined {
    const known = this.#kinds.get(path);
    if (known !== undefined || !path.startsWith(api)) return known;
    const made = kindOf(this.#world, path.slice(api.length));
    if (made !== undefined) this.#kinds.set(path, made);
    return made;
  }

  /** What the path of a single record ends in, and its kind. */
  recordAt(path: string): { readonly kind: SandboxKind; readonly name: string } | undefined {
    const end = path.endsWith('/') ? path.lastIndexOf('/', path.length - 2) + 1 : 0;
    const kind = this.listAt(path.slice(0, end));
    return kind && { kind, name: path.slice(end, -1) };
  }

  /** The kind that the service lists at a path, such as `/core/groups/`. */
  kind(path: string): SandboxKind {
    const kind = this.listAt(`${api}${path}`);
    if (kind === undefined) throw new Error(`release ${this.#world.release} has no ${path}`);
    return kind;
  }

  /** Those that have been asked for. */
  all(): Iterable<SandboxKind> {
    return this.#kinds.values();
  }
}

/** A kind of which nothing is written by hand, as the facts of the release make it; nothing where it has no such path. */
function kindOf(world: World, path: string): SandboxKind | undefined {
  const facts = hasFacts(path) ? factsOf(world.release, path) : undefined;
  if (!facts?.can.includes('list')) return undefined;
  return facts.can.includes('create') ? tableFrom(world, { path }) : shownFrom(world, { path });
}
