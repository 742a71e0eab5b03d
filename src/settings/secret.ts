import { sensitive } from '../base/sensitive.ts';

/** A string that only `reveal` returns. Other conversions give `(sensitive)`, and util.inspect shows nothing. */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return sensitive;
  }

  toJSON(): string {
    return sensitive;
  }
}
