import { textOf } from '../base/json.ts';
import { familyOf } from '../kinds/families.ts';
import type { Release } from '../kinds/release.ts';
import { shippedRecordsOf } from '../kinds/shipped.ts';
import type { ReadyChange, ReadyPlan } from '../plan/plan.ts';
import { readWholeList, type ListReading } from '../service/read-whole.ts';
import type { Service } from './connect.ts';

/** Adds a remark to each update of a shipped record, because a blueprint of the service may revert the update. */
export async function withBlueprints<Made extends ReadyPlan>(
  made: Made,
  release: Release | undefined,
  service: Service,
): Promise<Made> {
  const { records } = shippedRecordsOf(release);
  const blueprints = familyOf('blueprints');
  const isOfBlueprint = ({ action, resource: { kind, address } }: ReadyChange): boolean =>
    action === 'update' && records.has(address) && kind.single === undefined && kind.family !== blueprints;
  if (!made.changes.some(isOfBlueprint)) return made;
  const read = await readWholeList(blueprints, service);
  const changes = made.changes.map((change) => {
    const words = isOfBlueprint(change) ? remarkFor(change.resource.name, read) : undefined;
    return words === undefined ? change : { ...change, remarks: [...(change.remarks ?? []), words] };
  });
  return { ...made, changes };
}

/** Returns the remark for a record, or undefined if its blueprint is disabled. */
function remarkFor(record: string, read: ListReading): string | undefined {
  const blueprints = 'records' in read ? read.records : [];
  const parts = blueprints.map(({ shown }) => ({ shown, part: significantName(textOf(shown['path'])) }));
  const [found] = parts
    .filter(({ part }) => part !== '' && record.startsWith(`default-${part}`))
    .toSorted((a, b) => b.part.length - a.part.length);
  if (found?.shown['enabled'] === false) return undefined;
  const blueprintNames = found
    ? `the blueprint ${JSON.stringify(textOf(found.shown['name']))}`
    : 'a blueprint';
  return `${blueprintNames} of the service may revert the update`;
}

/** The part of a blueprint's path that occurs in the names of its records: `source-enrollment` in `default/flow-default-source-enrollment.yaml`. */
function significantName(path: string): string {
  const [, name = ''] = /^default\/(?:flow-)?(?:default-)?(.+?)(?:-flow)?\.yaml$/.exec(path) ?? [];
  return name;
}
