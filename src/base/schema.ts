import { packageFile } from './package-file.ts';

/** The JSON Schemas that rollcall publishes, by name. */
export const schemaNames = [
  'manifest',
  'config',
  'sandbox-seed',
  'validation',
  'plan',
  'apply',
  'apply-event',
  'doctor',
] as const;

export type SchemaName = (typeof schemaNames)[number];

/** The text of a schema, as it is shipped. */
export function schemaText(name: SchemaName): string {
  return packageFile(`schemas/${name}.schema.json`);
}
