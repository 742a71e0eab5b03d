import type { ResourceType } from '../kinds/all.ts';
import type { Family, Kind } from '../kinds/kind.ts';
import type { Answer } from '../service/answer.ts';
import type { ListedRecord } from '../service/records.ts';

/** What the service holds of one kind, as far as the token can see. */
export interface Inventory {
  readonly kind: Kind<ResourceType>;
  readonly records: readonly ListedRecord[];
  /** What was not read, though it is or may be there. None: each record that the service counts was read. */
  readonly gaps: readonly Gap[];
}

/** What an inventory lacks. */
export type Gap =
  /** The service shows all to superusers alone. To this token it names so many of those that it counts. */
  | { readonly kind: 'not_superuser'; readonly named: number; readonly count: number }
  /** The service names it, and does not show it to a look-up. */
  | { readonly kind: 'not_shown'; readonly name: string; readonly answer: Answer }
  /** The list grew as fast as it was read: others may be there. */
  | { readonly kind: 'moved' }
  /** The service counts so many, and its list has fewer records that are not the same. */
  | { readonly kind: 'short'; readonly read: number; readonly count: number }
  /** More than one has this name, by which they cannot be told apart. */
  | { readonly kind: 'several'; readonly name: string; readonly ids: readonly string[] }
  /** They are of types that were not read. */
  | {
      readonly kind: 'other_types';
      readonly of: Family;
      readonly others: readonly { readonly name: string; readonly type: string }[];
    }
  /** Who may open them was not shown: the field of an entry that would declare it. */
  | { readonly kind: 'no_access'; readonly field: string; readonly answer: Answer }
  /** After this answer, nothing more was asked. */
  | { readonly kind: 'ended'; readonly answer: Answer }
  | { readonly kind: 'interrupted' };
