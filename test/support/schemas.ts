import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { isJsonObject } from '../../src/base/json.ts';
import { schemaText } from '../../src/base/package-file.ts';

type SchemaName = Parameters<typeof schemaText>[0];

const compiled = new Map<SchemaName, ValidateFunction>();

/** The violations of a published schema in a document. */
export function schemaErrors(name: SchemaName, document: unknown): unknown[] {
  const validate = compiled.get(name) ?? compile(name);
  validate(document);
  return validate.errors ?? [];
}

export function readSchema(name: SchemaName): object {
  return JSON.parse(schemaText(name)) as object; // does not compile unless it is an object
}

function compile(name: SchemaName): ValidateFunction {
  const ajv = new Ajv({ allErrors: true, allowUnionTypes: true, strictRequired: false });
  addFormats.default(ajv);
  const validate = ajv.compile(closed(readSchema(name)));
  compiled.set(name, validate);
  return validate;
}

/** The schema with every object closed, so that a document with an undescribed field violates it. */
function closed<T>(schema: T): T {
  return JSON.parse(JSON.stringify(schema), (_, part: unknown) =>
    isJsonObject(part) && 'properties' in part && part['type'] === 'object'
      ? { additionalProperties: false, ...part }
      : part,
  ) as T;
}
