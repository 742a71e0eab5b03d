import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { readSchema, type SchemaName } from './schema.ts';

const validators = new Map<SchemaName, ValidateFunction>();

/** What checks a value against a published schema, compiled once for each. */
export function validatorFor(name: SchemaName): ValidateFunction {
  let validate = validators.get(name);
  if (validate === undefined) {
    const ajv = new Ajv({ allErrors: true, allowUnionTypes: true, strictRequired: false, verbose: true });
    addFormats.default(ajv);
    validate = ajv.compile(readSchema(name));
    validators.set(name, validate);
  }
  return validate;
}
