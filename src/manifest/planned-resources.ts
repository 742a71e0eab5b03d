import { diagnosticFor, type Diagnostic, type Problem } from '../diagnostic.ts';
import type { Files } from '../files.ts';
import { validate } from '../generated/validate-manifest.ts';
import { isJsonList, isJsonObject, stepsOf, type JsonObject, type JsonValue } from '../json.ts';
import {
  addressOf,
  identityField,
  type Application,
  type Origin,
  type Resource,
  type ResourceType,
  type Template,
  type User,
} from '../resource.ts';
import { readSecret, secretFiles, type SecretSources } from './secret-reference.ts';
import { trim } from './trim.ts';

/** A resource as a saved plan keeps it. */
export interface PlannedEntry {
  readonly type: ResourceType;
  readonly name: string;
  /** The declared fields, their sensitive values blanked out. */
  readonly shown: JsonObject;
  /** What the blanked-out values are made of, by their JSON Pointers from the fields. */
  readonly references?: Readonly<Record<string, Template>>;
  readonly origin: Extract<Origin, { kind: 'saved-plan' }>;
}

export interface PlannedResources {
  /** Complete only when there are no diagnostics. */
  readonly resources: readonly Resource[];
  readonly diagnostics: readonly Diagnostic[];
}

/** The resources of a saved plan, their references resolved here and now. */
export async function plannedResources(
  entries: readonly PlannedEntry[],
  { files, env }: { readonly files: Files; readonly env: SecretSources['env'] },
): Promise<PlannedResources> {
  const filesOf = secretFiles(files);
  const resources: Resource[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const entry of entries) {
    const { filename, entry: start } = entry.origin;
    const result = await resourceOf(entry, { env, readFile: filesOf(filename) });
    if ('name' in result) resources.push(result);
    else {
      const about = { ...result, address: addressOf(entry.type, entry.name) };
      diagnostics.push({ ...diagnosticFor(filename, about), range: { filename, start, end: start } });
    }
  }
  return { resources, diagnostics };
}

async function resourceOf(entry: PlannedEntry, sources: SecretSources): Promise<Resource | Problem> {
  const { type, name, shown, references = {}, origin } = entry;
  const secrets = new Set<string>();
  let fields: JsonValue = shown;
  for (const [pointer, template] of Object.entries(references)) {
    let text = '';
    for (const part of template) {
      const value = typeof part === 'string' ? part : await readSecret(part, sources);
      if (typeof value !== 'string') return value;
      const bare = trim(value).trim();
      if (typeof part !== 'string' && bare !== '') secrets.add(bare);
      text += value;
    }
    const steps = stepsOf(pointer);
    fields = withValueAt(fields, steps, steps.length === 1 ? trim(text) : text);
  }
  const declared = isJsonObject(fields) ? fields : {};
  const isValid = validate({ version: 1, [`${type}s`]: [declared] });
  if (!isValid || declared[identityField({ type })] !== name) {
    return {
      code: 'stale-plan',
      summary: 'this is not what a manifest can declare',
      detail: 'Make the plan anew.',
    };
  }
  const common = {
    name,
    address: addressOf(type, name),
    shown,
    secrets: [...secrets],
    ...(entry.references && { references }),
    origin,
  };
  // An entry that satisfies the schema in the list of its type has the fields of that type.
  return type === 'application'
    ? { ...common, type, fields: declared as unknown as Application }
    : { ...common, type, fields: declared as unknown as User };
}

function withValueAt(value: JsonValue, [step, ...deeper]: readonly string[], text: string): JsonValue {
  if (step === undefined) return text;
  if (isJsonList(value))
    return value.map((item, index) => (String(index) === step ? withValueAt(item, deeper, text) : item));
  if (!isJsonObject(value)) return value;
  const inner = value[step];
  return inner === undefined ? value : { ...value, [step]: withValueAt(inner, deeper, text) };
}
