import type { Diagnostic } from '../base/diagnostic.ts';
import type { LoadedManifests } from '../manifest/load-manifests.ts';
import type { Address } from '../base/address.ts';
import type { ReportFormat } from '../report/formats/all.ts';
import type { Format } from '../report/report.ts';

/** What was read, with the secrets in the clear; and the formats in which it is reported. */
export interface Revealed extends LoadedManifests {
  readonly formats: Readonly<Record<ReportFormat, Format>>;
}

/** Manifests as they were read. What they declare may hold secrets, so it is not to be seen from outside: a plan shows it. */
export class Manifests<Kind extends 'valid' | 'invalid' = 'valid' | 'invalid'> {
  readonly kind: Kind;
  /** Every problem of every file, by place; where the manifests are valid, warnings only. */
  readonly diagnostics: readonly Diagnostic[];
  /** The files that were found, in order. */
  readonly filenames: readonly string[];
  readonly #loaded: Revealed;

  constructor(kind: Kind, loaded: Revealed) {
    this.kind = kind;
    this.diagnostics = loaded.diagnostics;
    this.filenames = loaded.filenames;
    this.#loaded = loaded;
  }

  /** What the valid entries declare. */
  get addresses(): Address[] {
    return this.#loaded.resources.map(({ address }) => address);
  }

  /** What a caller may not see. Only the type of this class is exported, so this stays inside. */
  static reveal(manifests: Manifests): Revealed {
    return manifests.#loaded;
  }
}

export type ValidManifests = Manifests<'valid'>;
export type InvalidManifests = Manifests<'invalid'>;
