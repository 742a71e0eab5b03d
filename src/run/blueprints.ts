import { textOf } from '../base/json.ts';
import { familyOf } from '../kinds/families.ts';
import type { Release } from '../kinds/release.ts';
import { shippedBy } from '../kinds/shipped.ts';
import type { ReadyChange, ReadyPlan } from '../plan/plan.ts';
import { readWhole, type WholeReading } from '../service/read-whole.ts';
import type { Service } from './connect.ts';

/**
 * The plan, with a remark on each update of a record that the service ships with: one of its blueprints may change it back. The
 * blueprints are read once, and only if there is such an update.
 */
export async function withBlueprints<Made extends ReadyPlan>(
  made: Made,
  release: Release | undefined,
  service: Service,
): Promise<Made> {
  const { records } = shippedBy(release);
  const blueprints = familyOf('blueprints');
  const isOfBlueprint = ({ action, resource: { kind, address } }: ReadyChange): boolean =>
    action === 'update' && records.has(address) && kind.single === undefined && kind.family !== blueprints;
  if (service.settings.contractOnly || !made.changes.some(isOfBlueprint)) return made;
  const read = await readWhole(blueprints.byName, service);
  const changes = made.changes.map((change) => {
    const words = isOfBlueprint(change) ? remarkOn(change.resource.name, read) : undefined;
    return words === undefined ? change : { ...change, remarks: [...(change.remarks ?? []), words] };
  });
  return { ...made, changes };
}

/** Nothing, if the blueprint of the record is disabled. */
function remarkOn(record: string, read: WholeReading): string | undefined {
  const blueprints = 'records' in read ? read.records : [];
  const parts = blueprints.map(({ shown }) => ({ shown, part: partOf(textOf(shown['path'])) }));
  const [found] = parts
    .filter(({ part }) => part !== '' && record.startsWith(`default-${part}`))
    .toSorted((a, b) => b.part.length - a.part.length);
  if (found?.shown['enabled'] === false) return undefined;
  const which = found ? `the blueprint ${JSON.stringify(textOf(found.shown['name']))}` : 'a blueprint';
  return `${which} of the service may change it back`;
}

/** What the name of a file says of its records: `source-enrollment` in `default/flow-default-source-enrollment.yaml`. */
function partOf(path: string): string {
  const [, name = ''] = /^default\/(?:flow-)?(?:default-)?(.+?)(?:-flow)?\.yaml$/.exec(path) ?? [];
  return name;
}
