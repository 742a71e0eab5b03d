import { posix } from 'node:path';
import { beside } from '../base/path-rules.ts';
import type { References } from './references.ts';

/** What was not checked, because the secrets that it is made of were not read. */
export interface Unchecked {
  /** How many values. */
  readonly values: number;
  /** The environment variables that they come from, each once. */
  readonly variables: readonly string[];
  /** The files that they come from, as the working directory sees them, each once. */
  readonly files: readonly string[];
}

/** Counts what is not checked, manifest by manifest. */
export class UncheckedValues {
  #values = 0;
  readonly #variables = new Set<string>();
  readonly #files = new Set<string>();

  add(manifest: string, references: References): void {
    for (const [, template] of references.entries()) {
      this.#values += 1;
      for (const part of template) {
        if (typeof part === 'string') continue;
        if ('env' in part) this.#variables.add(part.env);
        else this.#files.add(posix.normalize(beside(manifest, part.file)));
      }
    }
  }

  all(): Unchecked {
    return { values: this.#values, variables: [...this.#variables], files: [...this.#files] };
  }
}
