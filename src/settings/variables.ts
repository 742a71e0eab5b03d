import { diagnosticAt, type Diagnostic } from '../base/diagnostic.ts';
import { UsageError } from '../base/errors.ts';
import type { Files } from '../base/files.ts';
import { isJsonList, isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import { sourceFile, unquotable, type SourceFile } from '../base/source.ts';
import { parseYaml } from '../yaml/parse-yaml.ts';
import type { Places } from '../yaml/places.ts';
import { readText } from '../yaml/read-text.ts';

interface VarsFileOptions {
  /** The real paths of files that are not read. */
  readonly closed: ReadonlySet<string>;
  /** Whether messages may show their lines. */
  readonly areQuotable: boolean;
  /** The file of settings that names them; by default the command line does. */
  readonly namedIn?: string | undefined;
}

/** The variables of files, in order: a later one beats an earlier one. */
export async function readVarsFiles(
  filenames: readonly string[],
  files: Files,
  options: VarsFileOptions,
): Promise<{ readonly variables: JsonObject } | Diagnostic[]> {
  const variables: Record<string, JsonValue> = {};
  for (const filename of filenames) {
    const read = await readVarsFile(filename, files, options);
    if (Array.isArray(read)) return read;
    Object.assign(variables, read.variables);
  }
  return { variables };
}

/** Reads each `NAME=VALUE` of --var. Throws a UsageError. */
export async function variableFlags(assignments: readonly string[]): Promise<JsonObject> {
  const variables: Record<string, JsonValue> = {};
  for (const assignment of assignments) {
    const [name, value] = await readAssignment(assignment);
    variables[name] = value;
  }
  return variables;
}

async function readVarsFile(
  filename: string,
  files: Files,
  { closed, areQuotable, namedIn }: VarsFileOptions,
): Promise<{ readonly variables: JsonObject } | Diagnostic[]> {
  const text = await readText(filename, files, { closed, outside: 'refused' });
  if ('code' in text) {
    if (namedIn === undefined) return [text];
    return [{ ...text, detail: `${text.detail} It is one of \`vars_files\` in ${namedIn}.` }];
  }
  const file = areQuotable ? text : unquotable(text);
  const { value, diagnostics, places } = await parseYaml(file);
  if (diagnostics.length > 0) return [...diagnostics];
  if (isJsonObject(value)) {
    const references = refuseReferences(value, [], places, file);
    return references.length > 0 ? references : { variables: value };
  }
  return [
    diagnosticAt(file, places.ofValue([]), {
      code: 'wrong-type',
      summary: 'this file holds no variables',
      detail: 'Each is a line of its own, as `name: value`.',
    }),
  ];
}

/** A value is read as YAML: 12 is a number, "12" a text. */
async function readAssignment(assignment: string): Promise<[name: string, value: JsonValue]> {
  const [, name, text] = /^([^=]+)=(.*)$/s.exec(assignment) ?? [];
  if (name === undefined || text === undefined) {
    throw new UsageError(`--var cannot be ${JSON.stringify(assignment)}`, 'Write it as --var NAME=VALUE.');
  }
  const { value, diagnostics } = await parseYaml(sourceFile(`--var ${name}`, text));
  const [fault] = diagnostics;
  if (fault !== undefined || value === undefined) {
    const asText = `If it is meant as text, quote it: --var '${name}="…"'.`;
    throw new UsageError(
      `--var ${name} cannot be ${JSON.stringify(text)}: ${fault?.summary ?? 'nothing can be read in it'}`,
      text !== '' && !Number.isNaN(Number(text))
        ? `${asText} Whole numbers go up to ${Number.MAX_SAFE_INTEGER}.`
        : asText,
    );
  }
  return [name, text === '' ? '' : value];
}

/** Variables are plain values: a reference in one would reach the service as it is written. */
export function refuseReferences(
  value: JsonValue,
  path: readonly (string | number)[],
  places: Places,
  file: SourceFile,
): Diagnostic[] {
  if (typeof value === 'string') {
    if (!value.includes('${')) return [];
    return [
      diagnosticAt(file, places.ofValue(path), {
        code: 'invalid-reference',
        summary: 'a variable cannot hold a reference',
        detail: 'Refer to the environment or to a file in the manifest itself.',
      }),
    ];
  }
  const inside: [string | number, JsonValue][] = isJsonList(value)
    ? [...value.entries()]
    : isJsonObject(value)
      ? Object.entries(value)
      : [];
  return inside.flatMap(([step, inner]) => refuseReferences(inner, [...path, step], places, file));
}
