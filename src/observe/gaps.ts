import type { ResourceType } from '../kinds/all.ts';
import type { Family, Kind } from '../kinds/kind.ts';
import type { Answer } from '../service/answer.ts';
import type { ListedRecord } from '../service/records.ts';

export interface Inventory {
  readonly kind: Kind<ResourceType>;
  readonly records: readonly ListedRecord[];
  /** The reasons why records may be missing; a complete inventory has none. */
  readonly gaps: readonly InventoryGap[];
}

export type InventoryGap =
  /** The token's user is not a superuser, so only `named` of `count` records were found. */
  | { readonly kind: 'not_superuser'; readonly named: number; readonly count: number }
  | { readonly kind: 'not_shown'; readonly name: string; readonly answer: Answer }
  /** The list grew while it was read, so it may contain further records. */
  | { readonly kind: 'moved' }
  /** The service counts more records than its list contains. */
  | { readonly kind: 'short'; readonly read: number; readonly count: number }
  /** Several records have this name, so the name identifies no record. */
  | { readonly kind: 'several'; readonly name: string; readonly ids: readonly string[] }
  | {
      readonly kind: 'other_types';
      readonly of: Family;
      readonly others: readonly { readonly name: string; readonly type: string }[];
    }
  /** The bindings that manifests declare in `field` could not be read. */
  | { readonly kind: 'no_access'; readonly field: string; readonly answer: Answer }
  /** The bindings of this record have expired, so nobody can open it, which no value of `access` expresses. */
  | { readonly kind: 'expired'; readonly name: string }
  | { readonly kind: 'ended'; readonly answer: Answer }
  | { readonly kind: 'interrupted' };
