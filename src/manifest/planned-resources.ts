import { diagnosticFor, type Diagnostic, type Problem } from '../base/diagnostic.ts';
import type { Files } from '../base/files.ts';
import { validate } from '../generated/validate-manifest.ts';
import { isJsonList, isJsonObject, pointer, stepsOf, type JsonObject, type JsonValue } from '../base/json.ts';
import { addressOf, type Origin, type Resource, type Template } from '../kinds/resource.ts';
import { sensitive } from '../base/sensitive.ts';
import type { ReferencePolicy } from './reference-policy.ts';
import { checkRules } from './rules.ts';
import { readSecret, secretFiles, type SecretSources } from './secret-reference.ts';
import { trim } from './trim.ts';

/** A resource as a saved plan keeps it. */
export interface PlannedEntry {
  readonly kind: Resource['kind'];
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

export interface PlannedSources extends ReferencePolicy {
  readonly files: Files;
  readonly env: SecretSources['env'];
}

/** The resources of a saved plan, their references resolved here and now. */
export async function plannedResources(
  entries: readonly PlannedEntry[],
  { files, env, ...policy }: PlannedSources,
): Promise<PlannedResources> {
  const filesOf = secretFiles(files, policy);
  /** Of all of them, and filled as they are resolved: the list is the same for each. */
  const secrets: string[] = [];
  const known = new Set(policy.own?.texts);
  const resources: Resource[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const entry of entries) {
    const { filename, entry: start } = entry.origin;
    const result = await resourceOf(entry, { env, policy, readFile: filesOf(filename) }, { secrets, known });
    if ('name' in result) resources.push(result);
    else {
      const about = { ...result, address: addressOf(entry.kind.type, entry.name) };
      diagnostics.push({ ...diagnosticFor(filename, about), range: { filename, start, end: start } });
    }
  }
  for (const secret of known) secrets.push(secret);
  return { resources, diagnostics: diagnostics.length > 0 ? diagnostics : brokenRules(resources) };
}

/** What the manifests of the plan would have been refused for. */
function brokenRules(resources: readonly Resource[]): Diagnostic[] {
  const errors = [...checkRules(resources, [])].filter(({ severity }) => severity === 'error');
  return errors.map((error) => ({ ...error, code: 'stale-plan' }));
}

async function resourceOf(
  entry: PlannedEntry,
  sources: SecretSources,
  { secrets, known }: { readonly secrets: readonly string[]; readonly known: Set<string> },
): Promise<Resource | Problem> {
  const { kind, name, shown, references = {}, origin } = entry;
  if (!areWhatIsHidden(references, shown)) {
    return {
      code: 'stale-plan',
      summary: `the references of the plan do not match its ${sensitive} values`,
      detail:
        'The plan was altered, or a manifest has this exact text as a value. Run `rollcall plan` again.',
    };
  }
  let fields: JsonValue = shown;
  for (const [place, template] of Object.entries(references)) {
    let text = '';
    for (const part of template) {
      const value = typeof part === 'string' ? part : await readSecret(part, sources);
      if (typeof value !== 'string') return value;
      const bare = trim(value).trim();
      if (typeof part !== 'string' && bare !== '') known.add(bare);
      text += value;
    }
    const steps = stepsOf(place);
    fields = withValueAt(fields, steps, steps.length === 1 ? trim(text) : text);
  }
  const declared = isJsonObject(fields) ? fields : {};
  const isValid = validate({ version: 1, [kind.list]: [declared] });
  if (!isValid || declared[kind.identity] !== name || !couldBeParsed(declared)) {
    return {
      code: 'stale-plan',
      summary: 'this is not what a manifest can declare',
      detail: 'Run `rollcall plan` again.',
    };
  }
  return {
    kind,
    name,
    address: addressOf(kind.type, name),
    fields: declared,
    shown,
    secrets,
    ...(entry.references && { references }),
    origin,
  };
}

/** Whether each value that is not shown has its references, and nothing else has: what people are shown is what is sent. */
function areWhatIsHidden(references: Readonly<Record<string, Template>>, shown: JsonObject): boolean {
  const hidden = new Set<string>();
  for (const { path, value } of valuesIn(shown)) if (value === sensitive) hidden.add(pointer(path));
  const made = Object.entries(references);
  return (
    made.length === hidden.size &&
    made.every(([place, template]) => hidden.has(place) && template.some((part) => typeof part !== 'string'))
  );
}

/** Whether a manifest could give these fields, once it is trimmed and read as strictly as it is. */
function couldBeParsed(fields: JsonObject): boolean {
  const isTrimmed = Object.values(fields).every(
    (value) => typeof value !== 'string' || trim(value) === value,
  );
  return isTrimmed && [...valuesIn(fields)].every(({ path }) => path.at(-1) !== '__proto__');
}

/** Every value inside another, and the steps to it. */
function* valuesIn(
  value: JsonValue,
  path: readonly string[] = [],
): Generator<{ readonly path: readonly string[]; readonly value: JsonValue }> {
  if (!isJsonObject(value) && !isJsonList(value)) return;
  for (const [step, inner] of Object.entries(value)) {
    const deeper = [...path, step];
    yield { path: deeper, value: inner };
    yield* valuesIn(inner, deeper);
  }
}

function withValueAt(value: JsonValue, [step, ...deeper]: readonly string[], text: string): JsonValue {
  if (step === undefined) return text;
  if (isJsonList(value))
    return value.map((item, index) => (String(index) === step ? withValueAt(item, deeper, text) : item));
  if (!isJsonObject(value)) return value;
  const inner = value[step];
  return inner === undefined ? value : { ...value, [step]: withValueAt(inner, deeper, text) };
}
