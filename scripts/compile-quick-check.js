// Makes code of a schema that says only whether a value satisfies it. It is a twentieth of what says all that is wrong, so a run that finds
// nothing wrong loads no more. Where it cannot tell, it says no.

const describing = new Set(['$schema', 'title', 'description', 'definitions', 'discriminator']);

/**
 * The body of a module with the function `satisfies`. Throws where a schema demands something that is not known here.
 *
 * @param {any} root
 */
export function quickCheckOf(root) {
  /** @type {Map<string, string>} the names of functions, by what they do */
  const functions = new Map();

  /** @param {string} body of a function of `v` */
  function named(body) {
    const name = functions.get(body) ?? `is${functions.size}`;
    functions.set(body, name);
    return name;
  }

  /**
   * The name of the function that does it for a schema.
   *
   * @param {any} schema
   * @returns {string}
   */
  function checkOf({ $ref, ...schema }) {
    return $ref === undefined ? named(`return ${holds(schema)};`) : checkOf(at(root, $ref));
  }

  /**
   * Whether `v` satisfies a schema, as an expression.
   *
   * @param {any} schema
   * @returns {string}
   */
  function holds(schema) {
    if (schema.$ref !== undefined) return `${checkOf(schema)}(v)`;
    /** @type {any} */
    const { type = [], const: only, enum: some = only === undefined ? undefined : [only], ...rest } = schema;
    const terms = type.length > 0 ? [anyOf([type].flat(), (one) => types[one])] : [];
    if (some !== undefined) terms.push(anyOf(some, (one) => `v === ${JSON.stringify(one)}`));
    const { properties, additionalProperties = true, required = [], items, ...others } = rest;
    if (properties !== undefined || additionalProperties !== true)
      terms.push(`(!isObject(v) || ${named(eachField(properties, additionalProperties))}(v))`);
    for (const name of required) terms.push(`(!isObject(v) || v[${JSON.stringify(name)}] !== undefined)`);
    if (items !== undefined) terms.push(`(!Array.isArray(v) || v.every(${checkOf(items)}))`);
    for (const [keyword, value] of Object.entries(others)) {
      if (describing.has(keyword) || keyword === 'then' || keyword === 'else') continue;
      const demand = demands[keyword];
      if (demand === undefined) throw new Error(`${keyword} is not known to the quick check`);
      terms.push(`(${demand(value, schema)})`);
    }
    return terms.length === 0 ? 'true' : terms.join(' && ');
  }

  /**
   * @param {Readonly<Record<string, any>>} [properties]
   * @param {boolean} [others] whether there may be others
   */
  function eachField(properties = {}, others) {
    if (typeof others !== 'boolean')
      throw new Error('a schema of other fields is not known to the quick check');
    const cases = Object.entries(properties).map(
      ([name, schema]) =>
        `case ${JSON.stringify(name)}: if (!${checkOf(schema)}(v[key])) return false; break;`,
    );
    return `for (const key in v) switch (key) { ${cases.join(' ')} default: ${others ? '' : 'return false;'} } return true;`;
  }

  /** @type {Readonly<Record<string, (value: any, schema: any) => string>>} */
  const demands = {
    pattern: (pattern) => `typeof v !== "string" || /${new RegExp(pattern, 'u').source}/u.test(v)`,
    // A length is counted in code points, of which there are at least half as many as units.
    minLength: (least) => `typeof v !== "string" || v.length > ${2 * (least - 1)}`,
    maxLength: (most) => `typeof v !== "string" || v.length <= ${most}`,
    minProperties: (least) => `!isObject(v) || Object.keys(v).length >= ${least}`,
    maxProperties: (most) => `!isObject(v) || Object.keys(v).length <= ${most}`,
    anyOf: (schemas) => anyOf(schemas, holds),
    oneOf: (schemas) => anyOf(schemas, holds), // each has its own `type`
    if: (condition, schema) =>
      `${holds(condition)} ? ${holds(schema.then ?? {})} : ${holds(schema.else ?? {})}`,
  };

  const whole = checkOf(root);
  return [
    'const isObject = (v) => typeof v === "object" && v !== null && !Array.isArray(v);',
    ...[...functions].map(([body, name]) => `function ${name}(v) { ${body} }`),
    `export const satisfies: (value: unknown) => boolean = ${whole};\n`,
  ].join('\n');
}

/** @type {Readonly<Record<string, string>>} */
const types = {
  string: 'typeof v === "string"',
  boolean: 'typeof v === "boolean"',
  integer: 'Number.isInteger(v)',
  null: 'v === null',
  array: 'Array.isArray(v)',
  object: 'isObject(v)',
};

/**
 * @param {readonly any[]} all
 * @param {(one: any) => string | undefined} holds
 */
function anyOf(all, holds) {
  return `(${all.map((one) => holds(one) ?? 'false').join(' || ')})`;
}

/**
 * What a JSON pointer leads to.
 *
 * @param {any} root
 * @param {string} pointer
 */
function at(root, pointer) {
  return pointer
    .split('/')
    .slice(1)
    .reduce((node, step) => node[step], root);
}
