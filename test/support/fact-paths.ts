import { readdirSync } from 'node:fs';

/** The API paths of all types that have facts. */
export const factPaths: readonly string[] = readdirSync(new URL('../../src/kinds/facts/', import.meta.url))
  .filter((name) => name.endsWith('.json') && !/^(?:newest|releases)\.json$/.test(name))
  .map((name) => `/${name.replace('.json', '').replaceAll('.', '/')}/`);
