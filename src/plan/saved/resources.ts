import type { Address, Diagnostic, Problem } from '../../base/diagnostic.ts';
import type { Files } from '../../base/files.ts';
import { validate } from '../../generated/manifest.ts';
import {
  isJsonList,
  isJsonObject,
  pointer,
  stepsOf,
  type JsonObject,
  type JsonValue,
} from '../../base/json.ts';
import { hiddenOf, type Hide } from '../../kinds/hide.ts';
import { asDeclared } from '../../kinds/access.ts';
import { fieldOf, fieldsBy, instructions, savedValue, type Template } from '../../kinds/fields.ts';
import { addressNamed, declaredNames, withNamesAt, type Names } from '../../kinds/named.ts';
import { diagnosticOf, placeOf, withHidden, type Resource } from '../../kinds/resource.ts';
import { sensitive } from '../../base/sensitive.ts';
import { shownResource } from '../document.ts';
import { planFrom } from '../read-document.ts';
import type { Plan } from '../plan.ts';
import type { SavedChange, SavedPlan } from './document.ts';
import { Rules } from '../../manifest/rules.ts';
import {
  readSecret,
  secretFiles,
  type ReferencePolicy,
  type SecretSources,
} from '../../manifest/secret-reference.ts';
import { trim } from '../../manifest/trim.ts';

type Restored =
  | { readonly kind: 'restored'; readonly plan: Plan }
  /** It must not be applied. */
  | { readonly kind: 'refused'; readonly diagnostics: readonly Diagnostic[] };

export interface SecretsOfPlan extends ReferencePolicy {
  readonly files: Files;
  readonly env: SecretSources['env'];
  /** The fields that nothing shows here, beside those that the plan names itself. */
  readonly hide: Hide;
}

/** The plan of a saved document, to be carried out: its references are resolved here and now. */
export async function restored(
  document: SavedPlan,
  { files, env, hide: hiddenHere, ...policy }: SecretsOfPlan,
): Promise<Restored> {
  const filesOf = secretFiles(files, policy);
  const hide = [...new Set([...(document.hide ?? []), ...hiddenHere])];
  /** Of all of them, and filled as they are resolved: the list is the same for each. */
  const secrets: string[] = [];
  const known = new Set(policy.own?.texts);
  const resources = new Map<Address, Resource>();
  const diagnostics: Diagnostic[] = [];
  const created = new Set(
    document.resource_changes.flatMap(({ address, change: { actions } }) =>
      actions[0] === 'create' ? address : [],
    ),
  );
  for (const change of document.resource_changes) {
    const { address } = change;
    const resource = { ...shownResource(change), secrets };
    resources.set(address, resource);
    if (change.change.actions[0] === 'not-planned') continue;
    const sources = { env, policy, readFile: filesOf(change.source.file) };
    const saved = { places: {}, ...document.saved[address], names: change.names ?? {}, created };
    const result = await resolved(resource, saved, sources, known);
    if ('name' in result) resources.set(address, withHidden(result, hiddenOf(result.kind, hide)));
    else diagnostics.push(diagnosticOf(resource, undefined, result));
  }
  for (const secret of known) secrets.push(secret);
  const all = diagnostics.length > 0 ? diagnostics : brokenRules([...resources.values()]);
  return all.length > 0
    ? { kind: 'refused', diagnostics: all }
    : { kind: 'restored', plan: planFrom({ ...document, hide }, ({ address }) => resources.get(address)) };
}

/** What the manifests of the plan would have been refused for. */
function brokenRules(resources: readonly Resource[]): Diagnostic[] {
  const errors = [...new Rules().check({ named: resources, mappings: [] })].filter(
    ({ severity }) => severity === 'error',
  );
  return errors.map((error) => ({ ...error, code: 'stale-plan' }));
}

/** A resource with the values of its references in place of what is blanked out; or why it cannot have them. */
async function resolved(
  resource: Resource,
  {
    places,
    names,
    created,
    references = {},
    declared = {},
  }: SavedChange & { readonly names: Names; readonly created: ReadonlySet<Address> },
  sources: SecretSources,
  known: Set<string>,
): Promise<Resource | Problem> {
  const { kind, name } = resource;
  const shown = { ...fieldsBy(savedValue, resource), ...instructions(resource), ...declared };
  if (!areWhatIsBlank(references, shown)) {
    return {
      code: 'stale-plan',
      summary: `the references of the plan do not match its ${sensitive} values`,
      detail: 'The plan was altered, or a manifest has this exact text as a value.',
    };
  }
  let values: JsonValue = shown;
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
    values = withValueAt(values, steps, steps.length === 1 ? trim(text) : text);
  }
  const all = isJsonObject(values) ? values : {};
  const fields = Object.entries(all).map(([field, value]) => {
    const [line, column] = places[field] ?? [];
    const at = line === undefined || column === undefined ? placeOf(resource).start : { line, column };
    const made = Object.entries(references).flatMap(([place, template]) => {
      const [first, ...deeper] = stepsOf(place);
      return first === field ? [[pointer(deeper), template] as const] : [];
    });
    const mask = made.length > 0 && { mask: { sensitive: Object.fromEntries(made) } };
    const given = kind.fields[field]?.refersTo ? withNamesAt(value, field, names) : value;
    return [field, fieldOf(given, { at, ...mask })] as const;
  });
  const whole = { ...resource, fields: Object.fromEntries(fields) };
  // A name has an id in a plan, or is that of what the plan creates.
  const isNamed = declaredNames(whole).some((one) => {
    const address = addressNamed(one);
    return one.id === undefined && (address === undefined || !created.has(address));
  });
  const isValid = validate({ version: 1, [kind.list]: [asDeclared(kind, all)] });
  return isValid && !isNamed && all[kind.identity] === name && couldBeParsed(all)
    ? whole
    : { code: 'stale-plan', summary: 'this is not what a manifest can declare', detail: '' };
}

/** Whether each value that is not shown has its references, and nothing else has: what people are shown is what is sent. */
function areWhatIsBlank(references: Readonly<Record<string, Template>>, shown: JsonObject): boolean {
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
