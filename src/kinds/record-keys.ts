import type { JsonValue } from '../base/json.ts';
import type { Kind } from './kind.ts';
import { idsIn } from './map-ids.ts';
import { addressOfName } from './named.ts';
import { idOfReference, isNameReference, recordKey } from './values.ts';

/** A key for the id of a record that is unique among all types. */
export function keyOfId({ type }: Pick<Kind, 'type'>, id: JsonValue): string {
  return `${type} ${recordKey(id)}`;
}

/** The keys of each record to which fields refer: its address if it is named, and the key of its id if this is known. */
export function referenceKeys(
  kind: Kind,
  fields: readonly string[],
  valueOf: (field: string) => JsonValue | undefined,
): string[][] {
  return fields
    .flatMap((field) => idsIn(kind.fields[field] ?? {}, valueOf(field)))
    .map(({ id: one, related }) => {
      const id = idOfReference(one);
      const address = isNameReference(one) ? addressOfName({ related, name: one.name }) : undefined;
      return [...(address === undefined ? [] : [address]), ...(id === null ? [] : [keyOfId(related, id)])];
    });
}
