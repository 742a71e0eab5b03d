// Reads the facts about each type from an API schema of the service.
import type { TypeFacts, ValueFacts } from '../../src/kinds/facts.ts';

/** The parts of OpenAPI that the service uses. */
export interface ApiSchema {
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, SchemaNode>>>>;
}

interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Message;
  readonly responses: Readonly<Record<string, Message>>;
}

interface Parameter extends SchemaNode {
  readonly name: string;
  readonly in: string;
  readonly schema: SchemaNode;
}

interface Message {
  readonly content?: Readonly<Record<string, { readonly schema: SchemaNode }>>;
}

interface SchemaNode extends Omit<ValueFacts, 'enum' | 'items' | 'nullable'> {
  readonly $ref?: string;
  readonly allOf?: readonly SchemaNode[];
  readonly oneOf?: readonly SchemaNode[];
  readonly enum?: readonly (string | number | null)[];
  readonly items?: SchemaNode;
  readonly nullable?: boolean;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
}

/** Types that manifests do not declare: tenants, and types whose records the service or its users make at run time. */
const runtime = [
  /^\/(?:agents|authenticators|enterprise|oauth2|reports|ssf|tasks|tenants)\//,
  /^\/events\/(?:events|notifications)\//,
  /^\/endpoints\/(?:agents\/psso|devices|device_bindings)\//,
  /^\/providers\/\w+_(?:users|groups)\//,
  /^\/sources\/(?:user_connections|group_connections|scim_users|scim_groups)\//,
];
/** Read-only lists to which fields refer, and single records. */
const others = new Set([
  '/admin/settings/',
  '/admin/version/',
  '/core/users/me/',
  '/rbac/permissions/',
  '/root/config/',
  '/stages/authenticator/webauthn_device_types/',
]);

export function readSchema(schema: ApiSchema): { release: string; types: Map<string, TypeFacts> } {
  const release = schema.info.version.split('.').slice(0, 2).join('.');
  const paths = Object.keys(schema.paths).filter(
    (path) => !path.includes('{') && schema.paths[path]?.['get'],
  );
  return { release, types: new Map(paths.toSorted().flatMap((path) => typeAt(schema, path))) };
}

function typeAt(schema: ApiSchema, path: string): [string, TypeFacts][] {
  const list = schema.paths[path] ?? {};
  const ofRecord = Object.keys(schema.paths).find(
    (one) => one.startsWith(`${path}{`) && /^[^/]*\/$/.test(one.slice(path.length)),
  );
  const record = schema.paths[ofRecord ?? ''] ?? {};
  const isDeclarable =
    list['post'] && record['patch'] && record['delete'] && !runtime.some((one) => one.test(path));
  const isFamily = /^\/[a-z]+\/(?:service_connections\/)?(?:all|connectors)\/$/.test(path);
  if (!isDeclarable && !others.has(path) && (!isFamily || /authenticators/.test(path))) return [];
  const answer = contentOf(list['get']?.responses['200']);
  const page = resolved(schema, answer).properties?.['results'];
  const shown = page?.items ?? answer;
  const sent = contentOf((list['post'] ?? list['put'])?.requestBody);
  const changed = contentOf((record['patch'] ?? list['patch'])?.requestBody);
  const [id] = record['get']?.parameters ?? [];
  const can = {
    list: page !== undefined,
    read: page === undefined || record['get'] !== undefined,
    create: list['post'] !== undefined,
    change: (record['patch'] ?? list['patch']) !== undefined,
    delete: record['delete'] !== undefined,
  };
  const model = modelOf(schema, shown);
  const facts = {
    actions: actionsOf(schema, path, ofRecord),
    can: Object.entries(can).flatMap(([name, is]) => (is ? name : [])),
    fields: fieldsOf(schema, { sent, changed, shown }),
    filters: filtersOf(schema, list['get']),
    ...(id && { id: { name: id.name, ...valueOf(schema, id.schema) } }),
    ...(model && { model }),
  };
  return [[path, facts as TypeFacts]]; // the keys of `can` are all operations
}

function contentOf(message: Message | undefined): SchemaNode {
  return message?.content?.['application/json']?.schema ?? {};
}

function resolved(schema: ApiSchema, node: SchemaNode = {}): SchemaNode {
  if (node.$ref === undefined) return node;
  const [, , kind = '', name = ''] = node.$ref.split('/');
  return resolved(schema, schema.components[kind]?.[name]);
}

/** The model in the permissions of a type. All models are in the enum by which event matchers match. */
function modelOf(schema: ApiSchema, shown: SchemaNode): string | undefined {
  const name = shown.$ref?.split('/').at(-1)?.toLowerCase();
  const enums = Object.values(schema.components['schemas'] ?? {}).flatMap((one) => one.enum ?? []);
  return enums.map(String).find((one) => /^authentik_\w+\.\w+$/.test(one) && one.split('.')[1] === name);
}

function filtersOf(schema: ApiSchema, operation: Operation | undefined): Record<string, ValueFacts> {
  const parameters = (operation?.parameters ?? []).map((one) => resolved(schema, one) as Parameter); // refers to another
  const query = parameters.filter((one) => one.in === 'query');
  return Object.fromEntries(query.map((one) => [one.name, valueOf(schema, one.schema)]));
}

/** Further operations below the list and below a record, with the names of their parameters. */
function actionsOf(schema: ApiSchema, path: string, ofRecord: string | undefined): TypeFacts['actions'] {
  const found = Object.keys(schema.paths).flatMap((one) => {
    const own = [ofRecord, path].find(
      (start) => start !== undefined && one.startsWith(start) && /^\w+\/$/.test(one.slice(start.length)),
    );
    if (own === undefined) return [];
    const name = own === path ? one.slice(path.length) : `{}/${one.slice(own.length)}`;
    return Object.entries(schema.paths[one] ?? {}).map(([method, operation]) => [
      `${method.toUpperCase()} ${name}`,
      Object.keys(filtersOf(schema, operation)),
    ]);
  });
  return Object.fromEntries(found);
}

function fieldsOf(
  schema: ApiSchema,
  records: { sent: SchemaNode; changed: SchemaNode; shown: SchemaNode },
): TypeFacts['fields'] {
  const sent = resolved(schema, Object.keys(records.sent).length > 0 ? records.sent : records.changed);
  const shown = resolved(schema, records.shown);
  const names = new Set([...Object.keys(sent.properties ?? {}), ...Object.keys(shown.properties ?? {})]);
  return Object.fromEntries(
    Array.from(names, (name) => {
      const [own, answered] = [sent.properties?.[name], shown.properties?.[name]];
      if (own === undefined) return [name, { ...shownValue(schema, answered), readOnly: true }];
      return [
        name,
        {
          ...valueOf(schema, own),
          ...(sent.required?.includes(name) && { required: true }),
          ...(answered === undefined && { writeOnly: true }),
        },
      ];
    }),
  );
}

/** A read-only value. A nested record is replaced by the name of its schema. */
function shownValue(schema: ApiSchema, node: SchemaNode = {}): ValueFacts {
  const { fields, items, ...value } = valueOf(schema, node);
  const name = (node.items ?? node.allOf?.[0] ?? node).$ref?.split('/').at(-1);
  const isRecord = items?.fields !== undefined || fields !== undefined;
  return { ...value, ...(isRecord ? name && { of: name } : items && { items }) };
}

/** The facts about a value, without titles and descriptions. */
function valueOf(schema: ApiSchema, node: SchemaNode): ValueFacts {
  const { $ref, allOf = [], oneOf = [], items, properties, required = [], enum: values = [] } = node;
  const parts = [...($ref ? [resolved(schema, node)] : []), ...allOf, ...oneOf].map((part) =>
    valueOf(schema, part),
  );
  const enums = [...parts.flatMap((part) => part.enum ?? []), ...values];
  const texts = enums.filter((value) => value !== null);
  const plain = [
    'default',
    'format',
    'maxLength',
    'maximum',
    'minLength',
    'minimum',
    'nullable',
    'pattern',
    'type',
  ] as const;
  const fields = Object.entries(properties ?? {}).map(([name, inner]) => [
    name,
    { ...valueOf(schema, inner), ...(required.includes(name) && { required: true }) },
  ]);
  return {
    ...Object.assign({}, ...parts),
    ...Object.fromEntries(plain.flatMap((key) => (node[key] === undefined ? [] : [[key, node[key]]]))),
    ...(texts.length > 0 && { enum: texts }),
    ...((node.nullable || enums.length > texts.length) && { nullable: true }),
    ...(items && { items: valueOf(schema, items) }),
    ...(properties && { fields: Object.fromEntries(fields) }),
  };
}
