import { diagnosticDocument, type Address, type ShownDiagnostic } from '../base/diagnostic.ts';
import type { JsonObject, JsonValue } from '../base/json.ts';
import { kindOf, type ResourceType } from '../kinds/all.ts';
import type { Capability } from '../kinds/capability.ts';
import { fieldOf, fieldsBy, instructionsOf, shownValue } from '../kinds/fields.ts';
import { namesAt, namesById, referenceFields, withNamesAt, type Names } from '../kinds/named.ts';
import { sourceOf, type Resource, type Source } from '../kinds/resource.ts';
import type { Scope } from '../manifest/select.ts';
import type { Undeclared } from '../observe/undeclared.ts';
import type { Alteration, Baseline } from '../manifest/baseline.ts';
import {
  planSummary,
  type Change,
  type Difference,
  type ObservedFields,
  type Plan,
  type PlanSummary,
  type UnreadableTypes,
} from './plan.ts';

export const planFormatVersion = '1.0';

/** The plan as it is printed and saved, without secrets: schemas/plan.schema.json. */
export interface PlanDocument {
  readonly format_version: string;
  readonly tool_version: string;
  /** RFC 3339, UTC. */
  readonly created_at: string;
  /** The base URL of the service that was observed. */
  readonly service: string;
  /** The environment of rollcall.yaml that the plan was made for, where one was chosen. */
  readonly environment?: string;
  /** `sha256:` and the digest of what the manifests declare, in the scope of the plan and beyond. */
  readonly manifest_digest: string;
  readonly scope?: Scope;
  /** What was turned on beyond reading and creating, where anything was. */
  readonly capabilities?: readonly Capability[];
  /** That nothing but the three documented operations was sent. */
  readonly contract_only?: true;
  /** The types that could not be looked up: the token may not, or what answers does not offer it. */
  readonly unreadable?: UnreadableTypes;
  /** Where the manifests were compared with a baseline. */
  readonly baseline?: BaselineDocument;
  /** Every declared resource in the scope of the plan; applications first, then by name, but each behind those that it waits for. */
  readonly resource_changes: readonly ChangeDocument[];
  /** Those of the changes that exist and differ. */
  readonly resource_drift: readonly ChangeDocument[];
  readonly summary: PlanSummary;
  /** What the service holds and no manifest declares, where that was asked; and whether all was read that there is. */
  readonly undeclared?: Partial<Undeclared> & Pick<Undeclared, 'found'> & { readonly whole: boolean };
  /** What was found in the manifests, and on the way; only where it is printed or reported. As in schemas/validation.schema.json. */
  readonly diagnostics?: readonly ShownDiagnostic[];
}

/** What the manifests were compared with, as it is written. */
type BaselineDocument = Pick<Baseline, 'path'> & {
  readonly no_longer_declared: Baseline['noLongerDeclared'];
};

/** What the plan would do to one resource, as it is written. */
export interface ChangeDocument {
  readonly address: Address;
  readonly type: ResourceType;
  /** Where several kinds are of the type, which: `oauth2provider`. */
  readonly model?: string;
  readonly name: string;
  readonly source: Source;
  /** Unknown of users that are not looked up: apply creates them if they are absent. */
  readonly presence: Change['presence'];
  readonly change:
    /** `after` is what create sends, its sensitive values blanked out. */
    | { readonly actions: readonly ['create']; readonly before: null; readonly after: JsonObject }
    /** `after` is `before`; of an update, with the declared values of what differs. */
    | {
        readonly actions: readonly ['no-op' | 'update'];
        readonly before: ObservedFields;
        readonly after: ObservedFields;
      }
    | { readonly actions: readonly ['delete']; readonly before: ObservedFields; readonly after: null }
    /** It is to be absent, and is. */
    | { readonly actions: readonly ['no-op']; readonly before: null; readonly after: null }
    | { readonly actions: readonly ['not-planned']; readonly before: null; readonly after: null };
  /** Only of what is not planned: what keeps it from that. */
  readonly diagnostics?: readonly ShownDiagnostic[];
  /** Every declared field whose observed value is another. Only what exists can differ. */
  readonly differences: readonly DifferenceDocument[];
  /** The names that the manifest declares in place of ids, by the JSON Pointer of each from what is declared: `/groups/0`. */
  readonly names?: Names;
  /** The names that the service gives of observed ids in the differences, by the JSON Pointer of each from `before`. */
  readonly observed_names?: Names;
  readonly since?: Alteration;
  /** Why what differs is not changed, although changes are allowed. */
  readonly left_because?: string;
  /** That it was begun, and that only an update finishes it. */
  readonly unfinished?: true;
  /** The declared fields that the service does not show, and that are not compared. */
  readonly not_shown?: readonly string[];
  /** The declared fields that no release shows. */
  readonly not_compared?: readonly string[];
  /** What else the change does, or means for people. */
  readonly remarks?: readonly string[];
  /** To whom it opens what was closed to them. */
  readonly opens?: readonly string[];
  /** The changes before this one that must have been carried out. */
  readonly waits_for?: readonly Address[];
  /** The fields that are declared in full, where any are of which others may stand beside what is declared. */
  readonly exactly?: readonly string[];
  readonly at_least?: readonly string[];
  /** What it was called before, where the manifest says so. */
  readonly formerly?: string;
  /** That it is to be deleted. */
  readonly state?: 'absent';
}

/** A difference as it is written: the names stand beside the change as a whole. */
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
    ...(plan.scope && { scope: plan.scope }),
    ...(plan.capabilities && plan.capabilities.length > 0 && { capabilities: plan.capabilities }),
    ...(plan.contractOnly && { contract_only: true as const }),
    ...(plan.unreadable && { unreadable: plan.unreadable }),
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
    ...countedDocument(changes),
  };
}

export function changeDocument(of: Change): ChangeDocument {
  const { resource, presence, action, observed = {}, differences } = of;
  const { leftBecause, unfinished, notShown, notCompared, remarks, opens, waitsFor, since } = of;
  const { address, kind, name } = resource;
  const shown = fieldsBy(shownValue, resource);
  const names = namesBeside(resource, differences, action === 'create' ? shown : observed);
  const observedNames = Object.assign({}, ...differences.map((each) => each.observedNames ?? {})) as Names;
  return {
    address,
    name,
    source: sourceOf(resource),
    type: kind.type,
    ...(kind.model && { model: kind.model.type }),
    presence,
    change: stepOf(of, observed, shown),
    ...(action === 'not-planned' && { diagnostics: of.diagnostics.map(diagnosticDocument) }),
    differences: differences.map(differenceDocument),
    ...(Object.keys(names).length > 0 && { names }),
    ...(Object.keys(observedNames).length > 0 && { observed_names: observedNames }),
    ...(leftBecause !== undefined && { left_because: leftBecause }),
    ...(unfinished && { unfinished }),
    ...(notShown && { not_shown: notShown }),
    ...(notCompared && { not_compared: notCompared }),
    ...(remarks && { remarks }),
    ...(opens && { opens }),
    ...(waitsFor && { waits_for: waitsFor }),
    ...(since && { since }),
    ...instructionsOf(resource),
  };
}

function stepOf(
  { action, presence, differences }: Change,
  observed: ObservedFields,
  declared: JsonObject,
): ChangeDocument['change'] {
  switch (action) {
    case 'create':
      return { actions: [action], before: null, after: declared };
    case 'update':
      return { actions: [action], before: observed, after: withDeclared(observed, differences) };
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

/** What a field holds after its change. */
export function withDeclared(observed: ObservedFields, differences: readonly Difference[]): ObservedFields {
  return { ...observed, ...Object.fromEntries(differences.map(({ field, declared }) => [field, declared])) };
}

export function differenceDocument({ field, declared, observed }: Difference): DifferenceDocument {
  return { field, declared, observed };
}

/** The names that are declared in place of ids, where a document says what is declared: in a difference, or else beside it. */
function namesBeside(
  resource: Resource,
  differences: readonly Difference[],
  values: Readonly<Record<string, JsonValue>>,
): Names {
  const { kind } = resource;
  const names: Record<string, string> = {};
  for (const [field] of referenceFields(kind)) {
    const differing = differences.find((difference) => difference.field === field)?.declared;
    const value = differing ?? values[field] ?? null;
    Object.assign(names, namesAt(kind, field, value, namesById(resource, field)));
  }
  return names;
}

/** What a document says a second time: which of its changes differ, and how many there are of each kind. */
export function countedDocument(
  changes: readonly ChangeDocument[],
): Pick<PlanDocument, 'resource_drift' | 'summary'> {
  return {
    resource_drift: changes.filter(({ differences }) => differences.length > 0),
    summary: planSummary(
      changes.map(({ presence, differences, not_compared: notCompared, change: { actions } }) => ({
        presence,
        differences,
        ...(notCompared && { notCompared }),
        action: actions[0],
      })),
    ),
  };
}

/** The resource of a change, from its document alone: to be shown, and not to be created. */
export function shownResource(document: ChangeDocument): Resource {
  const { change, differences, type, model, name, exactly, at_least, formerly, state } = document;
  // What is in sync is declared as it is observed; what is to go has nothing but its name.
  const declared =
    state === undefined
      ? withDeclared(change.after ?? {}, differences)
      : { [kindOf(type, model).identity]: name };
  const given = Object.entries({ exactly, at_least, formerly, state }).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, value] as const],
  );
  return resourceAt(document, { ...declared, ...Object.fromEntries(given) });
}

/** A resource of which a document says where it is declared, and perhaps its fields; likewise to be shown. */
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
    const given = kind.fields[field]?.refersTo ? withNamesAt(value, field, names) : value;
    return [field, fieldOf(given, { at: entry })] as const;
  });
  const origin = { kind: 'saved-plan', filename: source.file, entry } as const;
  return { kind, name, address, fields: Object.fromEntries(fields), secrets: [], origin };
}
