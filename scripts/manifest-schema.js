// Makes the JSON Schema of manifests: what a field can hold from the facts of the service and the rows of the kinds, and what editors
// say of it from manifest-words.json.
import { readFileSync } from 'node:fs';

/** @typedef {import('../src/kinds/kind.ts').Kind} Kind */
/** @typedef {import('../src/kinds/kind.ts').Family} Family */
/** @typedef {import('../src/kinds/kind.ts').FieldOfKind} FieldOfKind */
/** @typedef {import('../src/kinds/facts.ts').FieldFacts} FieldFacts */
/** @typedef {import('../src/base/json.ts').JsonObject} JsonObject */
/** @typedef {(path: string) => { readonly fields: Readonly<Record<string, FieldFacts>> }} FactsOf */

/** @type {Record<'lists' | 'entries' | 'fields' | 'items', Record<string, string | undefined>>} */
const words = JSON.parse(readFileSync(new URL('manifest-words.json', import.meta.url), 'utf8'));

const reference = { $ref: '#/definitions/reference' };
const nameOfOne = { $ref: '#/definitions/nameOfOne' };
/** More than blanks, as the service sees them. */
const notBlank = { pattern: String.raw`\S|` + '\uFEFF' };
const longestName = 500;
const patterns = {
  uuid: '^([0-9a-fA-F]{32}|[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12})$',
  'date-time':
    String.raw`^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt ]` +
    String.raw`([01]\d|2[0-3]):[0-5]\d(:([0-5]\d|60)(\.\d+)?)?([Zz]|[+-]([01]\d|2[0-3])(:?[0-5]\d)?)?$`,
};
const limits = /** @type {const} */ (['minLength', 'maxLength', 'minimum', 'maximum', 'pattern']);

/**
 * @param {readonly Kind[]} kinds
 * @param {FactsOf} factsOf
 * @returns {JsonObject}
 */
export function manifestSchema(kinds, factsOf) {
  const entries = kinds.map((kind) => ({ kind, entry: entryOf(kind, factsOf) }));
  const byList = grouped(entries, ({ kind }) => kind.list);
  const byType = grouped(entries, ({ kind }) => kind.type);
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Manifest',
    description: 'A rollcall manifest: the records that an identity service should have.',
    type: 'object',
    additionalProperties: false,
    required: ['version'],
    anyOf: [...byList.keys()].map((list) => ({ required: [list] })),
    properties: {
      version: { description: 'The version of the manifest format. Always 1.', const: 1 },
      defaults: {
        description:
          "Values for the fields that an entry of this file leaves out. An entry's own value replaces the default whole; lists and attributes are not merged.",
        type: 'object',
        additionalProperties: false,
        properties: mapped(byType, (type) => ({ $ref: `#/definitions/${type}Defaults` })),
      },
      ...mapped(byList, (list, some) => ({
        description: words.lists[list] ?? `The ${list.replaceAll('_', ' ')} to have.`,
        type: 'array',
        items: oneOf(some.map(({ kind }) => kind)),
      })),
    },
    definitions: {
      ...Object.fromEntries(entries.map(({ kind, entry }) => [definitionOf(kind), entry])),
      ...Object.fromEntries(
        Array.from(byType, ([type, [first, ...others]]) => [`${type}Defaults`, defaultsOf(first, others)]),
      ),
      nameOfOne: {
        title: 'NameOfOne',
        description:
          'The name, exactly as the service has it; at most 500 characters. It is shown in plans and reports, so it cannot come from an environment variable or a file.',
        type: 'string',
        minLength: 1,
        maxLength: longestName,
        ...notBlank,
      },
      reference: {
        description:
          'A text with a reference: ${var:NAME} for a variable, ${env:NAME} for an environment variable, ${file:PATH} for the content of a file, which is kept secret, ${text:PATH} for one that plans show. References are resolved before the value is checked.',
        type: 'string',
        pattern: String.raw`\$\{(var|env|file|text):[^}]+\}`,
      },
    },
  };
}

/** @param {readonly Kind[]} kinds */
function oneOf(kinds) {
  const choices = kinds.map((kind) => ({ $ref: `#/definitions/${definitionOf(kind)}` }));
  return choices.length === 1 && kinds[0]?.sort === undefined
    ? /** @type {JsonObject} */ (choices[0])
    : { type: 'object', oneOf: choices };
}

/** @param {Kind} kind */
function definitionOf({ type, sort }) {
  return sort?.value ?? type;
}

/**
 * @param {Kind} kind
 * @param {FactsOf} factsOf
 */
function entryOf(kind, factsOf) {
  const { identity, sort, words: said } = kind;
  const facts = factsOf(kind.path.replace('/api/v3', ''));
  const demanded = Object.entries(kind.fields).flatMap(([name, { ifMissing }]) =>
    facts.fields[name]?.required && name !== identity && !ifMissing ? [name] : [],
  );
  const always = [identity, ...(sort ? [sort.field] : [])];
  const names = new Set(Object.keys(kind.fields).map((name) => name.split('.', 1)[0] ?? ''));
  const properties = Object.fromEntries(Array.from(names, (name) => [name, propertyOf(kind, name, factsOf)]));
  return {
    title: definitionOf(kind),
    description:
      words.entries[definitionOf(kind)] ??
      `${said.one.replace(/^./, (letter) => letter.toUpperCase())}. A field that is left out is not managed.`,
    type: 'object',
    additionalProperties: false,
    ...requiring(kind, always, demanded, properties),
    properties,
  };
}

/**
 * What has to be there: of one that is to be absent, no more than what names it.
 *
 * @param {Kind} kind
 * @param {string[]} always
 * @param {string[]} demanded
 * @param {JsonObject} properties
 */
function requiring(kind, always, demanded, properties) {
  if (demanded.length === 0 || kind.fields['state'] === undefined)
    return { required: [...always, ...demanded] };
  const [only] = demanded;
  const { description } = /** @type {JsonObject} */ (properties[only ?? ''] ?? {});
  const unlessAbsent = { ...(demanded.length === 1 && description && { description }), required: demanded };
  return { required: always, if: { required: ['state'] }, else: unlessAbsent };
}

/**
 * Of kinds in one list, what all have alike.
 *
 * @param {{ kind: Kind, entry: JsonObject }} first
 * @param {readonly { entry: JsonObject }[]} others
 */
function defaultsOf({ kind, entry }, others) {
  const alike = Object.keys(propertiesOf(entry)).filter(
    (name) =>
      isDefaultable(kind, entry, name) &&
      others.every(
        (other) =>
          JSON.stringify(propertiesOf(other.entry)[name]) === JSON.stringify(propertiesOf(entry)[name]),
      ),
  );
  const ofAll = others.length > 0 ? ', of those that every type has' : '';
  return {
    title: `${kind.type}Defaults`,
    description: `Values for the fields that ${kind.words.one} of this file leaves out${ofAll}.`,
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(
      alike.map((name) => [name, { $ref: `#/definitions/${definitionOf(kind)}/properties/${name}` }]),
    ),
  };
}

/**
 * @param {Kind} kind
 * @param {JsonObject} entry
 * @param {string} name
 */
function isDefaultable({ identity, title, sort }, entry, name) {
  const own = [identity, title, sort?.field, 'formerly', 'state', entry['required']];
  return ![...own, /** @type {JsonObject} */ (entry['else'])?.['required']].flat().includes(name);
}

/** @param {JsonObject} entry @returns {JsonObject} */
function propertiesOf({ properties }) {
  return /** @type {JsonObject} */ (properties);
}

/**
 * @param {Kind} kind
 * @param {string} name
 * @param {FactsOf} factsOf
 * @returns {JsonObject}
 */
function propertyOf(kind, name, factsOf) {
  const description = words.fields[`${definitionOf(kind)}.${name}`] ?? words.fields[name];
  const described = description === undefined ? {} : { description };
  const { fields, identity, sort, access } = kind;
  if (name === sort?.field) return { ...described, const: sort.value };
  if (name === 'state') return { ...described, const: 'absent' };
  if (name === 'exactly' || name === 'at_least') {
    const some = Object.keys(fields).filter(
      (field) => fields[field]?.part && (name === 'exactly' || fields[field].part === 'if at_least'),
    );
    return { ...described, type: 'array', items: { enum: some } };
  }
  if (name === access?.field) return { ...described, ...orReference(accessOf(kind, factsOf)) };
  const of = name === 'formerly' ? identity : name;
  const value = valueOf(kind, of, factsOf);
  const isText = of === 'name' && value['type'] === 'string' && value['minLength'] !== undefined;
  const named = of === identity && isText && { maxLength: value['maxLength'] ?? longestName };
  const blank = isText && name !== 'formerly' && value['pattern'] === undefined && notBlank;
  const whole = { ...value, ...named, ...blank };
  return { ...described, ...(name === 'formerly' ? whole : orReference(whole)) };
}

/**
 * @param {Kind} kind
 * @param {string} name
 * @param {FactsOf} factsOf
 * @returns {JsonObject}
 */
function valueOf(kind, name, factsOf) {
  const { refersTo, isHistory = false, written = {} } = kind.fields[name] ?? {};
  const facts = factsOf(kind.path.replace('/api/v3', '')).fields[name];
  if (facts === undefined) throw new Error(`the facts of ${kind.path} have no ${name}`);
  const { nullable: _, ...never } = facts;
  const { items } = facts;
  if (items === undefined) return merged(schemaOf(isHistory ? never : facts, name, refersTo), written);
  const description = words.items[name] ?? (refersTo && words.items[refersTo.type]);
  const item = merged(schemaOf(items, name, refersTo), /** @type {JsonObject} */ (written['items'] ?? {}));
  return { type: 'array', items: { ...orReference(item), ...(description && { description }) } };
}

/**
 * @param {import('../src/kinds/facts.ts').ValueFacts} facts
 * @param {string} name
 * @param {Family} [refersTo]
 * @returns {JsonObject}
 */
function schemaOf(facts, name, refersTo) {
  const { type, format, enum: values, fields, nullable = false } = facts;
  if (type === undefined) return {};
  const pattern = format === 'uuid' || format === 'date-time' ? { pattern: patterns[format] } : {};
  const types = [type, ...(refersTo ? ['object'] : []), ...(nullable ? ['null'] : [])];
  return {
    type: types.length === 1 ? type : types,
    ...(values && { enum: [...values, ...(nullable ? [null] : [])] }),
    ...Object.fromEntries(
      limits.flatMap((limit) => (facts[limit] === undefined ? [] : [[limit, facts[limit]]])),
    ),
    ...pattern,
    ...(refersTo && namesIn(refersTo)),
    ...(type === 'object' && (fields ? recordOf(fields, name) : { additionalProperties: true })),
  };
}

/**
 * The names that may stand in place of an id.
 *
 * @param {Family} related
 * @returns {JsonObject}
 */
function namesIn({ byName: { keys = { name: 'name' } } }) {
  const names = Object.keys(keys);
  return {
    additionalProperties: false,
    ...(names.length === 1 ? { required: names } : { minProperties: 1, maxProperties: 1 }),
    properties: Object.fromEntries(names.map((name) => [name, nameOfOne])),
  };
}

/**
 * @param {Readonly<Record<string, FieldFacts>>} fields
 * @param {string} within
 * @returns {JsonObject}
 */
function recordOf(fields, within) {
  const required = Object.keys(fields).filter((name) => fields[name]?.required);
  const properties = Object.entries(fields).map(([name, facts]) => {
    const description = words.fields[`${within}.${name}`];
    return [name, { ...(description && { description }), ...schemaOf(facts, `${within}.${name}`) }];
  });
  return { additionalProperties: false, required, properties: Object.fromEntries(properties) };
}

/**
 * Who may open one: `everyone`, or lists of ids.
 *
 * @param {Kind} kind
 * @param {FactsOf} factsOf
 * @returns {JsonObject}
 */
function accessOf({ access, fields }, factsOf) {
  const lists = access?.subjects.map(({ field, key }) => {
    const related = fields[field]?.refersTo;
    const id = factsOf(related?.path.replace('/api/v3', '') ?? '').fields['pk'] ?? {};
    const description = words.items[related?.type ?? ''];
    const item = { ...orReference(schemaOf(id, field, related)), ...(description && { description }) };
    return [key, { description: words.fields[field], ...orReference({ type: 'array', items: item }) }];
  });
  return {
    type: ['string', 'object'],
    pattern: '^everyone$',
    additionalProperties: false,
    properties: Object.fromEntries(lists ?? []),
  };
}

/**
 * A value, or a reference in its place: a text that may be any is that already.
 *
 * @param {JsonObject} value
 * @returns {JsonObject}
 */
function orReference(value) {
  const { type, enum: values, pattern, maxLength } = value;
  const isLimited = values !== undefined || maxLength !== undefined;
  const isAnyText =
    type === 'string' &&
    !isLimited &&
    [undefined, notBlank.pattern].includes(/** @type {string | undefined} */ (pattern));
  return isAnyText ? value : { anyOf: [value, reference] };
}

/**
 * @param {JsonObject} made
 * @param {JsonObject} written
 * @returns {JsonObject}
 */
function merged(made, written) {
  return { ...made, ...written };
}

/**
 * @template Value
 * @param {readonly Value[]} values
 * @param {(value: Value) => string} keyOf
 * @returns {Map<string, [Value, ...Value[]]>}
 */
function grouped(values, keyOf) {
  /** @type {Map<string, [Value, ...Value[]]>} */
  const groups = new Map();
  for (const value of values) {
    const known = groups.get(keyOf(value));
    groups.set(keyOf(value), known ? [...known, value] : [value]);
  }
  return groups;
}

/**
 * @template Value
 * @param {ReadonlyMap<string, [Value, ...Value[]]>} groups
 * @param {(key: string, values: [Value, ...Value[]]) => JsonObject} made
 * @returns {JsonObject}
 */
function mapped(groups, made) {
  return Object.fromEntries(Array.from(groups, ([key, values]) => [key, made(key, values)]));
}
