// Makes the JSON Schema of manifests: values from the API schema of the service, and descriptions for editors from the rows of the
// kinds and from manifest-words.json.
import { readFileSync } from 'node:fs';
import type { JsonObject } from '../../src/base/json.ts';
import type { Children } from '../../src/kinds/children.ts';
import type { FieldFacts, ValueFacts } from '../../src/kinds/facts.ts';
import type { Family, Kind } from '../../src/kinds/kind.ts';

type FactsOf = (path: string) => { readonly fields: Readonly<Record<string, FieldFacts>> };

interface Making {
  readonly factsOf: FactsOf;
  /** The values that several fields share, by the name of the definition. */
  readonly shared: Map<string, JsonObject>;
}

interface EntryOfKind {
  readonly kind: Kind;
  readonly entry: JsonObject;
}

const words: Record<
  'lists' | 'entries' | 'fields' | 'items',
  Record<string, string | undefined>
> = JSON.parse(readFileSync('scripts/manifest-words.json', 'utf8'));

const reference = { $ref: '#/definitions/reference' };
const nameOfOne = { $ref: '#/definitions/nameOfOne' };
const boolean = { $ref: '#/definitions/boolean' };
/** At least one character that the service does not treat as white space. */
const notBlank = { pattern: String.raw`\S|` + '\uFEFF' };
const longestName = 500;
const patterns = {
  uuid: '^([0-9a-fA-F]{32}|[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12})$',
  'date-time':
    String.raw`^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt ]` +
    String.raw`([01]\d|2[0-3]):[0-5]\d(:([0-5]\d|60)(\.\d+)?)?([Zz]|[+-]([01]\d|2[0-3])(:?[0-5]\d)?)?$`,
};
const limits = ['minLength', 'maxLength', 'minimum', 'maximum', 'pattern'] as const;

export function manifestSchema(kinds: readonly Kind[], factsOf: FactsOf): JsonObject {
  const making: Making = { factsOf, shared: new Map() };
  const entries = withShared(
    kinds.map((kind) => ({ kind, entry: entryOf(kind, making) })),
    making,
  );
  const byList = grouped(entries, ({ kind }) => kind.list);
  const ofVariants = entries.filter(({ kind }) => kind.variant !== undefined);
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
          "Values for the fields that an entry of this file leaves out. An entry's own value replaces the whole default; lists and attributes are not merged.",
        type: 'object',
        additionalProperties: false,
        properties: {
          ...mapped(byType, (type) => ({ $ref: `#/definitions/${type}_defaults` })),
          ...Object.fromEntries(
            ofVariants.map(({ kind }) => [
              `${kind.type}.${kind.variant?.value}`,
              { $ref: `#/definitions/${definitionOf(kind)}_defaults` },
            ]),
          ),
        },
      },
      ...mapped(byList, (list, some) => ({
        description: words.lists[list] ?? `The ${list.replaceAll('_', ' ')} that the service should have.`,
        type: 'array',
        ...(some[0].kind.single !== undefined && { maxItems: 1 }),
        items: oneOf(some.map(({ kind }) => kind)),
      })),
    },
    definitions: {
      ...Object.fromEntries(entries.map(({ kind, entry }) => [definitionOf(kind), entry])),
      ...Object.fromEntries(
        Array.from(byType, ([type, all]) => [`${type}_defaults`, defaultsOf(all, making)]),
      ),
      ...Object.fromEntries(
        ofVariants.map((one) => [`${definitionOf(one.kind)}_defaults`, defaultsOf([one], making)]),
      ),
      ...Object.fromEntries(making.shared),
      boolean: { anyOf: [{ type: 'boolean' }, reference] },
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
          'A text with a reference: ${var:NAME} for a variable, ${env:NAME} for an environment variable, ${file:PATH} for the content of a file, which is kept secret, ${text:PATH} for the content of a file that plans show. References are resolved before the value is checked.',
        type: 'string',
        pattern: String.raw`\$\{(var|env|file|text):[^}]+\}`,
      },
    },
  };
}

/** A value gets a definition if at least this many fields share it and its JSON has at least this many characters. */
const often = 3;
const longest = 80;

function withShared(entries: readonly EntryOfKind[], { shared }: Making) {
  const all = entries.flatMap(({ entry }) => Object.entries(propertiesOf(entry)));
  const uses = grouped(all, ([, value]) => JSON.stringify(value));
  const refs: Map<string, JsonObject> = new Map();
  for (const [text, some] of uses) {
    if (some.length < often || text.length < longest) continue;
    const [[field, value]] = some;
    const sameName = [...shared.keys()].filter((name) => name.startsWith(`field_${field}`)).length;
    const name = `field_${field}${sameName > 0 ? `_${sameName + 1}` : ''}`;
    shared.set(name, value);
    refs.set(text, { $ref: `#/definitions/${name}` });
  }
  return entries.map(({ kind, entry }) => ({
    kind,
    entry: {
      ...entry,
      properties: Object.fromEntries(
        Object.entries(propertiesOf(entry)).map(([name, value]) => [
          name,
          refs.get(JSON.stringify(value)) ?? value,
        ]),
      ),
    },
  }));
}

function oneOf(kinds: readonly Kind[]) {
  const choices = kinds.map((kind) => ({ $ref: `#/definitions/${definitionOf(kind)}` }));
  return choices.length === 1 && kinds[0]?.variant === undefined
    ? (choices[0] ?? {})
    : { type: 'object', oneOf: choices };
}

/** The name of the definition for the entries of a kind. */
export function definitionOf({ type, variant }: Kind) {
  return variant ? `${type}_${variant.value}` : type;
}

function entryOf(kind: Kind, making: Making) {
  const { identity, variant, single, words: said } = kind;
  // For other kinds, a plan finds out whether the record is new.
  const demanded = Object.entries(kind.fields).flatMap(([name, { isRequired, ifMissing }]) =>
    kind.lookUp.isDocumented && isRequired && name !== identity && !ifMissing ? [name] : [],
  );
  const always = [...(single === undefined ? [identity] : []), ...(variant ? [variant.field] : [])];
  const names = new Set(Object.keys(kind.fields).map((name) => name.split('.', 1)[0] ?? ''));
  const properties = Object.fromEntries(Array.from(names, (name) => [name, propertyOf(kind, name, making)]));
  return {
    title: definitionOf(kind),
    description:
      words.entries[definitionOf(kind)] ??
      `${said.one.replace(/^./, (letter) => letter.toUpperCase())}. A field that is left out is not managed.`,
    type: 'object',
    additionalProperties: false,
    // An entry with `state: absent` contains only its identity.
    ...(demanded.length > 0 && kind.fields['state']
      ? { required: always, if: { required: ['state'] }, else: { required: demanded } }
      : { required: [...always, ...demanded] }),
    properties,
  };
}

/** The defaults of a type: the fields that are equal in all of its kinds that have them. */
function defaultsOf(all: readonly [EntryOfKind, ...EntryOfKind[]], { shared }: Making) {
  const [
    {
      kind: { type, variant, single, words: said },
    },
  ] = all;
  const names = new Set(all.flatMap(({ entry }) => Object.keys(propertiesOf(entry))));
  const fields = Array.from(names, (name) => {
    const having = all.filter(({ entry }) => propertiesOf(entry)[name] !== undefined);
    const values = new Set(
      having.map(({ entry }) => {
        const { $ref, ...own } = propertiesOf(entry)[name] ?? {};
        const to = typeof $ref === 'string' ? $ref.replace('#/definitions/', '') : '';
        const value = to.startsWith('field_') ? shared.get(to) : { ...own, ...($ref && { $ref }) };
        return JSON.stringify({ ...value, description: undefined });
      }),
    );
    const isOne = values.size === 1 && having.every(({ kind, entry }) => isDefaultable(kind, entry, name));
    return isOne && having[0]
      ? [[name, { $ref: `#/definitions/${definitionOf(having[0].kind)}/properties/${name}` }]]
      : [];
  });
  return {
    title: `${all.length > 1 || variant === undefined ? type : definitionOf(all[0].kind)}_defaults`,
    description: `Values for the fields that ${said.one} in this file ${single === undefined ? 'leaves' : 'leave'} out${all.length > 1 ? ', if its type has these fields' : ''}.`,
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(fields.flat()),
  };
}

function isDefaultable({ identity, title, variant }: Kind, entry: JsonObject, name: string) {
  const own = [identity, title, variant?.field, 'formerly', 'state', entry['required']];
  return ![...own, (entry['else'] as JsonObject | undefined)?.['required']].flat().includes(name);
}

function propertiesOf({ properties }: JsonObject): Record<string, JsonObject> {
  return properties as Record<string, JsonObject>; // as entryOf makes them
}

function propertyOf(kind: Kind, name: string, making: Making): JsonObject {
  const { fields, identity, variant, access } = kind;
  const said = descriptionOf(kind, name);
  const described = said === '' ? {} : { description: said };
  if (name === variant?.field) return { ...described, const: variant.value };
  if (name === 'state') return { ...described, const: 'absent' };
  if (name === 'exactly' || name === 'at_least') {
    const some = Object.keys(fields).filter((field) => {
      const { part } = fields[field] ?? {};
      return part === 'if at_least' || (part === 'unless exactly' && name === 'exactly');
    });
    const always = Object.keys(fields).filter((field) => fields[field]?.part === 'always');
    const description = `\`${always.join('` and `')}\` is always declared in part, because the service adds its own items.`;
    return { ...described, type: 'array', items: { enum: some, ...(always.length > 0 && { description }) } };
  }
  const { children } = fields[name] ?? {};
  if (children)
    return { ...described, ...orReference({ type: 'array', items: bindingOf(children, making) }) };
  if (name === access?.field) return { ...described, ...orReference(accessOf(kind, making)) };
  const of = name === 'formerly' ? identity : name;
  const value = valueOf(kind, of, making);
  const isText = of === 'name' && value['type'] === 'string' && value['minLength'] !== undefined;
  const named = of === identity && isText && { maxLength: value['maxLength'] ?? longestName };
  const blank = isText && name !== 'formerly' && value['pattern'] === undefined && notBlank;
  const whole = { ...value, ...named, ...blank };
  return { ...described, ...(name === 'formerly' ? whole : orReference(whole)) };
}

/** The description of a field for editors: from manifest-words.json, from the row, and from the API schema. */
function descriptionOf(kind: Kind, name: string) {
  const { fields, identity, scope, variant, type } = kind;
  const { default: value, since, isSecret, isWriteOnly, shownAs } = fields[name] ?? {};
  const isUnseen = isWriteOnly && !shownAs;
  const isMapping = kind.fields[name]?.tableForm === 'columns';
  const own = [identity, scope, variant?.field].filter((one) => one !== undefined);
  const isTelling = value !== undefined && value !== null && value !== '' && typeof value !== 'object';
  const sentences = [
    words.fields[`${definitionOf(kind)}.${name}`] ?? words.fields[`${type}.${name}`] ?? words.fields[name],
    name === 'formerly' &&
      `The former ${identity} of a renamed record. If the service still has this ${identity}, the capability \`update\` renames the record, which keeps its id. Delete this field once every service has the new ${identity}. The field is not sent to the service.`,
    name === 'state' &&
      `\`absent\` deletes the record, with the capability \`delete\`. Such an entry contains only ${own.map((field) => `\`${field}\``).join(' and ')} in addition to this field.`,
    name === scope &&
      `Required, because the ${identity} of an entry is unique only within its ${scope}. The address of an entry is \`${type}.${scope.toUpperCase()}/${identity.toUpperCase()}\`.`,
    isSecret &&
      `The value must ${isMapping ? 'be `${env:NAME}` or `${file:PATH}`' : 'come from `${env:NAME}`, `${file:PATH}` or `${generate:LENGTH}`'}. It is ${isUnseen ? '' : 'sent and compared, but '}never shown.`,
    isSecret &&
      isMapping &&
      'The text is a mapping in JSON or YAML. An empty mapping may be written as `{}`.',
    isUnseen &&
      'The service does not return this field, so it is not compared. It is sent when a record is created, and with `--resend`.',
    isTelling &&
      `The service's default is ${/^\w+$/.test(String(value)) ? String(value) : `\`${String(value)}\``}.`,
    since !== undefined && `From release ${since} on; earlier releases ignore this field.`,
  ];
  return sentences.filter(Boolean).join(' ');
}

function valueOf(kind: Kind, name: string, making: Making): JsonObject {
  const { refersTo, isHistorical = false, written = {} } = kind.fields[name] ?? {};
  const facts = making.factsOf(kind.path.replace('/api/v3', '')).fields[name];
  if (facts === undefined) throw new Error(`the facts of ${kind.path} have no ${name}`);
  const { nullable: _, items, ...never } = facts;
  if (items === undefined) {
    if (refersTo) return idOf(refersTo, facts, making);
    const whole = { ...schemaOf(isHistorical ? never : facts, name), ...written };
    // JSON that is declared in part has no required keys.
    return kind.fields[name]?.part ? { ...whole, ...(facts.fields && { required: [] }) } : whole;
  }
  const description = words.items[name];
  const item = refersTo
    ? idOf(refersTo, items, making)
    : { ...schemaOf(items, name), ...(written['items'] as JsonObject | undefined) };
  return { type: 'array', items: { ...(description && { description }), ...orReference(item) } };
}

/** The id or name of a record of another kind. */
function idOf(
  { type: of, list, keys = { name: 'name' } }: Family,
  { nullable, ...facts }: ValueFacts,
  { shared }: Making,
): JsonObject {
  const { type = 'string', ...id } = schemaOf(facts, of);
  const names = Object.keys(keys);
  const form = type === 'integer' ? 'a number' : 'a UUID with or without its dashes';
  const noun = list.replace(/ies$/, 'y').replace(/s$/, '').replaceAll('_', ' ');
  const ways = names.length > 1 ? `, or ${names.map((key) => `\`{ ${key}: … }\``).join(' or ')}` : '';
  const value = orReference({
    description: `${/^(?!user)[aeiou]/.test(noun) ? 'An' : 'A'} ${noun}: its id, which is ${form}${ways}${nullable ? ', or null for none' : ''}.`,
    type: [type, 'object', ...(nullable ? ['null'] : [])],
    ...id,
    additionalProperties: false,
    ...(names.length === 1 ? { required: names } : { minProperties: 1, maxProperties: 1 }),
    properties: Object.fromEntries(names.map((name) => [name, nameOfOne])),
  });
  const name = `${of}_id${nullable ? '_or_null' : ''}`;
  const known = shared.get(name);
  if (known && JSON.stringify(known) !== JSON.stringify(value)) throw new Error(`${name} has two forms`);
  shared.set(name, value);
  return { $ref: `#/definitions/${name}` };
}

function schemaOf(facts: ValueFacts, name: string): JsonObject {
  const { type, format, enum: values, fields, nullable = false } = facts;
  if (type === undefined) return {};
  const pattern = format === 'uuid' || format === 'date-time' ? { pattern: patterns[format] } : {};
  return {
    type: nullable ? [type, 'null'] : type,
    ...(values && { enum: [...values, ...(nullable ? [null] : [])] }),
    ...Object.fromEntries(
      limits.flatMap((limit) => (facts[limit] === undefined ? [] : [[limit, facts[limit]]])),
    ),
    ...pattern,
    ...(type === 'object' && (fields ? recordOf(fields, name) : { additionalProperties: true })),
  };
}

function recordOf(fields: Readonly<Record<string, FieldFacts>>, within: string): JsonObject {
  const required = Object.keys(fields).filter((name) => fields[name]?.required);
  const properties = Object.entries(fields).map(([name, facts]) => {
    const description = words.fields[`${within}.${name}`];
    return [name, { ...(description && { description }), ...schemaOf(facts, `${within}.${name}`) }];
  });
  return { additionalProperties: false, required, properties: Object.fromEntries(properties) };
}

/** The value of `access`: `everyone`, or lists of ids. */
function accessOf({ access, fields }: Kind, making: Making): JsonObject {
  const lists = access?.subjects.map(({ field, key }) => {
    const related = fields[field]?.refersTo;
    if (related === undefined) throw new Error(`${field} refers to nothing`);
    const id = making.factsOf(related.path.replace('/api/v3', '')).fields['pk'] ?? {};
    const list = orReference({ type: 'array', items: idOf(related, id, making) });
    return [key, { description: words.fields[field], ...list }];
  });
  return {
    type: ['string', 'object'],
    pattern: '^everyone$',
    additionalProperties: false,
    properties: Object.fromEntries(lists ?? []),
  };
}

/** A binding: its child, by id or name, and its other fields. */
function bindingOf(
  { model: { name: type }, path, binds, fields: declared, inside }: Children,
  making: Making,
): JsonObject {
  const { fields } = making.factsOf(path.replace('/api/v3', ''));
  const bound = binds.map(({ idField, refersTo }) => {
    const { nullable: _, ...id } = fields[idField] ?? {};
    return [idField, idOf(refersTo, id, making)];
  });
  const others = Object.entries(declared).map(([name, { default: value }]) => {
    const sentences = [
      words.fields[`bindings.${name}`],
      value !== undefined && `The service's default is ${JSON.stringify(value)}.`,
    ];
    const { nullable: _, ...facts } = fields[name] ?? {};
    return [
      name,
      { description: sentences.filter(Boolean).join(' '), ...orReference(schemaOf(facts, name)) },
    ];
  });
  const nested = inside
    ? [
        [
          inside.field,
          {
            description: words.fields[inside.field],
            ...orReference({ type: 'array', items: bindingOf(inside.children, making) }),
          },
        ],
      ]
    : [];
  making.shared.set(type, {
    title: type,
    description: 'One binding. A field that is left out is not compared.',
    type: 'object',
    additionalProperties: false,
    required: ['order'],
    properties: Object.fromEntries([...bound, ...others, ...nested]),
  });
  return { $ref: `#/definitions/${type}` };
}

/** Allows a reference such as `${env:NAME}` in place of a value, unless the value can be any string. */
function orReference(value: JsonObject): JsonObject {
  const { $ref, type, enum: values, pattern, maxLength } = value;
  const isLimited = values !== undefined || maxLength !== undefined;
  const isAnyText =
    type === 'string' && !isLimited && [undefined, notBlank.pattern].includes(pattern as string | undefined);
  if (type === 'boolean') return boolean;
  return isAnyText || $ref !== undefined ? value : { anyOf: [value, reference] };
}

function grouped<Value>(
  values: readonly Value[],
  keyOf: (value: Value) => string,
): Map<string, [Value, ...Value[]]> {
  const groups: Map<string, [Value, ...Value[]]> = new Map();
  for (const value of values) {
    const known = groups.get(keyOf(value));
    groups.set(keyOf(value), known ? [...known, value] : [value]);
  }
  return groups;
}

function mapped<Value>(
  groups: ReadonlyMap<string, [Value, ...Value[]]>,
  made: (key: string, values: [Value, ...Value[]]) => JsonObject,
): JsonObject {
  return Object.fromEntries(Array.from(groups, ([key, values]) => [key, made(key, values)]));
}
