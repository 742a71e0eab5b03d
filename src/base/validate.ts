import type { ErrorObject } from 'ajv';

/** Checks a value against the schema that it was compiled from; after a value that fails, `errors` says why. */
export interface Validate {
  (value: unknown): boolean;
  errors?: ErrorObject[] | null;
}
