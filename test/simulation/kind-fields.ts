import { isJsonList, type JsonObject, type JsonValue } from '../../src/base/json.ts';
import { kinds } from '../../src/kinds/all.ts';
import { factsOf, type FieldFacts, type ValueFacts } from '../../src/kinds/facts.ts';
import { familyNamed } from '../../src/kinds/families.ts';
import type { Kind } from '../../src/kinds/kind.ts';
import { referenceOf, referredLists } from '../../src/kinds/references.ts';
import { readRelease } from '../../src/kinds/release.ts';
import { loadManifests } from '../../src/manifest/load-manifests.ts';
import type { SandboxRelease } from '../../src/sandbox/release.ts';
import { seedSandbox } from '../../src/sandbox/seed.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { memoryFiles } from '../support/memory-files.ts';
import { blockYaml } from './block-yaml.ts';
import type { Identity } from './identity.ts';
import { secretReference, secretVariables } from './secret-variables.ts';
import { otherClient } from '../support/other-client.ts';

/** A record in a list to which a field can refer. */
export interface ReferredRecord extends Identity {
  readonly list: string;
}

/** The path of the service's list. */
export type Path = `/${string}/`;

/** The form of a field: two values, or the list to which the field refers. */
export type FieldForm = {
  readonly isRequired: boolean;
  readonly isShown: boolean;
  /** Whether only a part of the value is declared. */
  readonly isInPart: boolean;
  /** Whether a manifest must refer to the value, and no output may show it. */
  readonly isSecret: boolean;
} & (
  | { readonly values: readonly [first: JsonValue, second: JsonValue] }
  | { readonly list: string; readonly isList: boolean }
);

/** The fields of a kind that make a valid manifest together, and a record that the service accepts. */
export interface KindForm {
  readonly kind: Kind;
  readonly path: Path;
  readonly fields: Readonly<Record<string, FieldForm>>;
  /** The fields that contain an id of the record, in its path or in references to it. */
  readonly ids: readonly string[];
  /** All fields that requests can contain. The service sets the others itself. */
  readonly writable: ReadonlySet<string>;
}

const seeded: readonly ReferredRecord[] = [
  { type: 'flow', list: 'flows', name: 'default-provider-authorization-implicit-consent' },
  { type: 'certificate', list: 'certificates', name: 'authentik Self-signed Certificate' },
  { type: 'role', list: 'roles', name: 'auditors' },
  { type: 'group', list: 'groups', name: 'staff' },
];

/** The initial records of every service to which fields can refer, with their lists. */
export const initialRecords: readonly (ReferredRecord & { readonly path: Path })[] = seeded.map((named) => ({
  ...named,
  path: referredLists[named.list as keyof typeof referredLists], // only such lists are named
}));

/** Applications, groups and users are tested in other worlds. */
export const drawnKinds: readonly Kind[] = kinds.filter(
  ({ lookUp, access, isPersonal, list }) =>
    !lookUp.isDocumented && !access && !isPersonal && list !== 'groups',
);

/** Kinds whose names need not be unique. */
export const doubledKinds = drawnKinds.filter(({ listing }) => !listing.isUnique);

export function keyOf(list: string): string {
  return Object.keys(familyNamed(list)?.keys ?? {}).at(-1) ?? 'name';
}

const forms = new Map<string, Promise<KindForm | undefined>>();

/** The form of a kind in a release; undefined if the release does not have the kind, or if no accepted values are found. */
export function formOf(release: SandboxRelease, kind: Kind): Promise<KindForm | undefined> {
  const key = `${release} ${kind.path}`;
  const found = forms.get(key) ?? findForm(release, kind);
  forms.set(key, found);
  return found;
}

async function findForm(release: SandboxRelease, kind: Kind): Promise<KindForm | undefined> {
  const paths = [kind.path, ...(kind.formerPath ? [kind.formerPath.path] : [])].map((each) =>
    each.slice('/api/v3'.length),
  );
  const path = paths.find((each): each is Path => factsOf(release, each) !== undefined);
  const facts = path && factsOf(release, path);
  if (!path || !facts?.can.includes('create') || !facts.can.includes('change')) return undefined;
  const ids = [kind.family.id, kind.formerPath?.id, facts.id?.name, 'pk'].flatMap((id) => id ?? []);
  const candidates = Object.entries(facts.fields).flatMap(([field, of]) => {
    const row = kind.fields[field];
    if (
      of.readOnly ||
      field === kind.identity ||
      ids.includes(field) ||
      row === undefined ||
      row.isInstruction ||
      row.isAccepted
    )
      return [];
    const isSecret = row.isSecret === true;
    const more = { isInPart: row.part === 'unless exactly' || row.part === 'always', isSecret };
    const secret = (value: JsonValue): JsonValue => (typeof value === 'string' ? `canary-${value}` : value);
    const formOfField = (form: Candidate): FieldForm =>
      isSecret && 'values' in form
        ? { ...form, ...more, values: [secret(form.values[0]), secret(form.values[1])] }
        : { ...form, ...more };
    return [[field, candidatesFor(path, field, of).map((form) => formOfField(form))] as const];
  });
  const writable = new Set(Object.keys(facts.fields).filter((field) => !facts.fields[field]?.readOnly));
  const taken: Record<string, FieldForm> = {};
  const needed = new Set<string>();
  const errors = (fields: Readonly<Record<string, FieldForm>>): Promise<number> =>
    errorsOf(release, { kind, path, ids, writable, fields }, needed);
  const required = candidates.filter(([, [first]]) => first?.isRequired);
  if (
    required.length <
    Object.entries(facts.fields).filter(([field, { required: is }]) => is && field !== kind.identity).length
  )
    return undefined;
  for (const [field, [first]] of required) if (first) taken[field] = first;
  let least = await errors(taken);
  // A set visits what is added during the loop, and the service names only one missing field at a time.
  for (const missing of needed) {
    const [form] = candidates.find(([field]) => field === missing)?.[1] ?? [];
    if (form === undefined || missing in taken) continue;
    taken[missing] = { ...form, isRequired: true };
    least = await errors(taken);
  }
  const takeIfBetter = async (field: string, candidate: FieldForm): Promise<boolean> => {
    const now = await errors({ ...taken, [field]: candidate });
    const isBetter = now < least;
    if (isBetter) [taken[field], least] = [candidate, now];
    return isBetter;
  };
  for (const [field, others] of required)
    for (const candidate of others.slice(1)) if (least > 0) await takeIfBetter(field, candidate);
  const optional = candidates.filter(([, [first]]) => first && !first.isRequired);
  // Some fields are required although the API schema does not say so. One of them may help only after another.
  for (let isMore = true; isMore;) {
    isMore = false;
    for (const [field, others] of optional)
      for (const candidate of others)
        if (least > 0 && !(field in taken) && (await takeIfBetter(field, { ...candidate, isRequired: true })))
          isMore = true;
  }
  if (least > 0) return undefined;
  const rest = optional.filter(([name]) => !(name in taken));
  const likeliest = Object.fromEntries(rest.flatMap(([field, [first]]) => (first ? [[field, first]] : [])));
  if ((await errors({ ...taken, ...likeliest })) === 0)
    return { kind, path, ids, writable, fields: { ...taken, ...likeliest } };
  for (const [field, some] of rest)
    for (const candidate of some) {
      if ((await errors({ ...taken, [field]: candidate })) > 0) continue;
      taken[field] = candidate;
      break;
    }
  return { kind, path, ids, writable, fields: taken };
}

const sandboxes = new Map<SandboxRelease, Sandbox>();

/** Fewer errors in the first values count for more than any number in the second values, which are tried only after the first. */
const errorsOfUntriedVariant = 100;

/**
 * The number of errors if all these fields are in a manifest and in a request. If the service crashes without one of some
 * fields, the first of these is added to `needed`.
 */
async function errorsOf(release: SandboxRelease, form: KindForm, needed: Set<string>): Promise<number> {
  const { kind, path, fields } = form;
  let count = 0;
  const sandbox = sandboxes.get(release) ?? seedSandbox({ is_licensed: true }, release).sandbox;
  sandboxes.set(release, sandbox);
  for (const variant of [0, 1] as const) {
    if (count > 0) return count + errorsOfUntriedVariant;
    const declared = Object.entries(fields).map(([field, of]) => [field, entryValueOf(of, variant)] as const);
    const entry = {
      [kind.identity]: 'one',
      ...(kind.variant && { [kind.variant.field]: kind.variant.value }),
      ...Object.fromEntries(declared),
    };
    const text = blockYaml({ version: 1, [kind.list]: [entry] });
    const loaded = await loadManifests(['m.yaml'], {
      files: memoryFiles({ 'm.yaml': text }),
      env: secretVariables(text),
      ...releaseOf(release),
    });
    count += loaded.diagnostics.filter(({ severity }) => severity === 'error').length;
    const sent = Object.entries(fields).map(
      ([field, of]) => [field, bodyValueOf(sandbox, of, variant)] as const,
    );
    const body: JsonObject = Object.fromEntries(sent);
    const isUntried = (field: string): boolean => isNothing(body[field]) && field in fields;
    // Some values must be unique, so two records are created.
    for (const name of ['one', 'two']) {
      const own = Object.entries(body).map(([field, value]) => [field, uniqueValue(value, name)] as const);
      const created = otherClient(sandbox).create(path, {
        [kind.identity]: name,
        ...Object.fromEntries(own),
      });
      if ('errors' in created)
        count += Object.keys(created.errors).filter((field) => !isUntried(field)).length;
      if ('crashedOver' in created) {
        count += 1;
        needed.add(created.crashedOver.split(',').find((field) => form.writable.has(field)) ?? '');
      }
    }
    for (const name of ['one', 'two']) otherClient(sandbox).delete(path, name);
  }
  return count;
}

/** A text that gets the name as a suffix, so that it is unique. Other values stay. */
export function uniqueValue(value: JsonValue, name: string): JsonValue {
  return value === 'v1' || value === 'v2' ? `${value}-${name}` : value;
}

function releaseOf(release: SandboxRelease): {
  readonly release?: NonNullable<Parameters<typeof loadManifests>[1]['release']>;
} {
  const read = readRelease(release);
  return read ? { release: read } : {};
}

function entryValueOf(of: FieldForm, variant: 0 | 1): JsonValue {
  if ('values' in of) return of.isSecret ? secretReference(of.values[variant]) : of.values[variant];
  const named = { [keyOf(of.list)]: 'one' };
  return of.isList ? [named] : named;
}

/** The value in a request. References to initial records are kept; fields that refer to empty lists are left out. */
function bodyValueOf(sandbox: Sandbox, of: FieldForm, variant: 0 | 1): JsonValue {
  if ('values' in of) return of.values[variant];
  const named = initialRecords.find(({ list }) => list === of.list);
  const pk = (named && otherClient(sandbox).pk(named.path, named.name)) ?? null;
  return of.isList ? (pk === null ? [] : [pk]) : pk;
}

type Candidate = FieldForm extends infer Form
  ? Form extends unknown
    ? Omit<Form, 'isInPart' | 'isSecret'>
    : never
  : never;

/** The possible forms of a field. The most likely one is first. */
function candidatesFor(path: string, field: string, facts: FieldFacts): Candidate[] {
  const more = { isRequired: facts.required === true, isShown: !facts.writeOnly };
  const reference = referenceOf(path, field, facts);
  if (reference) {
    const { list, by } = reference;
    if (by !== 'pk' || familyNamed(list) === undefined) return [];
    return [{ ...more, list, isList: facts.items !== undefined }];
  }
  return candidatesOf(facts).map((values) => ({ ...more, values }));
}

type Pair = readonly [JsonValue, JsonValue];

const pairs = (of: (variant: number) => JsonValue): Pair => [of(1), of(2)];

/** Pairs of values that the API may accept, by the schema of the field. */
function candidatesOf(facts: ValueFacts): readonly Pair[] {
  const { type, format, enum: values, items, fields } = facts;
  if (values) return values.map((value, index) => [value, values[(index + 1) % values.length] ?? value]);
  if (fields) {
    const inner = Object.entries(fields).map(([name, field]) => [name, candidatesOf(field)] as const);
    return Array.from({ length: Math.max(0, ...inner.map(([, some]) => some.length)) }, (_, index) =>
      pairs((variant) =>
        Object.fromEntries(
          inner.flatMap(([name, some]) => {
            const pair = some[Math.min(index, some.length - 1)];
            return pair ? [[name, pair[variant === 1 ? 0 : 1]]] : [];
          }),
        ),
      ),
    );
  }
  if (items) return candidatesOf(items).map(([first, second]): Pair => [[first], [second]]);
  switch (type) {
    case 'boolean':
      return [
        [true, false],
        [false, true],
      ];
    case 'integer':
    case 'number': {
      const { minimum = 0, maximum = 1000 } = facts;
      return [pairs((variant) => Math.min(maximum, Math.max(minimum, 10) + variant))];
    }
    case 'string':
      return textsOf(format).map((of) => pairs(of));
    case 'object':
      return [pairs((variant) => ({ canal: { depth: variant } }))];
    default:
      return [pairs((variant) => ({ canal: variant })), pairs((variant) => [`v${variant}`])];
  }
}

function textsOf(format: string | undefined): readonly ((variant: number) => string)[] {
  const url = (variant: number): string => `https://v${variant}.example.com/`;
  if (format === 'uri') return [url];
  if (format === 'email') return [(variant) => `v${variant}@example.com`];
  if (format === 'date-time') return [(variant) => `2127-01-0${variant}T00:00:00Z`];
  if (format === 'uuid') return [(variant) => `00000000-0000-4000-8000-00000000000${variant}`];
  return [(variant) => `v${variant}`, (variant) => `hours=${variant}`, url, (variant) => `10.0.0.${variant}`];
}

function isNothing(value: JsonValue | undefined): boolean {
  return value === undefined || value === null || (isJsonList(value) && value.length === 0);
}
