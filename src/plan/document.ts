import { diagnosticDocument, type Address, type ShownDiagnostic } from '../base/diagnostic.ts';
import type { JsonObject, JsonValue } from '../base/json.ts';
import { documentModel, kindOf, type ResourceType } from '../kinds/all.ts';
import { fieldOf, fieldValues, instructionsOf, shownValue } from '../kinds/fields.ts';
import {
  namesByPointer,
  namesById,
  referenceFields,
  withNamesByPointer,
  type NamesByPointer,
} from '../kinds/named.ts';
import { sourceOf, type Resource, type Source } from '../kinds/resource.ts';
import type { Undeclared } from '../observe/undeclared.ts';
import type { Baseline } from '../manifest/baseline.ts';
import {
  planSummary,
  type Change,
  type Difference,
  type ObservedFields,
  type Plan,
  type PlanSummary,
} from './plan.ts';

export const planFormatVersion = '1.0';

/** Optional parts of a plan, with their names in its document. */
export const planParts = {
  scope: 'scope',
  capabilities: 'capabilities',
  contractOnly: 'contract_only',
  unreadable: 'unreadable',
  accepts: 'accepts',
  loginFlows: 'way_in',
} as const;

export const changeParts = {
  pk: 'pk',
  leftBecause: 'left_because',
  deletesBindings: 'deletes_bindings',
  unfinished: 'unfinished',
  notShown: 'not_shown',
  notCompared: 'not_compared',
  remarks: 'remarks',
  opens: 'opens',
  openTo: 'open_to',
  affectsLogin: 'on_way_in',
  takesOwnRights: 'takes_own_rights',
  waitsFor: 'waits_for',
  setAfter: 'set_after',
  since: 'since',
} as const;

type Renamed<Of, Names extends { readonly [Key in keyof Of]?: string }> = {
  readonly [Key in keyof Names & keyof Of as Names[Key] & string]?: Exclude<Of[Key], undefined | false>;
};

/** Renames parts of an object for a document, and leaves out empty lists and `false`. */
function renamed<Of extends object, Names extends { readonly [Key in keyof Of]?: string }>(
  of: Of,
  names: Names,
): Renamed<Of, Names> {
  const values = Object.entries(names).map(([key, name]) => [name, of[key as keyof Of]] as const); // each key of `names` is a key of `of`
  return Object.fromEntries(values.filter(([, value]) => isGiven(value))) as Renamed<Of, Names>; // `names` determines the keys
}

/** Renames parts of a document back to the names that the plan uses. */
export function partsOfDocument<Of, Names extends { readonly [Key in keyof Of]?: string }>(
  document: Renamed<Of, Names>,
  names: Names,
): Pick<Of, keyof Names & keyof Of> {
  const values = new Map<string, unknown>(Object.entries(document));
  const parts = Object.entries<string | undefined>(names).flatMap(([key, name = key]) =>
    values.has(name) ? [[key, values.get(name)] as const] : [],
  );
  return Object.fromEntries(parts) as Pick<Of, keyof Names & keyof Of>; // `names` determines the keys
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0);
}

/** The plan as it is printed and saved, without secrets. Its schema is schemas/plan.schema.json. */
export interface PlanDocument extends Renamed<Plan, typeof planParts> {
  readonly format_version: string;
  readonly tool_version: string;
  readonly created_at: string;
  readonly service: string;
  readonly environment?: string;
  readonly manifest_digest: string;
  readonly baseline?: BaselineDocument;
  readonly resource_changes: readonly ChangeDocument[];
  readonly resource_drift: readonly ChangeDocument[];
  readonly summary: PlanSummary;
  /** Undeclared records, if requested, and whether all records could be read. */
  readonly undeclared?: Partial<Undeclared> & Pick<Undeclared, 'found'> & { readonly whole: boolean };
  /** The problems of the manifests and the run. Only printed plans and reports contain problems; see schemas/validation.schema.json. */
  readonly diagnostics?: readonly ShownDiagnostic[];
}

type BaselineDocument = Pick<Baseline, 'path'> & {
  readonly no_longer_declared: Baseline['noLongerDeclared'];
};

export interface ChangeDocument extends Renamed<Change, typeof changeParts> {
  readonly address: Address;
  readonly type: ResourceType;
  /** Distinguishes kinds that have the same type, such as `oauth2provider`. */
  readonly model?: string;
  readonly name: string;
  readonly source: Source;
  readonly presence: Change['presence'];
  readonly change:
    /** `after` has the fields that the create sends, with secrets masked. */
    | { readonly actions: readonly ['create']; readonly before: null; readonly after: JsonObject }
    /** For an update, `after` has the declared values of the fields that differ. For a no-op, `after` equals `before`. */
    | {
        readonly actions: readonly ['no-op' | 'update'];
        readonly before: ObservedFields;
        readonly after: ObservedFields;
      }
    | { readonly actions: readonly ['delete']; readonly before: ObservedFields; readonly after: null }
    /** The manifest declares the resource as absent, and it does not exist. */
    | { readonly actions: readonly ['no-op']; readonly before: null; readonly after: null }
    | { readonly actions: readonly ['not-planned']; readonly before: null; readonly after: null };
  readonly diagnostics?: readonly ShownDiagnostic[];
  readonly differences: readonly DifferenceDocument[];
  /** The declared names that were replaced by ids, by the JSON Pointer of the id in the declared fields, such as `/groups/0`. */
  readonly names?: NamesByPointer;
  /** The names of the observed ids in the differences, by the JSON Pointer of the id in `before`. */
  readonly observed_names?: NamesByPointer;
  /** The fields that are declared in full although they could be declared in part. */
  readonly exactly?: readonly string[];
  readonly at_least?: readonly string[];
  readonly formerly?: string;
  readonly state?: 'absent';
}

/** A document has the names of the observed ids once for each change, not once for each difference. */
export type DifferenceDocument = Omit<Difference, 'observedNames'>;

export function planDocument(plan: Plan): PlanDocument {
  const { baseline } = plan;
  const changes = plan.changes.map((change) => changeDocument(change));
  return {
    format_version: planFormatVersion,
    tool_version: plan.toolVersion,
    created_at: plan.createdAt.toISOString(),
    service: plan.service,
    ...(plan.environment !== undefined && { environment: plan.environment }),
    manifest_digest: plan.manifestDigest(),
    ...renamed(plan, planParts),
    ...(baseline && {
      baseline: { path: baseline.path, no_longer_declared: baseline.noLongerDeclared },
    }),
    ...(plan.undeclared && {
      undeclared: {
        found: plan.undeclared.found,
        whole: plan.undeclared.gaps.length === 0,
        ...(plan.undeclared.gaps.length > 0 && { gaps: plan.undeclared.gaps }),
      },
    }),
    resource_changes: changes,
    resource_drift: changes.filter(({ differences }) => differences.length > 0),
    summary: planSummary(plan.changes),
  };
}

export function changeDocument(of: Change): ChangeDocument {
  const { resource, presence, action, observed = {}, differences } = of;
  const { address, kind, name } = resource;
  const shownFields = fieldValues(shownValue, resource);
  const names = declaredNamesFor(resource, differences, action === 'create' ? shownFields : observed);
  const observedNames: NamesByPointer = Object.fromEntries(
    differences.flatMap((each) => Object.entries(each.observedNames ?? {})),
  );
  return {
    address,
    name,
    source: sourceOf(resource),
    type: kind.type,
    ...documentModel(kind),
    presence,
    change: changeStep(of, observed, shownFields),
    ...(action === 'not-planned' && { diagnostics: of.diagnostics.map(diagnosticDocument) }),
    differences: differences.map(differenceDocument),
    ...(Object.keys(names).length > 0 && { names }),
    ...(Object.keys(observedNames).length > 0 && { observed_names: observedNames }),
    ...renamed(of, changeParts),
    ...instructionsOf(resource),
  };
}

function changeStep(
  { action, presence, differences }: Change,
  observed: ObservedFields,
  declared: JsonObject,
): ChangeDocument['change'] {
  switch (action) {
    case 'create':
      return { actions: [action], before: null, after: declared };
    case 'update':
      return { actions: [action], before: observed, after: withDeclaredValues(observed, differences) };
    case 'delete':
      return { actions: [action], before: observed, after: null };
    case 'no-op':
      return presence === 'present'
        ? { actions: [action], before: observed, after: observed }
        : { actions: [action], before: null, after: null };
    case 'not-planned':
      return { actions: [action], before: null, after: null };
  }
}

function withDeclaredValues(observed: ObservedFields, differences: readonly Difference[]): ObservedFields {
  return { ...observed, ...Object.fromEntries(differences.map(({ field, declared }) => [field, declared])) };
}

export function differenceDocument({ field, declared, observed }: Difference): DifferenceDocument {
  return { field, declared, observed };
}

function declaredNamesFor(
  resource: Resource,
  differences: readonly Difference[],
  values: Readonly<Record<string, JsonValue>>,
): NamesByPointer {
  const { kind } = resource;
  const names: Record<string, string> = {};
  for (const [field] of referenceFields(kind)) {
    const differing = differences.find((difference) => difference.field === field)?.declared;
    const value = differing ?? values[field] ?? null;
    Object.assign(names, namesByPointer(kind, field, value, namesById(resource, field)));
  }
  return names;
}

export function resourceForDisplay(document: ChangeDocument): Resource {
  const { change, differences, type, model, name, exactly, at_least, formerly, state } = document;
  // Without differences, the declared values equal the observed values; an entry with `state: absent` has only a name.
  const declared =
    state === undefined
      ? withDeclaredValues(change.after ?? {}, differences)
      : { [kindOf(type, model).identity]: name };
  const instructions = Object.entries({ exactly, at_least, formerly, state }).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, value] as const],
  );
  return resourceAt(document, { ...declared, ...Object.fromEntries(instructions) });
}

export function resourceAt(
  {
    address,
    type,
    model,
    name,
    source,
    names = {},
  }: Pick<ChangeDocument, 'address' | 'type' | 'model' | 'name' | 'source' | 'names'>,
  shown: JsonObject = {},
): Resource {
  const kind = kindOf(type, model);
  const entry = { line: source.line, column: source.column };
  const fields = Object.entries(shown).map(([field, value]) => {
    const valueWithNames = kind.fields[field]?.refersTo ? withNamesByPointer(value, field, names) : value;
    return [field, fieldOf(valueWithNames, { at: entry })] as const;
  });
  const origin = { kind: 'saved-plan', filename: source.file, entry } as const;
  return { kind, name, address, fields: Object.fromEntries(fields), secrets: [], origin };
}
