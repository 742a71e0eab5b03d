import type { ErrorObject } from 'ajv';
import { diagnosticAt, type Diagnostic, type Problem } from '../base/diagnostic.ts';
import { type JsonValue, pointerSteps, type Validate } from '../base/json.ts';
import { isQuotable, lineOf, rangeOf, type SourceFile, type Span } from '../base/source.ts';
import type { ParsedYaml, Places } from './places.ts';
import { schemaProblem } from './schema-problem.ts';
import { likelyFieldOfError } from './unknown-field.ts';

/** More problems would cost time and memory, and few people would read them. */
const maxProblems = 1000;

const tooManyProblems: Problem = {
  code: 'too-many-problems',
  summary: `more than ${maxProblems} problems were found in this file`,
  detail: 'The problems from here on are not shown. Fix the others first, then run again.',
};

export interface SchemaFault {
  readonly path: readonly (string | number)[];
  /** The diagnostic to report; none if this place has one already, or if `maxProblems` were found. */
  readonly diagnostic?: Diagnostic;
}

/** Checks a value against a schema, except places that already have a diagnostic. */
export function checkSchema(
  validate: Validate,
  value: JsonValue,
  { places, diagnostics }: Pick<ParsedYaml, 'places' | 'diagnostics'>,
  file: SourceFile,
): SchemaFault[] {
  if (validate(value)) return [];
  const known = new Set(diagnostics.map((diagnostic) => positionKey(diagnostic)));
  const faults = oneErrorPerMistake(validate.errors ?? []).map((error) => {
    const path = pathOf(error, value);
    const span = spanOf(error, path, places);
    return { error, path, span, line: rangeOf(file, span).start.line };
  });
  const secretLines = new Set(faults.flatMap(({ error, line }) => (isAboutSecretField(error) ? line : [])));
  return faults.map(({ error, path, span, line }, index) => {
    if (index === maxProblems) return { path, diagnostic: diagnosticAt(file, span, tooManyProblems) };
    if (index > maxProblems) return { path };
    const problem = schemaProblem(error, {
      line: lineOf(file, line),
      sourceText: file.text.slice(...span),
      isQuotable: isQuotable(file, span),
    });
    const { excerpt, ...rest } = diagnosticAt(file, span, problem);
    if (known.has(positionKey(rest))) return { path };
    const isShown = excerpt !== undefined && !secretLines.has(line);
    return { path, diagnostic: isShown ? { ...rest, excerpt } : rest };
  });
}

/** Whether the error is about a field such as `password`, whose line must not be quoted. */
function isAboutSecretField({ params }: ErrorObject): boolean {
  return /passw|secret|token/i.test(String(params['additionalProperty'] ?? ''));
}

export function positionKey({ range }: Diagnostic): string {
  return `${range?.start.line}:${range?.start.column}`;
}

/** Keywords of errors about the whole value, the most helpful first. */
const keywordPriority = ['type', 'const', 'enum', 'minLength', 'maxLength', 'format', 'pattern'];

/** Keeps one error for each value: several errors about a value come from the same mistake. */
function oneErrorPerMistake(errors: readonly ErrorObject[]): ErrorObject[] {
  const kept: ErrorObject[] = [];
  const errorsOfValue = new Map<string, ErrorObject>();
  const misspelt = new Set(errors.flatMap((error) => intendedFieldPath(error) ?? []));
  for (const error of errors) {
    if (/\/anyOf\/\d+\//.test(error.schemaPath)) continue; // reported by anyOf
    if (error.keyword === 'anyOf' && error.instancePath === '' && errors.some(isUnknownRootField)) continue; // the unknown field is probably a typo of the missing one
    if (
      error.keyword === 'required' &&
      misspelt.has(`${error.instancePath}/${String(error.params['missingProperty'])}`)
    ) {
      continue; // present under an unknown name
    }
    if (!keywordPriority.includes(error.keyword)) {
      kept.push(error);
      continue;
    }
    const known = errorsOfValue.get(error.instancePath);
    if (
      known === undefined ||
      keywordPriority.indexOf(error.keyword) < keywordPriority.indexOf(known.keyword)
    ) {
      errorsOfValue.set(error.instancePath, error);
    }
  }
  return [...kept, ...errorsOfValue.values()];
}

/** The path of the known field that the author of an unknown field probably meant. */
function intendedFieldPath(error: ErrorObject): string | undefined {
  if (error.keyword !== 'additionalProperties') return undefined;
  const { field } = likelyFieldOfError(error);
  return field === undefined ? undefined : `${error.instancePath}/${field}`;
}

function isUnknownRootField({ keyword, instancePath }: ErrorObject): boolean {
  return keyword === 'additionalProperties' && instancePath === '';
}

function pathOf(error: ErrorObject, root: JsonValue): (string | number)[] {
  const path: (string | number)[] = [];
  let value: unknown = root;
  for (const step of pointerSteps(error.instancePath)) {
    path.push(Array.isArray(value) ? Number(step) : step);
    value = (value as Record<string, unknown>)[step]; // ajv walked the same path
  }
  return path;
}

function spanOf(error: ErrorObject, path: readonly (string | number)[], places: Places): Span {
  switch (error.keyword) {
    case 'additionalProperties':
      return places.keySpan(path, String(error.params['additionalProperty']));
    case 'discriminator':
      return places.valueSpan(
        error.params['error'] === 'tag' ? path : [...path, String(error.params['tag'])],
      );
    default:
      return places.valueSpan(path);
  }
}

export function diagnosticsOf(faults: readonly SchemaFault[]): Diagnostic[] {
  return faults.flatMap(({ diagnostic }) => diagnostic ?? []);
}
