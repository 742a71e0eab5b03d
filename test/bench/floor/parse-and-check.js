// Parses a manifest with `yaml`, and validates it with ajv and the schema of manifests.
import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';

const [, , filename = ''] = process.argv;
const schema = JSON.parse(
  readFileSync(new URL('../../../schemas/manifest.schema.json', import.meta.url), 'utf8'),
);
const ajv = new Ajv({ strict: false, discriminator: true });
addFormats.default(ajv);
const validate = ajv.compile(schema);
if (!validate(parse(readFileSync(filename, 'utf8')))) throw new Error(JSON.stringify(validate.errors?.[0]));
