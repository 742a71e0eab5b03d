import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { readSchema, type SchemaName } from '../../src/schema.ts';

/** What is wrong with a document by one of the published schemas; an empty list when nothing is. */
export function schemaErrors(name: SchemaName, document: unknown): unknown[] {
  const ajv = new Ajv({ allErrors: true, allowUnionTypes: true, strictRequired: false });
  addFormats.default(ajv);
  const validate = ajv.compile(readSchema(name));
  validate(document);
  return validate.errors ?? [];
}
