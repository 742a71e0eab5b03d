import type { JsonObject, JsonValue } from '../base/json.ts';
import type { Address } from '../base/address.ts';

/** The plan, as it is kept in memory and as it is written: schemas/plan.schema.json. */
export interface Plan {
  readonly format_version: string;
  readonly tool_version: string;
  /** RFC 3339, UTC. */
  readonly created_at: string;
  /** The base URL of the service that was observed. */
  readonly service: string;
  /** `sha256:` and the digest of what the manifests declare, in the scope of the plan and beyond. */
  readonly manifest_digest: string;
  readonly scope?: PlanScope;
  /** Every declared resource in the scope of the plan; applications first, then by name. */
  readonly resource_changes: readonly Change[];
  /** Those of the changes that exist and differ. */
  readonly resource_drift: readonly Change[];
  readonly summary: PlanSummary;
}

/** Which of the declared resources the plan is about, as globs on addresses. */
export interface PlanScope {
  /** Empty: all. */
  readonly target: readonly string[];
  readonly exclude: readonly string[];
  /** One of several parts, from 1 to `count`; together they are the whole. */
  readonly shard?: { readonly index: number; readonly count: number };
  /** How many resources the manifests declare in all. */
  readonly declared: number;
}

export interface PlanSummary {
  readonly create: number;
  readonly create_if_absent: number;
  readonly in_sync: number;
  readonly differs: number;
}

/** What the plan would do to one resource. */
export type Change = ApplicationChange | UserChange;

export interface ApplicationChange extends ChangeOf<'application'> {
  readonly presence: 'present' | 'absent';
}

export interface UserChange extends ChangeOf<'user'> {
  /** The contract cannot tell: apply creates the user if absent. */
  readonly presence: 'unknown';
}

interface ChangeOf<Type extends string> {
  readonly address: Address;
  readonly type: Type;
  readonly name: string;
  readonly source: { readonly file: string; readonly line: number; readonly column: number };
  readonly change:
    /** `after` is what create sends, its sensitive values blanked out. */
    | { readonly actions: readonly ['create']; readonly before: null; readonly after: JsonObject }
    | {
        readonly actions: readonly ['no-op'];
        readonly before: ObservedFields;
        readonly after: ObservedFields;
      };
  /** Every declared field whose observed value is another. Only what exists can differ. */
  readonly differences: readonly Difference[];
}

/** The observed values of the declared fields. */
export type ObservedFields = Readonly<Record<string, JsonValue>>;

export interface Difference {
  readonly field: string;
  readonly declared: JsonValue;
  /** Null also when the service does not show the field. */
  readonly observed: JsonValue;
}
