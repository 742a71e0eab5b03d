import { textOf, type JsonObject, type JsonValue } from '../base/json.ts';
import { memoizePerKey } from '../base/memoize.ts';
import { kinds } from './all.ts';
import type { Kind } from './kind.ts';
import { idKey, nestedFields, nestedRecords, referenceFields } from './named.ts';

/** Facts about referenced records, by `factKey`: the name of an owner, `true` if a flag is set, or `null` if this is unknown. */
export type ReferenceFacts = ReadonlyMap<string, JsonValue>;

export type ReferenceFact = readonly [key: string, value: JsonValue];

export function factKey(kind: Kind, field: string, id: JsonValue): string {
  return `${kind.type}.${field} ${textOf(idKey(kind, field, id))}`;
}

export const fieldsWithFacts: (of: Pick<Kind, 'type'>) => readonly FieldWithFacts[] = memoizePerKey(
  ({ type }) =>
    kinds
      .filter(({ hasReferenceFacts }) => hasReferenceFacts)
      .flatMap((kind) =>
        referenceFields(kind).flatMap(([field, related]) => {
          const { fact } = kind.fields[field] ?? {};
          return fact === undefined || related.type !== type ? [] : [{ kind, field, factField: fact.field }];
        }),
      ),
);

interface FieldWithFacts {
  readonly kind: Kind;
  readonly field: string;
  readonly factField: string;
}

/** The fields that refer to a parent of the same type and through which a record inherits the parent's grants. */
export function inheritingFields(of: Pick<Kind, 'type'>): readonly FieldWithFacts[] {
  return fieldsWithFacts(of).filter(
    ({ kind, field }) => kind.type === of.type && kind.fields[field]?.fact?.grants !== undefined,
  );
}

/**
 * Adds the grants that records inherit from their parents, given as pairs of an id and the ids of its parents. If it is unknown
 * what one of the parents grants, it is unknown for the record too, unless another parent has the grant.
 */
export function inheritGrants(
  facts: Map<string, JsonValue>,
  { kind, field, factField }: FieldWithFacts,
  parents: readonly (readonly [pk: JsonValue, parents: readonly JsonValue[]])[],
): void {
  for (const grant of [true, null])
    for (let isMore = true; isMore;) {
      isMore = false;
      for (const [pk, ids] of parents) {
        if (!ids.some((id) => facts.get(factKey(kind, field, id)) === grant)) continue;
        for (const key of grantKeys(kind, factField, pk)) {
          if (grant === null ? facts.has(key) : facts.get(key) === true) continue;
          facts.set(key, grant);
          isMore = true;
        }
      }
    }
}

/** The keys of the facts that a record has a grant. */
export function grantKeys(kind: Kind, factField: string, pk: JsonValue): string[] {
  const record = { pk, [factField]: true };
  return referenceFactsOf(kind, record, record).map(([key]) => key);
}

/** The facts that a record contains about itself, with secrets masked. */
export function referenceFactsOf(
  related: Pick<Kind, 'type'>,
  received: JsonObject,
  shown: JsonObject,
): ReferenceFact[] {
  const { pk } = received;
  if (pk === undefined) return [];
  return fieldsWithFacts(related).flatMap(({ kind, field, factField }): ReferenceFact[] => {
    const value = received[factField];
    const isFact =
      value === true || (typeof value === 'string' && value !== '' && value === shown[factField]);
    return isFact ? [[factKey(kind, field, pk), value]] : [];
  });
}

/** The facts that a record contains about itself and about nested records. The fact that a nested record belongs to this record is left out. */
export function referenceFactsWithin(kind: Kind, received: JsonObject, shown: JsonObject): ReferenceFact[] {
  const nestedFacts = nestedFields(kind).flatMap(([field, related]) => {
    const cleaned = nestedRecords(kind, field, shown);
    return nestedRecords(kind, field, received).flatMap((record, index) =>
      referenceFactsOf(related, record, cleaned[index] ?? {}).filter(
        ([, value]) => value !== received[kind.identity],
      ),
    );
  });
  return [...referenceFactsOf(kind, received, shown), ...nestedFacts];
}
