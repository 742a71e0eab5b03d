import { groupBy } from '../base/group-by.ts';
import { textOf } from '../base/json.ts';
import type { Family, Kind } from '../kinds/kind.ts';
import { referenceNames } from '../kinds/named.ts';
import type { NameReference } from '../kinds/values.ts';
import { readWholeList } from '../service/read-whole.ts';
import { pkOf, type ListedRecord } from '../service/records.ts';

/** The names of records by their ids, except names that several records share and names that contain secrets. */
export function referencesById(
  related: Family,
  records: readonly ListedRecord[],
): ReadonlyMap<string, NameReference> {
  const byName = groupBy(records, ({ received, shown }) => {
    const [name] = referenceNames(related, received);
    // If redaction changed the name, the name contains a secret.
    return name === referenceNames(related, shown)[0] ? name : undefined;
  });
  return new Map(
    [...byName].flatMap(([name, [record, ...others]]) =>
      name !== undefined && others.length === 0 ? [[pkOf(record), { name }] as const] : [],
    ),
  );
}

/** Adds the parent's name to each record whose name is unique only within a parent, if the parents can be read. */
export async function withParentNames(
  { scope, fields }: Kind,
  records: readonly ListedRecord[],
  options: Parameters<typeof readWholeList>[1],
): Promise<readonly ListedRecord[]> {
  const related = scope === undefined ? undefined : fields[scope]?.refersTo;
  if (scope === undefined || related === undefined || records.length === 0) return records;
  const read = await readWholeList(related, options);
  const names = referencesById(related, 'records' in read ? read.records : []);
  return records.map((record) => ({ ...record, within: names.get(textOf(record.received[scope]))?.name }));
}
