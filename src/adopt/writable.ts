import type { Address, Problem } from '../base/diagnostic.ts';
import {
  isJsonList,
  isJsonObject,
  mapValues,
  type JsonObject,
  type JsonValue,
  type Validate,
} from '../base/json.ts';
import { sourceFile } from '../base/source.ts';
import { declarableFields } from '../kinds/access.ts';
import { bindingProblems } from '../kinds/binding-problems.ts';
import type { ResourceType } from '../kinds/all.ts';
import type { Kind } from '../kinds/kind.ts';
import type { Release } from '../kinds/release.ts';
import { checkSchema } from '../yaml/check-schema.ts';
import { noPlaces } from '../yaml/places.ts';
import {
  keyProblem,
  maxValueDepth,
  numberProblem,
  textProblem,
  tooDeepProblem,
} from '../yaml/refused-values.ts';
import { maxResolvedLength } from '../manifest/references.ts';
import { trimAsService } from '../manifest/trim.ts';

export interface Declaration {
  readonly address: Address;
  readonly kind: Kind<ResourceType>;
  readonly fields: JsonObject;
  /** The variables for secrets, by field. Comments in the manifest mention these variables. */
  readonly variables?: Readonly<Record<string, string>>;
  readonly release?: Release;
}

export interface UnwritableField {
  readonly address: Address;
  readonly field: string;
  /** Whether the record cannot be declared at all without this field. */
  readonly isWhole: boolean;
  readonly problem: Problem;
}

interface Writable {
  /** The fields in the order of the schema, or undefined if the record cannot be declared. */
  readonly fields?: JsonObject;
  readonly unwritable: readonly UnwritableField[];
}

/** Reduces a record to the fields that a manifest can declare. A manifest with these fields can be read without errors and gives the same values. */
export function writableDeclaration(
  { address, kind, fields: all, release }: Declaration,
  check: Validate,
): Writable {
  const given = withoutEqualBindings(kind, all);
  const problems = problemsOf(kind, given, release, check);
  const fields: Record<string, JsonValue> = {};
  for (const field of declarableFields(kind)) {
    const value = given[field];
    if (value !== undefined && !problems.has(field)) fields[field] = value;
  }
  const missing = missingOf(kind, fields, release, check);
  if (missing !== undefined && !problems.has(missing))
    problems.set(missing, { code: 'missing-field', summary: `the field \`${missing}\` is missing` });
  const unwritable = Array.from(problems, ([field, problem]) => ({
    address,
    field,
    problem,
    isWhole: field === missing,
  }));
  return missing === undefined ? { fields, unwritable } : { unwritable };
}

/** Writes equal bindings once, and declares their field in part, because the record has more bindings. */
function withoutEqualBindings(kind: Kind, fields: JsonObject): JsonObject {
  const inPart: string[] = [];
  const distinct = mapValues(fields, (value, field) => {
    if (kind.fields[field]?.children === undefined || !isJsonList(value)) return value;
    const items = [...new Map(value.map((item) => [JSON.stringify(item), item])).values()];
    if (items.length < value.length) inPart.push(field);
    return items;
  });
  return inPart.length === 0 ? fields : { ...distinct, at_least: inPart };
}

function problemsOf(
  kind: Kind<ResourceType>,
  given: JsonObject,
  release: Release | undefined,
  validate: Validate,
): Map<string, Problem> {
  const problems = new Map<string, Problem>();
  for (const [field, value] of Object.entries(given)) {
    const problem = declarableFields(kind).includes(field)
      ? (refusal(value, depthOfFields) ?? (hasBlanks(value) ? blanks : undefined))
      : { code: 'unknown-field' as const, summary: `unknown field \`${field}\`` };
    if (problem) problems.set(field, problem);
  }
  const nothing = { places: noPlaces, diagnostics: [] };
  const manifest = manifestWith(kind, given);
  for (const { path, diagnostic } of checkSchema(validate, manifest, nothing, sourceFile('', ''))) {
    const field = String(path[2] ?? '');
    if (!diagnostic || field === '' || problems.has(field)) continue;
    const { code, summary, detail } = diagnostic;
    problems.set(field, { code, summary, detail });
  }
  for (const [field, { checks = [], children }] of Object.entries(kind.fields)) {
    const value = given[field];
    if (value === undefined || problems.has(field)) continue; // a check expects a value that satisfies the schema
    const ofBindings = children ? bindingProblems(children, value).map(({ problem }) => problem) : [];
    const problem = [
      ...checks.flatMap((check) => check(value, release, () => given) ?? []),
      ...ofBindings,
    ].find((found) => !isWarning(found));
    if (problem) problems.set(field, problem);
  }
  return problems;
}

function isWarning({ severity }: Problem): boolean {
  return severity === 'warning';
}

function missingOf(
  kind: Kind,
  fields: JsonObject,
  release: Release | undefined,
  validate: Validate,
): string | undefined {
  for (const [field, { ifMissing }] of Object.entries(kind.fields)) {
    const problem = Object.hasOwn(fields, field) ? undefined : ifMissing?.(release, fields);
    if (problem && !isWarning(problem)) return field;
  }
  if (validate(manifestWith(kind, fields))) return undefined;
  const error = validate.errors?.find(({ keyword }) => keyword === 'required');
  return error && String(error.params['missingProperty']);
}

export function canBeDefault(
  { type, list }: Kind,
  field: string,
  value: JsonValue,
  validate: Validate,
): boolean {
  return validate({ version: 1, defaults: { [type]: { [field]: value } }, [list]: [] });
}

function manifestWith({ list }: Kind, fields: JsonObject): JsonObject {
  return { version: 1, [list]: [fields] };
}

/** The depth of an entry's fields in a manifest: inside the manifest, a list and the entry. */
const depthOfFields = 3;

function refusal(value: JsonValue, depth: number): Problem | undefined {
  if (typeof value === 'string') return textProblem(value) ?? (isLongWithReference(value) ? long : undefined);
  if (typeof value === 'number') return numberProblem(value);
  if (!isJsonList(value) && !isJsonObject(value)) return undefined;
  if (depth >= maxValueDepth) return tooDeepProblem;
  for (const [key, inner] of Object.entries(value)) {
    const problem = (isJsonList(value) ? undefined : manifestKeyProblem(key)) ?? refusal(inner, depth + 1);
    if (problem) return problem;
  }
  return undefined;
}

export function manifestKeyProblem(key: string): Problem | undefined {
  if (!key.includes('${')) return keyProblem(key);
  return {
    code: 'invalid-reference',
    summary: 'a key cannot contain a ${',
    detail: 'A ${ begins a reference, and references are allowed only in values.',
  };
}

function isLongWithReference(text: string): boolean {
  return text.length > maxResolvedLength && text.includes('${');
}

const long: Problem = {
  code: 'invalid-reference',
  summary: 'a string with a ${ must be shorter',
  detail: `A string with references may have at most ${maxResolvedLength} characters.`,
};

function hasBlanks(value: JsonValue): boolean {
  if (typeof value === 'string') return trimAsService(value) !== value;
  return (
    isJsonList(value) &&
    value.some((item) => Object.values(isJsonObject(item) ? item : [item]).some(hasBlanks))
  );
}

const blanks: Problem = {
  code: 'invalid-value',
  summary: 'this begins or ends with white space',
  detail: 'The service trims white space, so no manifest can declare this value.',
};
