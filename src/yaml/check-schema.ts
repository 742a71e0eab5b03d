import type { ErrorObject } from 'ajv';
import { diagnosticAt, type Diagnostic } from '../base/diagnostic.ts';
import { type JsonValue, stepsOf, type Validate } from '../base/json.ts';
import { isQuotable, lineOf, rangeOf, type SourceFile, type Span } from '../base/source.ts';
import type { ParsedYaml, Places } from './places.ts';
import { schemaProblem } from './schema-problem.ts';
import { meantBy } from './unknown-field.ts';

/** More problems of one file would cost time and memory, and few people would read them. */
const maxProblems = 1000;

export interface SchemaFault {
  readonly path: readonly (string | number)[];
  /** Undefined if this place has a diagnostic already, and after the first thousand. */
  readonly diagnostic?: Diagnostic;
}

/** Checks a value against a schema. A place that already has a diagnostic gets no second one. */
export function checkSchema(
  validate: Validate,
  value: JsonValue,
  { places, diagnostics }: Pick<ParsedYaml, 'places' | 'diagnostics'>,
  file: SourceFile,
): SchemaFault[] {
  if (validate(value)) return [];
  const known = new Set(diagnostics.map((diagnostic) => startOf(diagnostic)));
  const faults = oneForEachMistake(validate.errors ?? []).map((error) => {
    const path = pathOf(error, value);
    const span = spanOf(error, path, places);
    return { error, path, span, line: rangeOf(file, span).start.line };
  });
  const secretLines = new Set(faults.flatMap(({ error, line }) => (mayNameSecret(error) ? line : [])));
  return faults.map(({ error, path, span, line }, index) => {
    if (index >= maxProblems) return { path };
    const problem = schemaProblem(error, {
      line: lineOf(file, line),
      written: file.text.slice(...span),
      isQuotable: isQuotable(file, span),
    });
    const { excerpt, ...rest } = diagnosticAt(file, span, problem);
    if (known.has(startOf(rest))) return { path };
    const isShown = excerpt !== undefined && !secretLines.has(line);
    return { path, diagnostic: isShown ? { ...rest, excerpt } : rest };
  });
}

/** Whether the fault is about a field such as `password`, whose line is not quoted. */
function mayNameSecret({ params }: ErrorObject): boolean {
  return /passw|secret|token/i.test(String(params['additionalProperty'] ?? ''));
}

/** The start of a diagnostic, as a key. */
export function startOf({ range }: Diagnostic): string {
  return `${range?.start.line}:${range?.start.column}`;
}

/** Keywords about the value as a whole, most helpful first. */
const tellingOrder = ['type', 'const', 'enum', 'minLength', 'maxLength', 'format', 'pattern'];

/** A value that breaks several rules at once is one mistake. */
function oneForEachMistake(errors: readonly ErrorObject[]): ErrorObject[] {
  const kept: ErrorObject[] = [];
  const ofValue = new Map<string, ErrorObject>();
  const misspelt = new Set(errors.flatMap((error) => misspeltField(error) ?? []));
  for (const error of errors) {
    if (/\/anyOf\/\d+\//.test(error.schemaPath)) continue; // the anyOf itself says it
    if (error.keyword === 'if') continue; // what it asks for says it
    if (error.keyword === 'anyOf' && error.instancePath === '' && errors.some(isUnknownAtRoot)) continue; // a typo of it
    if (
      error.keyword === 'required' &&
      misspelt.has(`${error.instancePath}/${String(error.params['missingProperty'])}`)
    ) {
      continue; // it is there, under an unknown name
    }
    if (!tellingOrder.includes(error.keyword)) {
      kept.push(error);
      continue;
    }
    const other = ofValue.get(error.instancePath);
    if (other === undefined || tellingOrder.indexOf(error.keyword) < tellingOrder.indexOf(other.keyword)) {
      ofValue.set(error.instancePath, error);
    }
  }
  return [...kept, ...ofValue.values()];
}

/** The path of the field that an unknown one was probably meant to be. */
function misspeltField(error: ErrorObject): string | undefined {
  if (error.keyword !== 'additionalProperties') return undefined;
  const { field } = meantBy(error);
  return field === undefined ? undefined : `${error.instancePath}/${field}`;
}

function isUnknownAtRoot({ keyword, instancePath }: ErrorObject): boolean {
  return keyword === 'additionalProperties' && instancePath === '';
}

function pathOf(error: ErrorObject, root: JsonValue): (string | number)[] {
  const path: (string | number)[] = [];
  let value: unknown = root;
  for (const step of stepsOf(error.instancePath)) {
    path.push(Array.isArray(value) ? Number(step) : step);
    value = (value as Record<string, unknown>)[step]; // ajv walked the same path
  }
  return path;
}

function spanOf(error: ErrorObject, path: readonly (string | number)[], places: Places): Span {
  switch (error.keyword) {
    case 'additionalProperties':
      return places.ofKey(path, String(error.params['additionalProperty']));
    case 'discriminator':
      return places.ofValue(error.params['error'] === 'tag' ? path : [...path, String(error.params['tag'])]);
    default:
      return places.ofValue(path);
  }
}

export function diagnosticsOf(faults: readonly SchemaFault[]): Diagnostic[] {
  return faults.flatMap(({ diagnostic }) => diagnostic ?? []);
}
