import { sensitiveNameProblem } from './field-checks.ts';
import { groupBy } from '../base/group-by.ts';
import { diagnosticAt, type Diagnostic, type Problem } from '../base/diagnostic.ts';
import { isJsonList, isJsonObject, pointer, type JsonObject, type JsonValue, valueAt } from '../base/json.ts';
import type { Path, PathMap } from '../base/path-map.ts';
import type { SourceFile, Span } from '../base/source.ts';
import {
  accessProblem,
  equivalentFields,
  declaredSubjects,
  replacedDefaults,
  type ReplacedDefault,
} from '../kinds/access.ts';
import { defaultsKeys, kindOfEntry, kinds, lists } from '../kinds/all.ts';
import { bindingProblems, twoFieldsProblem } from '../kinds/binding-problems.ts';
import { idsIn } from '../kinds/map-ids.ts';
import { parseNames } from '../kinds/named.ts';
import { type Field, fieldOf, isGenerated, writtenValue } from '../kinds/fields.ts';
import { hiddenFields, type HiddenFieldNames } from '../kinds/hide.ts';
import type { Family, Kind } from '../kinds/kind.ts';
import { formerly, state } from '../kinds/lifecycle.ts';
import { isNameReference } from '../kinds/values.ts';
import { addressIn, type Resource, withHidden } from '../kinds/resource.ts';
import type { Places } from '../yaml/places.ts';
import type { References } from './references.ts';

interface ManifestValue {
  readonly manifest: JsonObject;
  readonly secrets: readonly string[];
  readonly references: References;
  /** Whether references were left unresolved, so that their values are unknown. */
  readonly areAssumed: boolean;
  /** Places with a value that violates the schema, or with a reference that cannot be resolved. */
  readonly broken: PathMap<true>;
  readonly places: Places;
  readonly file: SourceFile;
  readonly hide: HiddenFieldNames;
  readonly contractOnly: boolean;
  readonly diagnostics: Diagnostic[];
}

export interface DeclaredEntries {
  /** The entries that have a name, for rules over all entries. Invalid fields are left out. */
  readonly entriesWithName: readonly Resource[];
  /** All entries, for checks of single fields; an entry without a name has the empty name. */
  readonly allEntries: readonly Resource[];
  readonly valid: readonly Resource[];
}

/** The entries whose type is known, each with its index in its list. */
export function entriesWithKind(manifest: JsonObject): readonly EntryOfKind[] {
  return lists.flatMap((list) =>
    entriesOf(manifest, list).flatMap((entry, index): EntryOfKind[] => {
      const kind = kindOfEntry(list, entry);
      return kind && isJsonObject(entry) ? [{ kind, index, entry }] : [];
    }),
  );
}

interface EntryOfKind {
  readonly kind: Kind;
  readonly index: number;
  readonly entry: JsonObject;
}

/** The resources that a manifest declares, including the defaults of its file. */
export function desiredResources(read: ManifestValue): DeclaredEntries {
  const { manifest, broken, secrets, places, file } = read;
  const entriesWithName: Resource[] = [];
  const allEntries: Resource[] = [];
  const valid: Resource[] = [];
  const byKind = groupBy(entriesWithKind(manifest), ({ kind }) => kind);
  for (const kind of kinds) {
    const entries = byKind.get(kind);
    if (entries === undefined) continue; // kinds without entries cost no time
    const { list, identity, single: entryKinds } = kind;
    const hidden = hiddenFields(kind, read.hide);
    const inherits = defaultsKeys(kind).flatMap((key): Path[] =>
      key === undefined ? [] : [['defaults', key]],
    );
    const defaults = Object.assign({}, ...inherits.map((at) => fieldsAt(kind, at, read))) as Record<
      string,
      Field
    >;
    for (const { index, entry } of entries) {
      const path = [list, index];
      const name = entryKinds ?? (broken.subtreeAt([...path, identity]) ? undefined : entry[identity]);
      const isNamed = typeof name === 'string';
      const isGone = entry[state] === 'absent';
      const isReplaced = (field: string): boolean =>
        equivalentFields(kind, field).some((text) => Object.hasOwn(entry, text));
      const inherited = Object.entries(defaults).filter(
        ([field]) =>
          (!isGone || field === kind.scope) && Object.hasOwn(kind.fields, field) && !isReplaced(field),
      );
      if (isGone) checkEntryToDelete(kind, path, entry, read);
      else
        for (const found of replacedDefaults(kind, Object.keys(defaults), entry))
          read.diagnostics.push(diagnosticAt(file, places.keySpan(path, found.by), defaultReplaced(found)));
      const fields = Object.assign(fieldsAt(kind, path, read), Object.fromEntries(inherited));
      const within = kind.scope && writtenValue({ kind, fields }, kind.scope);
      const resource = withHidden(
        {
          kind,
          name: isNamed ? name : '',
          address: addressIn(kind, isNamed ? name : '', within),
          fields,
          broken: [path, ...inherits].flatMap((at) =>
            Array.from(broken.subtreeAt(at)?.steps() ?? [], String),
          ),
          secrets,
          origin: { kind: 'manifest', file, entry: places.valueSpan(path) },
        },
        hidden,
      );
      allEntries.push(resource);
      if (read.contractOnly && !kind.isCreateDocumented)
        read.diagnostics.push(diagnosticAt(file, places.valueSpan(path), createNotDocumented(kind)));
      if (!isNamed) continue;
      entriesWithName.push(resource);
      if (!broken.subtreeAt(path)) valid.push(resource);
    }
  }
  return { entriesWithName, allEntries, valid };
}

function fieldsAt(kind: Kind, path: Path, read: ManifestValue): Record<string, Field> {
  const { manifest, broken } = read;
  const fields: Record<string, Field> = {};
  const values = valueAt(manifest, path);
  for (const [name, written] of isJsonObject(values) ? Object.entries(values) : []) {
    if (name === kind.variant?.field) continue; // the kind determines this field
    const at = [...path, name];
    const isAccess = name === kind.access?.field;
    const row = kind.fields[name] ?? {};
    const value = parseNames(row, written);
    if (row.children) checkBindings(kind, name, path, value, read);
    if (isAccess) checkAccess(kind, at, value, read);
    if (row.refersTo) checkNames(kind, name, at, value, read);
    if (read.contractOnly && name === formerly)
      read.diagnostics.push(diagnosticAt(read.file, read.places.keySpan(path, name), renameNotDocumented));
    if (broken.subtreeAt(at)) continue;
    if (!isAccess) {
      fields[name] = fieldAt(at, value, read);
      if (isGenerated({ fields }, name) && !row.isSecret)
        read.diagnostics.push(diagnosticAt(read.file, read.places.valueSpan(at), generatedNotAllowed(name)));
    } else
      for (const subject of kind.access?.subjects ?? [])
        fields[subject.field] = fieldAt([...at, subject.key], declaredSubjects(subject, value), read);
  }
  return fields;
}

function generatedNotAllowed(name: string): Problem {
  return {
    code: 'invalid-reference',
    summary: `\`${name}\` is not a secret, so it cannot be generated`,
    detail:
      'Only a secret, such as `client_secret`, can be generated: rollcall sets it in a new record, and never compares it.',
  };
}

/** Checks that an entry with `state: absent` has only identifying fields. No schema can express this rule. */
function checkEntryToDelete(kind: Kind, path: Path, entry: JsonObject, read: ManifestValue): void {
  const report = (field: string, problem: Problem): void => {
    read.diagnostics.push(diagnosticAt(read.file, read.places.keySpan(path, field), problem));
  };
  if (read.contractOnly) report(state, deleteNotDocumented);
  const identityFields = new Set([kind.identity, kind.scope, kind.variant?.field, state]);
  for (const field of Object.keys(entry)) {
    const isKnown = field === kind.access?.field || Object.hasOwn(kind.fields, field);
    if (isKnown && !identityFields.has(field)) report(field, extraFieldProblem(kind));
  }
}

/** The entry may be meant to have both the default and its own field. */
function defaultReplaced({ field, by }: ReplacedDefault): Problem {
  return {
    code: 'default-replaced',
    severity: 'warning',
    summary: `the default \`${field}\` does not apply, because this entry declares \`${by}\``,
    detail:
      'Both fields declare the same bindings. If the entry should have both, write all of them into its `policies`.',
  };
}

function undocumentedProblem(feature: string, detail: string): Problem {
  return { code: 'contract-only', summary: `${feature}, and contract_only allows only these`, detail };
}

const deleteNotDocumented = undocumentedProblem(
  'deletes are not among the three documented operations',
  'Leave out the entry, or turn off contract_only.',
);

function extraFieldProblem({ identity, scope, variant }: Kind): Problem {
  const identityFields = [identity, scope, variant?.field]
    .flatMap((field) => (field === undefined ? [] : `\`${field}\``))
    .join(' and ');
  return {
    code: 'declared-of-absent',
    summary: 'this field is declared for a resource that should be absent',
    detail: `With \`state: absent\`, an entry may only have its ${identityFields}: delete the other fields, or delete \`state\`.`,
  };
}

function fieldAt(at: Path, value: JsonValue, { references, areAssumed, places }: ManifestValue): Field {
  const templates = references.subtreeAt(at);
  return fieldOf(value, {
    at: places.valueSpan(at),
    items: itemSpans(at, value, places),
    mask: templates && {
      sensitive: Object.fromEntries(
        Array.from(templates.entries(), ([inner, template]) => [pointer(inner), template]),
      ),
      ...(areAssumed && { isUnread: true }),
    },
  });
}

function itemSpans(at: Path, value: JsonValue, places: Places): readonly Span[] | undefined {
  if (isJsonList(value)) return value.map((_, item) => places.valueSpan([...at, item]));
  return isJsonObject(value) ? Object.keys(value).map((key) => places.keySpan(at, key)) : undefined;
}

/** Reports a problem of a value. A value with an error is left out of the resource. */
function reportAt(path: Path, problem: Problem, { diagnostics, broken, places, file }: ManifestValue): void {
  diagnostics.push(diagnosticAt(file, places.valueSpan(path), problem));
  if (problem.severity !== 'warning') broken.set(path, true);
}

function checkAccess(kind: Kind, at: Path, value: JsonValue, read: ManifestValue): void {
  const problem = read.contractOnly ? bindingsNotDocumented(kind.access?.field ?? '') : accessProblem(value);
  if (problem) return reportAt(at, problem, read);
  for (const subject of kind.access?.subjects ?? [])
    checkNames(kind, subject.field, [...at, subject.key], declaredSubjects(subject, value), read);
}

function checkBindings(kind: Kind, field: string, path: Path, value: JsonValue, read: ManifestValue): void {
  const { access, fields } = kind;
  const { children } = fields[field] ?? {};
  if (children === undefined) return;
  const at = [...path, field];
  const entry = valueAt(read.manifest, path) ?? null;
  if (read.contractOnly) reportAt(at, bindingsNotDocumented(field), read);
  else if (access && isJsonObject(entry) && Object.hasOwn(entry, access.field))
    reportAt(at, twoFieldsProblem(field, access.field), read);
  for (const { place, problem } of bindingProblems(children, value))
    reportAt([...at, ...place], problem, read);
  checkNames(kind, field, at, value, read);
}

const renameNotDocumented = undocumentedProblem(
  'renames are not among the three documented operations',
  'Leave out `formerly`, or turn off contract_only.',
);

function bindingsNotDocumented(field: string): Problem {
  return undocumentedProblem(
    `\`${field}\` is not possible with the three documented operations`,
    `Leave out \`${field}\`, or turn off contract_only.`,
  );
}

/** Checks that a name in place of an id can be looked up and is not secret. */
function checkNames(kind: Kind, field: string, at: Path, value: JsonValue, read: ManifestValue): void {
  const row = kind.fields[field] ?? {};
  if (row.refersTo && (row.idForm !== undefined) !== isJsonList(value)) return;
  for (const { id, related, place } of idsIn(row, value)) checkName(related, [...at, ...place], id, read);
}

function checkName(related: Family, path: Path, id: JsonValue, read: ManifestValue): void {
  if (!isNameReference(id)) return;
  const keys = Object.keys(related.keys ?? { name: 'name' });
  if (!read.contractOnly && !keys.some((key) => read.references.has([...path, key]))) return;
  const secret = sensitiveNameProblem(`the name of this ${related.type}`);
  reportAt(path, read.contractOnly ? nameNotSupported(related) : secret, read);
}

function createNotDocumented({ words, list }: Kind): Problem {
  return undocumentedProblem(
    `${words.one} cannot be created with the three documented operations`,
    `Declare no ${list}, or turn off contract_only.`,
  );
}

function nameNotSupported({ list, findId }: Family): Problem {
  return {
    code: 'contract-only',
    summary: `names of ${list.replaceAll('_', ' ')} cannot be looked up, because contract_only allows only the three documented operations`,
    detail: `Write the id. ${findId}`,
  };
}

export function entriesOf(manifest: JsonObject, list: string): readonly JsonValue[] {
  const entries = manifest[list];
  return isJsonList(entries) ? entries : [];
}
