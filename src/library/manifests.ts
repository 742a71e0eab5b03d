import type { Address, Diagnostic } from '../base/diagnostic.ts';
import { UsageError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import { hideProblem, type Hide } from '../kinds/hide.ts';
import { releaseProblem } from '../kinds/release.ts';
import type { LoadedManifests } from '../manifest/load-manifests.ts';
import { loadFormats, type ReportFormat } from '../report/formats/all.ts';
import type { Format } from '../report/report.ts';
import { check, hasErrors } from '../run/check.ts';
import type { Environment } from '../settings/environment.ts';
import { readSettings } from '../settings/settings.ts';
import { nodeFiles } from '../terminal/node-files.ts';
import { nameOf } from './service.ts';
import { noConfig } from '../settings/values.ts';

export interface LoadOptions {
  /** What `${var:NAME}` stands for; nothing has a value by default. */
  readonly variables?: JsonObject;
  /** What `${env:NAME}` stands for; the environment of the process by default. */
  readonly env?: Environment;
  /** The variables that `${env:NAME}` may name, `*` standing for any text; all by default. */
  readonly allowEnv?: readonly string[];
  /** The files that `${file:PATH}` may name, and folders in which they may lie; all by default. */
  readonly allowFiles?: readonly string[];
  /** The fields whose values no plan, report, event or message shows, such as `user.email`; none by default. */
  readonly hide?: readonly string[];
  /** The release of the service, such as `2025.12`: manifests are checked by what it takes; by what all take where it is left out. */
  readonly release?: string;
  /** Whether nothing is to be sent but the three documented operations: then no name stands in place of an id; else `ROLLCALL_CONTRACT_ONLY`, or not. */
  readonly contractOnly?: boolean;
  /** Whether a warning is an error. */
  readonly strict?: boolean;
}

/** What was read, with the secrets in the clear; and the formats in which it is reported. */
interface Revealed extends LoadedManifests {
  readonly formats: Readonly<Record<ReportFormat, Format>>;
  readonly hide: Hide;
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

  /** The same of valid manifests. Throws a UsageError for others, which a program without types may pass. */
  static revealValid(manifests: unknown): Revealed {
    if (manifests instanceof Manifests && manifests.kind === 'valid') return Manifests.reveal(manifests);
    throw new UsageError(
      'only valid manifests can be planned and applied',
      'Pass what loadManifests gave, when its kind is `valid`; otherwise its diagnostics say what is wrong.',
    );
  }

  /** What a caller may not see. Only the type of this class is exported, so this stays inside. */
  static reveal(manifests: Manifests): Revealed {
    return manifests.#loaded;
  }
}

export type ValidManifests = Manifests<'valid'>;
export type InvalidManifests = Manifests<'invalid'>;

/**
 * Reads and checks manifests: files, folders (every `*.yaml` and `*.yml` below), globs, or `-` for standard input.
 * Sends nothing. What is wrong with the manifests is in the diagnostics, all of it; nothing is thrown for it. Rejects with a
 * UsageError where a field that is to be hidden cannot be, or the release is none.
 */
export async function loadManifests(
  paths: string | readonly string[],
  { variables, env = process.env, strict, contractOnly, ...allowed }: LoadOptions = {},
): Promise<ValidManifests | InvalidManifests> {
  const { hide = [], release } = allowed;
  const problems = [...hide.map(hideProblem), ...(release === undefined ? [] : [releaseProblem(release)])];
  for (const problem of problems) if (problem) throw new UsageError(problem.summary, problem.detail ?? '');
  const world = { env, files: nodeFiles };
  const values = { variables, strict, contractOnly, config: { ...noConfig, ...allowed }, nameOf };
  const named = typeof paths === 'string' ? [paths] : paths;
  const checked = await check(await readSettings(values, world, 'manifests', named), world);
  // Formats are loaded now, because what renders a report does not wait.
  const loaded = { ...checked, formats: await loadFormats(), hide };
  return hasErrors(loaded.diagnostics) ? new Manifests('invalid', loaded) : new Manifests('valid', loaded);
}
