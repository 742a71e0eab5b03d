import { diagnosticAt, type Diagnostic, type Problem } from '../base/diagnostic.ts';
import { UsageError } from '../base/errors.ts';
import type { Files } from '../base/files.ts';
import { entriesIn, isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import { sourceFile, withoutQuotableLines, type SourceFile } from '../base/source.ts';
import { parseYaml } from '../yaml/parse-yaml.ts';
import type { Places } from '../yaml/places.ts';
import { readText } from '../yaml/read-text.ts';

interface VarsFileOptions {
  /** Real paths of files that must not be read. */
  readonly secretFiles: ReadonlySet<string>;
  readonly areQuotable: boolean;
  /** The configuration file that names the files; undefined for the command line. */
  readonly namedIn?: string | undefined;
}

interface ReadVariables {
  readonly variables: JsonObject;
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads files of variables up to the first invalid file; later files override earlier files. */
export async function readVarsFiles(
  filenames: readonly string[],
  files: Files,
  options: VarsFileOptions,
): Promise<ReadVariables> {
  const variables: Record<string, JsonValue> = {};
  for (const filename of filenames) {
    const read = await readVarsFile(filename, files, options);
    if (read.diagnostics.length > 0) return read;
    Object.assign(variables, read.variables);
  }
  return { variables, diagnostics: [] };
}

export function parseVariableFlags(assignments: readonly string[]): JsonObject {
  return Object.fromEntries(assignments.map((assignment) => readAssignment(assignment)));
}

async function readVarsFile(
  filename: string,
  files: Files,
  { secretFiles, areQuotable, namedIn }: VarsFileOptions,
): Promise<ReadVariables> {
  const text = await readText(filename, files, { secretFiles, linksOutside: 'refused' });
  if ('code' in text) {
    const hint = namedIn === undefined ? '' : ` It is one of \`vars_files\` in ${namedIn}.`;
    return { variables: {}, diagnostics: [{ ...text, detail: text.detail + hint }] };
  }
  const file = areQuotable ? text : withoutQuotableLines(text);
  const { value, diagnostics, places } = parseYaml(file);
  if (diagnostics.length > 0) return { variables: {}, diagnostics };
  if (isJsonObject(value))
    return { variables: value, diagnostics: refuseReferences(value, [], places, file) };
  const fault = diagnosticAt(file, places.valueSpan([]), {
    code: 'wrong-type',
    summary: 'this file contains no variables',
    detail: 'Write each variable on its own line, as `name: value`.',
  });
  return { variables: {}, diagnostics: [fault] };
}

/** Parses the value as YAML: 12 is a number, "12" a string. */
function readAssignment(assignment: string): [name: string, value: JsonValue] {
  const [, name, text] = /^([^=]+)=(.*)$/s.exec(assignment) ?? [];
  if (name === undefined || text === undefined)
    throw new UsageError(`--var cannot be ${JSON.stringify(assignment)}`, 'Write it as --var NAME=VALUE.');
  const { value, diagnostics } = parseYaml(sourceFile(`--var ${name}`, text));
  const [fault] = diagnostics;
  if (fault === undefined && value !== undefined) return [name, text === '' ? '' : value];
  const isNumber = text !== '' && !Number.isNaN(Number(text));
  throw new UsageError(
    `--var ${name} cannot be ${JSON.stringify(text)}: ${fault?.summary ?? 'it contains no value'}`,
    `If it is a string, quote it: --var '${name}="…"'.${isNumber ? ` Whole numbers go up to ${Number.MAX_SAFE_INTEGER}.` : ''}`,
  );
}

/** Reports references in variables: they are not resolved, so they would be sent to the service literally. */
export function refuseReferences(
  value: JsonValue,
  path: readonly (string | number)[],
  places: Places,
  file: SourceFile,
): Diagnostic[] {
  if (typeof value === 'string' && value.includes('${')) {
    const problem: Problem = {
      code: 'invalid-reference',
      summary: 'a variable cannot contain a reference',
      detail: 'In the manifest itself, refer to the environment or to a file.',
    };
    return [diagnosticAt(file, places.valueSpan(path), problem)];
  }
  return [...entriesIn(value)].flatMap(([step, inner]) =>
    refuseReferences(inner, [...path, step], places, file),
  );
}
