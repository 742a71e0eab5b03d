import { diagnosticDocument, type Address, type ShownDiagnostic } from '../base/diagnostic.ts';
import type { JsonObject, JsonValue } from '../base/json.ts';
import { kindOf, type ResourceType } from '../kinds/all.ts';
import type { Capability, Risk } from '../kinds/capability.ts';
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
  type WayIn,
} from './plan.ts';

export const planFormatVersion = '1.0';

/** The plan as it is printed and saved, without secrets: schemas/plan.schema.json. */
export interface PlanDocument {
  readonly format_version: string;
  readonly tool_version: string;
  readonly created_at: string;
  /** The base URL of the service. */
  readonly service: string;
  /** The environment of rollcall.yaml, if one was chosen. */
  readonly environment?: string;
  /** The digest of everything that the manifests declare, selected or not. */
  readonly manifest_digest: string;
  readonly scope?: Scope;
  /** The enabled capabilities, if any. */
  readonly capabilities?: readonly Capability[];
  /** Present if only the three documented operations were used. */
  readonly contract_only?: true;
  /** The types that could not be read, because the token may not read them or the service does not offer it. */
  readonly unreadable?: UnreadableTypes;
  /** The risks that it takes; left out if there are none. */
  readonly accepts?: readonly Risk[];
  /** Present if the plan changes the login flow. */
  readonly way_in?: WayIn;
  readonly baseline?: BaselineDocument;
  /** Every selected resource: applications first, then by name, but each after its dependencies. */
  readonly resource_changes: readonly ChangeDocument[];
  readonly resource_drift: readonly ChangeDocument[];
  readonly summary: PlanSummary;
  /** Undeclared records, if they were requested, and whether the reading was complete. */
  readonly undeclared?: Partial<Undeclared> & Pick<Undeclared, 'found'> & { readonly whole: boolean };
  /** The problems of manifests and run; only where they are printed or reported. As in schemas/validation.schema.json. */
  readonly diagnostics?: readonly ShownDiagnostic[];
}

type BaselineDocument = Pick<Baseline, 'path'> & {
  readonly no_longer_declared: Baseline['noLongerDeclared'];
};

export interface ChangeDocument {
  readonly address: Address;
  readonly type: ResourceType;
  /** The kind, if the type has several: `oauth2provider`. */
  readonly model?: string;
  readonly name: string;
  readonly source: Source;
  /** `unknown` if it cannot be read: apply creates it if it is absent. */
  readonly presence: Change['presence'];
  readonly change:
    /** `after` is what create sends, with secrets masked. */
    | { readonly actions: readonly ['create']; readonly before: null; readonly after: JsonObject }
    /** `after` is `before`; for an update, with the declared values of the differing fields. */
    | {
        readonly actions: readonly ['no-op' | 'update'];
        readonly before: ObservedFields;
        readonly after: ObservedFields;
      }
    | { readonly actions: readonly ['delete']; readonly before: ObservedFields; readonly after: null }
    /** It should be absent, and is. */
    | { readonly actions: readonly ['no-op']; readonly before: null; readonly after: null }
    | { readonly actions: readonly ['not-planned']; readonly before: null; readonly after: null };
  /** The reasons, for a resource that is not planned. */
  readonly diagnostics?: readonly ShownDiagnostic[];
  /** Every declared field with another observed value. Only an existing record can differ. */
  readonly differences: readonly DifferenceDocument[];
  /** The declared names in place of ids, each with the JSON Pointer of its id within the declared fields: `/groups/0`. */
  readonly names?: Names;
  /** The names of observed ids in the differences, each with the JSON Pointer of its id within `before`. */
  readonly observed_names?: Names;
  readonly since?: Alteration;
  /** Why a difference stays although updates are allowed. */
  readonly left_because?: string;
  /** An earlier run started it, and only an update completes it. */
  readonly unfinished?: true;
  /** The declared fields that this release does not show, so that they are not compared. */
  readonly not_shown?: readonly string[];
  /** The declared fields that no release shows. */
  readonly not_compared?: readonly string[];
  /** Side effects of the change, and its consequences for people. */
  readonly remarks?: readonly string[];
  /** Who gains access through the change. */
  readonly opens?: readonly string[];
  /** Who can open the new record, because no access to it is declared. */
  readonly open_to?: string;
  /** Whether the change is part of the login flow. */
  readonly on_way_in?: true;
  /** Whether it may take rights from the token of the run. */
  readonly takes_own_rights?: true;
  readonly waits_for?: readonly Address[];
  /** References to records that are created after this one: they are set then. */
  readonly set_after?: NonNullable<Change['setAfter']>;
  /** The fields declared with `exactly`, where a partial declaration is possible. */
  readonly exactly?: readonly string[];
  readonly at_least?: readonly string[];
  /** The former name, if the manifest has one. */
  readonly formerly?: string;
  readonly state?: 'absent';
}

/** Without the observed names, which are part of the change. */
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
    ...(plan.accepts && plan.accepts.length > 0 && { accepts: plan.accepts }),
    ...(plan.wayIn && { way_in: plan.wayIn }),
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
    ...derivedParts(changes),
  };
}

export function changeDocument(of: Change): ChangeDocument {
  const { resource, presence, action, observed = {}, differences } = of;
  const { leftBecause, unfinished, notShown, notCompared, remarks, opens, openTo, onWayIn } = of;
  const { takesOwnRights, waitsFor, setAfter, since } = of;
  const { address, kind, name } = resource;
  const shown = fieldsBy(shownValue, resource);
  const names = declaredNamesFor(resource, differences, action === 'create' ? shown : observed);
  const observedNames = Object.assign({}, ...differences.map((each) => each.observedNames ?? {})) as Names;
  return {
    address,
    name,
    source: sourceOf(resource),
    type: kind.type,
    ...(kind.model && { model: kind.model.type }),
    presence,
    change: changeStep(of, observed, shown),
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
    ...(openTo !== undefined && { open_to: openTo }),
    ...(onWayIn && { on_way_in: onWayIn }),
    ...(takesOwnRights && { takes_own_rights: takesOwnRights }),
    ...(waitsFor && { waits_for: waitsFor }),
    ...(setAfter && { set_after: setAfter }),
    ...(since && { since }),
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

/** The fields of a record after its change. */
export function withDeclared(observed: ObservedFields, differences: readonly Difference[]): ObservedFields {
  return { ...observed, ...Object.fromEntries(differences.map(({ field, declared }) => [field, declared])) };
}

export function differenceDocument({ field, declared, observed }: Difference): DifferenceDocument {
  return { field, declared, observed };
}

/** The declared names of a document's values, by JSON Pointer. */
function declaredNamesFor(
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

/** Drifted resources and the numbers of changes, which follow from the changes. */
export function derivedParts(
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

/** The resource of a change, rebuilt from its document for display; it cannot be created. */
export function shownResource(document: ChangeDocument): Resource {
  const { change, differences, type, model, name, exactly, at_least, formerly, state } = document;
  // A resource in sync is declared as observed; one to delete has only its name.
  const declared =
    state === undefined
      ? withDeclared(change.after ?? {}, differences)
      : { [kindOf(type, model).identity]: name };
  const given = Object.entries({ exactly, at_least, formerly, state }).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, value] as const],
  );
  return resourceAt(document, { ...declared, ...Object.fromEntries(given) });
}

/** A resource with its source and perhaps its fields, for display only. */
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
