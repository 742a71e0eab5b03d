import { sensitive } from '../base/sensitive.ts';

/** A text that can only be sent. As a string or JSON it is `(sensitive)`, and inspected it is empty. */
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
