import { diagnosticAt, type Diagnostic, type Problem } from '../base/diagnostic.ts';
import {
  entriesIn,
  isJsonList,
  isJsonObject,
  mapValues,
  textOf,
  type JsonObject,
  type JsonValue,
} from '../base/json.ts';
import { referencePieces, type ReferencePiece } from './reference-pieces.ts';
import {
  readSecret,
  forbiddenTextProblem,
  type SecretReference,
  type SecretSources,
} from './secret-reference.ts';
import { trimAsService } from './trim.ts';
import { quoteOrHide, type SourceFile } from '../base/source.ts';
import { PathMap, type Path } from '../base/path-map.ts';
import type { ReferenceTemplate } from '../kinds/fields.ts';
import { didYouMean } from '../base/suggestion.ts';
import type { Places } from '../yaml/places.ts';

/** The variables of each environment by its name, for hints about undefined variables. */
export type VariablesByEnvironment = Readonly<
  Record<string, { readonly vars?: JsonObject; readonly vars_files?: readonly string[] }>
>;

interface ReferenceSources extends SecretSources {
  readonly variables?: Readonly<Record<string, JsonValue>>;
  readonly choices?: VariablesByEnvironment;
  readonly random: (limit: number) => number;
  /** Whether sensitive references are only assumed to exist, and not read. */
  readonly areAssumed: boolean;
}

export type References = PathMap<ReferenceTemplate>;

export const maxResolvedLength: number = 1_000_000;
/** The maximum number of problems that are reported for one string. */
const maxFaults = 10;

/** Resolves the references in a manifest. */
export class ReferenceResolver {
  readonly diagnostics: Diagnostic[] = [];
  /** The places of references that could not be resolved and therefore stay as written. */
  readonly unresolved: PathMap<true> = new PathMap();
  readonly secrets: Set<string> = new Set();
  readonly variables: Set<string> = new Set();
  /** The references inside sensitive strings, by the places of the strings. */
  readonly references: References = new PathMap();
  readonly #sources: ReferenceSources;
  readonly #places: Places;
  readonly #file: SourceFile;

  constructor(sources: ReferenceSources, places: Places, file: SourceFile) {
    this.#sources = sources;
    this.#places = places;
    this.#file = file;
  }

  /** Returns the value to send, which still contains references if secrets are only assumed to exist. */
  async resolve(root: JsonValue): Promise<JsonValue> {
    if (!this.#file.text.includes('$')) return root;
    const resolved = new PathMap<JsonValue>();
    const found = new PathMap<string>();
    this.#findTexts(root, [], found);
    for (const [path, text] of found.entries()) resolved.set(path, await this.#resolveText(text, path));
    return replaced(root, resolved);
  }

  /** Finds the strings with references. `path` is the place of the value, and changes during the search. */
  #findTexts(value: JsonValue, path: (string | number)[], found: PathMap<string>): void {
    if (typeof value === 'string') {
      if (value.includes('${')) found.set(path, value);
      return;
    }
    for (const [step, inner] of entriesIn(value)) {
      if (typeof step === 'string' && step.includes('${'))
        this.#report(path, referenceInKey, this.#places.keySpan(path, step));
      path.push(step);
      this.#findTexts(inner, path, found);
      path.pop();
    }
  }

  async #resolveText(text: string, path: Path): Promise<JsonValue> {
    const pieces = referencePieces(text);
    const [only] = pieces;
    if (pieces.length === 1 && only?.kind === 'var') {
      const value = this.#variable(only.name, path);
      return value === undefined ? text : value;
    }
    let value = '';
    const parts: ReferenceTemplate = [];
    let isSensitive = false;
    let faults = 0;
    for (const piece of pieces) {
      const part = await this.#resolvePiece(piece, path);
      if (part === undefined) {
        faults += 1;
        if (faults === maxFaults) break;
        continue;
      }
      value += part;
      if (value.length > maxResolvedLength) {
        this.#report(path, {
          code: 'invalid-reference',
          summary: 'the string is too long after its references are resolved',
          detail: `A string with references may have at most ${maxResolvedLength} characters.`,
        });
        return text;
      }
      if (piece.kind === 'env' || piece.kind === 'file') {
        isSensitive = true;
        parts.push(referenceOf(piece));
      } else if (piece.kind === 'generate') {
        isSensitive = true;
        parts.push({ generate: part.length });
      } else parts.push(part);
    }
    if (faults > 0) return text;
    if (isSensitive) this.references.set(path, parts);
    return value;
  }

  async #resolvePiece(piece: ReferencePiece, path: Path): Promise<string | undefined> {
    switch (piece.kind) {
      case 'literal':
        return piece.text;
      case 'fault': {
        const { problem, written } = piece;
        if (written === '') return this.#report(path, problem);
        const shown = quoteOrHide(this.#file, this.#places.valueSpan(path), written);
        return this.#report(path, { ...problem, summary: `${problem.summary}: ${shown}` });
      }
      case 'var': {
        const value = this.#variable(piece.name, path);
        if (value === undefined) return undefined;
        if (typeof value !== 'object') return String(value);
        return this.#report(path, {
          code: 'invalid-reference',
          summary: `the variable \`${piece.name}\` does not fit into a string`,
          detail:
            'Inside a longer string, the value of a variable must be a string, a number, or true or false.',
        });
      }
      case 'text': {
        const { readFile, policy } = this.#sources;
        const text = await readFile(piece.name, 'text');
        if (typeof text !== 'string') return this.#report(path, text);
        const refused = forbiddenTextProblem(piece.name, text, policy);
        return refused ? this.#report(path, refused) : text;
      }
      case 'generate': {
        const secret = generatedSecret(piece.name, this.#sources.random);
        return typeof secret === 'string' ? this.#secret(secret) : this.#report(path, secret);
      }
      case 'env':
      case 'file': {
        const secret = await readSecret(referenceOf(piece), this.#sources);
        if (typeof secret === 'string') return this.#secret(secret);
        const isAssumed = this.#sources.areAssumed && secret.code === 'unresolved-reference';
        return isAssumed ? '' : this.#report(path, secret);
      }
    }
  }

  #variable(name: string, path: Path): JsonValue | undefined {
    this.variables.add(name);
    const { variables, choices = {} } = this.#sources;
    if (variables === undefined) {
      this.unresolved.set(path, true);
      return undefined;
    }
    if (Object.hasOwn(variables, name)) {
      const value = variables[name];
      const refused = forbiddenTextProblem(name, textOf(value), this.#sources.policy);
      return refused ? this.#report(path, refused) : value;
    }
    const detail =
      environmentsHint('has', choices, ({ vars = {} }) => Object.hasOwn(vars, name)) ??
      [
        didYouMean(name, Object.keys(variables)),
        // The files of other environments are not read, so they may define the variable.
        environmentsHint('may have', choices, ({ vars_files: files = [] }) => files.length > 0),
      ]
        .filter((words) => words !== undefined)
        .join(' ');
    return this.#report(path, {
      code: 'unresolved-reference',
      summary: `the variable \`${name}\` has no value`,
      detail:
        detail ||
        'Set it with --var or --vars, or under `vars` or `vars_files` of the environment that --env chooses.',
    });
  }

  #secret(text: string): string {
    const secret = trimAsService(text).trim(); // the service trims values, so output may contain the trimmed secret
    if (secret !== '') this.secrets.add(secret);
    return text;
  }

  #report(path: Path, problem: Problem, span = this.#places.valueSpan(path)): undefined {
    this.unresolved.set(path, true);
    this.diagnostics.push(diagnosticAt(this.#file, span, problem));
    return undefined;
  }
}

/** Copies a value and replaces its parts at the given places. All other parts are shared with the original. */
function replaced(value: JsonValue, changes: PathMap<JsonValue>): JsonValue {
  const { value: change } = changes;
  if (change !== undefined) return change;
  const at = (step: string | number, inner: JsonValue): JsonValue => {
    const within = changes.childAt(step);
    return within ? replaced(inner, within) : inner;
  };
  if (isJsonList(value)) return value.map((item, index) => at(index, item));
  return isJsonObject(value) ? mapValues(value, (inner, key) => at(key, inner)) : value;
}

const referenceInKey: Problem = {
  code: 'invalid-reference',
  summary: 'a key cannot contain a reference',
  detail: 'References are allowed only in values.',
};

function environmentsHint(
  verb: 'has' | 'may have',
  choices: VariablesByEnvironment,
  isCandidate: (choice: VariablesByEnvironment[string]) => boolean,
): string | undefined {
  const names = Object.keys(choices).filter((name) => isCandidate(choices[name] ?? {}));
  if (names.length === 0) return undefined;
  return `No environment is chosen. The variable ${verb} a value in: ${names.join(', ')}. Choose one with --env.`;
}

function referenceOf({ kind, name }: { kind: 'env' | 'file'; name: string }): SecretReference {
  return kind === 'env' ? { env: name } : { file: name };
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Shorter secrets can be guessed, and fields of the service take at most 255 characters. */
const lengthRange = { min: 16, most: 255 };

/** A secret of the requested length, or a problem with that length. `random` returns a whole number below `limit`. */
function generatedSecret(written: string, random: (limit: number) => number): string | Problem {
  const length = /^\d{1,3}$/.test(written) ? Number(written) : 0;
  if (length < lengthRange.min || length > lengthRange.most)
    return {
      code: 'invalid-reference',
      summary: `a secret cannot be generated with the length \`${written}\``,
      detail: `Write a number from ${lengthRange.min} to ${lengthRange.most}, such as \${generate:40}.`,
    };
  return Array.from({ length }, () => alphabet[random(alphabet.length)]).join('');
}
