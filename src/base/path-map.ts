type Step = string | number;
export type Path = readonly Step[];

/** Information about places inside a value, by their paths. */
export class PathMap<Known> {
  #here: Known | undefined;
  #inside: Map<Step, PathMap<Known>> | undefined;

  set(path: Path, known: Known): void {
    const [step, ...deeper] = path;
    if (step === undefined) {
      this.#here = known;
      return;
    }
    this.#inside ??= new Map();
    const inner = this.#inside.get(step) ?? new PathMap<Known>();
    this.#inside.set(step, inner);
    inner.set(deeper, known);
  }

  /** The information about a place and everything inside it; undefined if there is none. */
  at(path: Path): PathMap<Known> | undefined {
    return path.reduce<PathMap<Known> | undefined>((found, step) => found?.inside(step), this);
  }

  /** The same for one step. */
  inside(step: Step): PathMap<Known> | undefined {
    return this.#inside?.get(step);
  }

  has(path: Path): boolean {
    const found = this.at(path);
    return found !== undefined && found.#here !== undefined;
  }

  steps(): Iterable<Step> {
    return this.#inside?.keys() ?? [];
  }

  *entries(path: Path = []): Generator<readonly [path: Path, known: Known]> {
    if (this.#here !== undefined) yield [path, this.#here];
    for (const [step, inner] of this.#inside ?? []) yield* inner.entries([...path, step]);
  }
}
