import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { schemaText } from '../../src/base/package-file.ts';

type SchemaName = Parameters<typeof schemaText>[0];

const compiled = new Map<SchemaName, ValidateFunction>();

/** The violations of a published schema in a document. */
export function schemaErrors(name: SchemaName, document: unknown): unknown[] {
  const validate = compiled.get(name) ?? compile(name);
  validate(document);
  return validate.errors ?? [];
}

/** A published schema. */
export function readSchema(name: SchemaName): object {
  return JSON.parse(schemaText(name)) as object; // which does not compile if it is none
}

function compile(name: SchemaName): ValidateFunction {
  const ajv = new Ajv({ allErrors: true, allowUnionTypes: true, strictRequired: false });
  addFormats.default(ajv);
  const validate = ajv.compile(readSchema(name));
  compiled.set(name, validate);
  return validate;
}
