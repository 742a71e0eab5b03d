import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import type { JsonObject } from './json.ts';

const validators = new WeakMap<JsonObject, ValidateFunction>();

/** What checks a value against a JSON Schema, compiled once for each schema. */
export function validatorFor(schema: JsonObject): ValidateFunction {
  let validate = validators.get(schema);
  if (validate === undefined) {
    const ajv = new Ajv({ allErrors: true, allowUnionTypes: true, strictRequired: false, verbose: true });
    addFormats.default(ajv);
    validate = ajv.compile(schema);
    validators.set(schema, validate);
  }
  return validate;
}
