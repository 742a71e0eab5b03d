import type { Diagnostic } from '../diagnostic.ts';
import type { JsonValue } from '../json.ts';
import type { SourceFile } from '../source.ts';
import type { Places } from './places.ts';
import { readPlainYaml } from './plain-yaml.ts';

export interface ParsedYaml {
  /** Undefined when the text is not YAML at all. What a diagnostic is about is null in it. */
  readonly value: JsonValue | undefined;
  readonly places: Places;
  readonly diagnostics: readonly Diagnostic[];
}

/** Parses YAML 1.2 (core schema) into plain JSON, and says what is in the way of it. */
export async function parseYaml(file: SourceFile): Promise<ParsedYaml> {
  const plain = readPlainYaml(file.text);
  if (plain) return { ...plain, diagnostics: [] };
  // To load the parser takes as long as to start Node, and plain texts do without.
  const { parseAnyYaml } = await import('./parse-any-yaml.ts');
  return parseAnyYaml(file);
}
