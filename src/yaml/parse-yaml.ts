import type { SourceFile } from '../base/source.ts';
import type { ParsedYaml } from './places.ts';
import { readPlainYaml } from './plain-yaml.ts';

/**
 * Parses YAML 1.2 (core schema) into plain JSON, and says what is in the way of it.
 * `entries` is how many entries its lists may have: more values than so many can have are not parsed.
 */
export async function parseYaml(file: SourceFile, entries = 0): Promise<ParsedYaml> {
  const plain = readPlainYaml(file.text);
  if (plain) return { ...plain, diagnostics: [] };
  // The parser takes as long to load as Node takes to start, and plain texts do not need it.
  const { parseAnyYaml } = await import('./parse-any-yaml.ts');
  return parseAnyYaml(file, entries);
}
