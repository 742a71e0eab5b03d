import { strip } from './python.ts';

/** What stands behind the question mark of a request. */
export class Query {
  readonly #parameters: URLSearchParams;

  constructor(path: string) {
    const mark = path.indexOf('?');
    this.#parameters = new URLSearchParams(mark === -1 ? '' : path.slice(mark));
  }

  /** A parameter without the blanks around it, the last one where it is repeated; nothing for none and for an empty one. */
  text(name: string): string | undefined {
    return strip(this.#parameters.getAll(name).at(-1) ?? '') || undefined;
  }

  /** Every one of a repeated parameter, as it was sent. */
  all(name: string): readonly string[] {
    return this.#parameters.getAll(name);
  }

  /** Whether a parameter is `true`, in any case; one that is left out is what is said here. */
  isTrue(name: string, leftOut: boolean): boolean {
    const given = this.#parameters.getAll(name).at(-1);
    return given === undefined ? leftOut : given.toLowerCase() === 'true';
  }
}
