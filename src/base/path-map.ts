type Step = string | number;
export type Path = readonly Step[];

/** A map from paths inside a JSON value to data about the values at these paths. */
export class PathMap<Value> {
  #value: Value | undefined;
  #children: Map<Step, PathMap<Value>> | undefined;

  set(path: Path, value: Value): void {
    const [step, ...remaining] = path;
    if (step === undefined) {
      this.#value = value;
      return;
    }
    this.#children ??= new Map();
    const child = this.#children.get(step) ?? new PathMap<Value>();
    this.#children.set(step, child);
    child.set(remaining, value);
  }

  /** The data about the value at the root of this map. */
  get value(): Value | undefined {
    return this.#value;
  }

  subtreeAt(path: Path, from: number = 0): PathMap<Value> | undefined {
    const step = path[from];
    return step === undefined ? this : this.childAt(step)?.subtreeAt(path, from + 1);
  }

  childAt(step: Step): PathMap<Value> | undefined {
    return this.#children?.get(step);
  }

  has(path: Path): boolean {
    const subtree = this.subtreeAt(path);
    return subtree !== undefined && subtree.#value !== undefined;
  }

  steps(): Iterable<Step> {
    return this.#children?.keys() ?? [];
  }

  *entries(path: Path = []): Generator<readonly [path: Path, known: Value]> {
    if (this.#value !== undefined) yield [path, this.#value];
    for (const [step, child] of this.#children ?? []) yield* child.entries([...path, step]);
  }
}
