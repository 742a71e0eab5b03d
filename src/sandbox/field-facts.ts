import { textOf, isJsonList, isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import { factsOf, type FieldFacts, type TypeFacts, type ValueFacts } from '../kinds/facts.ts';
import { referenceOf, referredLists, type Reference } from '../kinds/references.ts';
import {
  choiceReader,
  readDateTime,
  readBoolean,
  readMapping,
  rejectNull,
  acceptNull,
  readFields,
  referenceReader,
  referenceListReader,
  textReader,
  readUuid,
  type ContentCheck,
  type Field,
} from './fields.ts';
import type { World } from './kind.ts';
import { answers } from './recorded.ts';
import { typeName } from './python.ts';
import type { Rows } from './rows.ts';
import { bindableAt } from './bindables.ts';

/** The facts about a field that the API schema does not state. */
export interface FieldRow extends Partial<Field> {
  readonly checkFirst?: ContentCheck | undefined;
  readonly checkLast?: ContentCheck | undefined;
}

export type FieldRows = Readonly<Record<string, FieldRow>>;

export function factsIn({ release }: World, path: string): TypeFacts {
  const facts = factsOf(release, path);
  if (facts === undefined) throw new Error(`release ${release} has no ${path}`);
  return facts;
}

/** The writable fields at a path. Skips rows for fields that the release does not have. */
export function fieldsFrom(world: World, path: string, rows: FieldRows = {}): Record<string, Field> {
  const fields: Record<string, Field> = {};
  for (const [name, facts] of Object.entries(factsIn(world, path).fields)) {
    if (!facts.readOnly) fields[name] = fieldOf(world, [path, name], facts, rows[name] ?? {});
  }
  return fields;
}

type Place = readonly [path: string, name: string];

function fieldOf(world: World, place: Place, facts: FieldFacts, row: FieldRow): Field {
  const [path, name] = place;
  const { names, more, ...texts } = answers().fields[path]?.[name] ?? {};
  const { checkFirst, checkLast, ...stated } = { ...texts, ...row };
  const list = listOf(place, facts);
  const form = facts.enum
    ? choiceReader(facts.enum, names, checkFirst)
    : { read: readerFor(world, place, facts, { checkFirst, checkLast }) };
  const isOptional = !facts.required && !stated.isGenerated;
  return {
    type: list === undefined ? typeLabel(facts) : 'field',
    ...(isOptional && { default: emptyValue(facts) }),
    ...stated,
    read: stated.read ?? (facts.nullable ? acceptNull(form.read) : form.read),
    attributes: { ...optionLimits(facts), ...('attributes' in form && form.attributes), ...more },
  };
}

function listOf(place: Place, facts: FieldFacts): Reference['list'] | undefined {
  const { list, by } = referenceOf(...place, facts) ?? {};
  return by === 'uuid' ? undefined : list;
}

function readerFor(
  world: World,
  place: Place,
  facts: ValueFacts,
  checks: Pick<FieldRow, 'checkFirst' | 'checkLast'> = {},
): Field['read'] {
  const { type, format, items, minLength, maxLength, fields } = facts;
  const list = listOf(place, facts);
  if (list === 'bindables')
    return referenceReader('uuid', () => ({ at: (id) => bindableAt(world, id) }), checks.checkFirst);
  if (list !== undefined) {
    const idForm = (items ?? facts).type === 'integer' ? 'number' : 'uuid';
    const rows = (): Rows => world.at(referredLists[list]);
    return items ? referenceListReader(idForm, rows) : referenceReader(idForm, rows, checks.checkFirst);
  }
  if (facts.enum) return choiceReader(facts.enum).read;
  if (fields) return (value) => readRecord(world, place, fields, value);
  if (items) return (value) => readItems(readerFor(world, place, items), value);
  switch (type) {
    case 'boolean':
      return readBoolean;
    case 'integer':
    case 'number':
      return numberReader(facts);
    case 'object':
      return readMapping;
    case 'string':
      if (format === 'date-time') return readDateTime;
      if (format === 'uuid') return readUuid;
      return textReader(minLength === undefined, maxLength, checks.checkFirst, checks.checkLast);
    default:
      return rejectNull((value) => ({ value }));
  }
}

function numberReader({ type, minimum = -Infinity, maximum = Infinity }: ValueFacts): Field['read'] {
  return rejectNull((value) => {
    const number = typeof value === 'boolean' || value === '' ? NaN : Number(textOf(value));
    if (Number.isNaN(number) || (type === 'integer' && !Number.isInteger(number)))
      return { errors: [`A valid ${type} is required.`] };
    if (number < minimum) return { errors: [`Ensure this value is greater than or equal to ${minimum}.`] };
    if (number > maximum) return { errors: [`Ensure this value is less than or equal to ${maximum}.`] };
    return { value: number };
  });
}

function readItems(read: Field['read'], value: JsonValue): ReturnType<Field['read']> {
  if (!isJsonList(value))
    return { errors: { non_field_errors: [`Expected a list of items but got type "${typeName(value)}".`] } };
  const results = value.map((item) => read(item));
  const errors = results.map((result) => ('errors' in result ? result.errors : {}));
  if (errors.some((error) => Object.keys(error).length > 0))
    return {
      errors: errors.map((error) =>
        isTextList(error) ? { non_field_errors: error } : (error as JsonObject),
      ),
    }; // an error that is no list of texts is an object
  return { value: results.map((result) => ('value' in result ? result.value : null)) };
}

function isTextList(errors: object): errors is readonly string[] {
  return Array.isArray(errors);
}

function readRecord(
  world: World,
  place: Place,
  facts: Readonly<Record<string, FieldFacts>>,
  value: JsonValue,
): ReturnType<Field['read']> {
  if (!isJsonObject(value))
    return {
      errors: { non_field_errors: [`Invalid data. Expected a dictionary, but got ${typeName(value)}.`] },
    };
  const fields = Object.entries(facts).map(
    ([name, field]) => [name, fieldOf(world, place, field, {})] as const,
  );
  const { values, errors } = readFields(value, Object.fromEntries(fields));
  return Object.keys(errors).length > 0 ? { errors: errors as JsonObject } : { value: values }; // the errors are texts by the name of the field
}

/** The value of a field that was never set. */
export function emptyValue({
  type,
  enum: values,
  nullable: isNullable,
  default: said,
}: ValueFacts): JsonValue {
  if (said !== undefined) return said;
  if (isNullable || type === undefined) return null;
  if (values) return values[0] ?? null;
  return { string: '', integer: 0, number: 0, boolean: false, array: [], object: {} }[type];
}

function typeLabel({ type, format, enum: values, pattern, items }: ValueFacts): string {
  if (values) return 'choice';
  if (pattern?.includes('-a-zA-Z0-9_')) return 'slug';
  const formats: Readonly<Record<string, string>> = { email: 'email', uri: 'url', 'date-time': 'datetime' };
  if (type === 'string') return formats[format ?? ''] ?? 'string';
  if (items) return 'list';
  return type === undefined || type === 'object' || type === 'array' ? 'field' : type;
}

function optionLimits({ maxLength, minimum, maximum }: ValueFacts): JsonObject {
  return {
    ...(maxLength !== undefined && { max_length: maxLength }),
    ...(minimum !== undefined && { min_value: minimum }),
    ...(maximum !== undefined && { max_value: maximum }),
  };
}

export function uniqueCheck(rows: () => Rows, field: string, complaint: string): ContentCheck {
  return (content, existing) => (rows().isTaken(field, content, existing) ? complaint : undefined);
}
