// What a schema of the service says of each type: its paths, filters and fields.

/** @typedef {import('../src/kinds/facts.ts').TypeFacts} TypeFacts */
/** @typedef {import('../src/kinds/facts.ts').ValueFacts} ValueFacts */

/** Types whose records nobody declares: what the service or its users make while they use it, and its tenants. */
const runtime = [
  /^\/(?:agents|authenticators|enterprise|oauth2|reports|ssf|tasks|tenants)\//,
  /^\/events\/(?:events|notifications)\//,
  /^\/endpoints\/(?:agents\/psso|devices|device_bindings)\//,
  /^\/providers\/\w+_(?:users|groups)\//,
  /^\/sources\/(?:user_connections|group_connections|scim_users|scim_groups)\//,
];
/** Lists that can only be read, to which fields refer, and single records. */
const others = new Set([
  '/admin/settings/',
  '/admin/version/',
  '/core/users/me/',
  '/rbac/permissions/',
  '/root/config/',
  '/stages/authenticator/webauthn_device_types/',
]);

/**
 * @param {any} schema as its YAML says it
 * @returns {{ release: string, types: Map<string, TypeFacts> }}
 */
export function readSchema(schema) {
  const release = schema.info.version.split('.').slice(0, 2).join('.');
  const paths = Object.keys(schema.paths).filter((path) => !path.includes('{') && schema.paths[path].get);
  return { release, types: new Map(paths.toSorted().flatMap((path) => typeAt(schema, path))) };
}

/**
 * @param {any} schema
 * @param {string} path
 * @returns {[string, TypeFacts][]}
 */
function typeAt(schema, path) {
  const list = schema.paths[path];
  const ofRecord = Object.keys(schema.paths).find(
    (one) => one.startsWith(`${path}{`) && /^[^/]*\/$/.test(one.slice(path.length)),
  );
  const record = schema.paths[ofRecord ?? ''] ?? {};
  const isDeclarable = list.post && record.patch && record.delete && !runtime.some((one) => one.test(path));
  const isFamily = /^\/[a-z]+\/(?:service_connections\/)?(?:all|connectors)\/$/.test(path);
  if (!isDeclarable && !others.has(path) && (!isFamily || /authenticators/.test(path))) return [];
  const answer = contentOf(list.get.responses['200']);
  const page = resolved(schema, answer).properties?.results;
  const shown = page?.items ?? answer;
  const sent = contentOf((list.post ?? list.put)?.requestBody);
  const changed = contentOf((record.patch ?? list.patch)?.requestBody);
  const [id] = record.get?.parameters ?? [];
  const can = {
    list: page !== undefined,
    read: page === undefined || record.get !== undefined,
    create: list.post !== undefined,
    change: (record.patch ?? list.patch) !== undefined,
    delete: record.delete !== undefined,
  };
  const model = modelOf(schema, shown);
  const facts = {
    actions: actionsOf(schema, path, ofRecord),
    can: Object.entries(can).flatMap(([name, is]) => (is ? name : [])),
    fields: fieldsOf(schema, { sent, changed, shown }),
    filters: filtersOf(schema, list.get),
    ...(id && { id: { name: id.name, ...valueOf(schema, id.schema) } }),
    ...(model && { model }),
  };
  return [[path, /** @type {TypeFacts} */ (facts)]];
}

/** @param {any} message a request or an answer */
function contentOf(message) {
  return message?.content?.['application/json']?.schema ?? {};
}

/**
 * @param {any} schema
 * @param {any} node
 * @returns {any}
 */
function resolved(schema, node) {
  if (node?.$ref === undefined) return node ?? {};
  const [, , kind, name] = node.$ref.split('/');
  return resolved(schema, schema.components[kind][name]);
}

/**
 * The model after which the permissions of a type are named: it is one of those by which events are matched.
 *
 * @param {any} schema
 * @param {any} shown
 * @returns {string | undefined}
 */
function modelOf(schema, shown) {
  const name = shown.$ref?.split('/').at(-1).toLowerCase();
  const enums = Object.values(schema.components.schemas).flatMap((one) => one.enum ?? []);
  return enums.find((one) => /^authentik_\w+\.\w+$/.test(one) && one.split('.')[1] === name);
}

/**
 * @param {any} schema
 * @param {any} operation
 * @returns {Record<string, ValueFacts>}
 */
function filtersOf(schema, operation) {
  const parameters = (operation.parameters ?? []).map((/** @type {any} */ one) => resolved(schema, one));
  const query = parameters.filter((/** @type {any} */ one) => one.in === 'query');
  return Object.fromEntries(query.map((/** @type {any} */ one) => [one.name, valueOf(schema, one.schema)]));
}

/**
 * What else can be asked or done, below the list and below a record, with the names of its parameters.
 *
 * @param {any} schema
 * @param {string} path
 * @param {string | undefined} ofRecord
 */
function actionsOf(schema, path, ofRecord) {
  const found = Object.keys(schema.paths).flatMap((one) => {
    const own = [ofRecord, path].find(
      (start) => start !== undefined && one.startsWith(start) && /^\w+\/$/.test(one.slice(start.length)),
    );
    if (own === undefined) return [];
    const name = own === path ? one.slice(path.length) : `{}/${one.slice(own.length)}`;
    return Object.entries(schema.paths[one]).map(([method, operation]) => [
      `${method.toUpperCase()} ${name}`,
      Object.keys(filtersOf(schema, operation)),
    ]);
  });
  return Object.fromEntries(found);
}

/**
 * @param {any} schema
 * @param {{ sent: any, changed: any, shown: any }} records
 */
function fieldsOf(schema, records) {
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

/**
 * A value that is only shown: of a record in it, what it is called.
 *
 * @param {any} schema
 * @param {any} node
 */
function shownValue(schema, node) {
  const { fields: _, items, ...value } = valueOf(schema, node);
  const name = (node.items ?? node.allOf?.[0] ?? node).$ref?.split('/').at(-1);
  const isRecord = items?.fields !== undefined || _ !== undefined;
  return { ...value, ...(isRecord ? name && { of: name } : items && { items }) };
}

/**
 * What a value has to be. Nothing is kept of titles and descriptions.
 *
 * @param {any} schema
 * @param {any} node
 * @returns {ValueFacts}
 */
function valueOf(schema, node) {
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
  ];
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
