import type { Address } from '../base/diagnostic.ts';
import { defaultKinds, kinds, type ResourceType } from '../kinds/all.ts';
import type { Kind } from '../kinds/kind.ts';
import type { Inventory } from '../observe/gaps.ts';
import { inventoryOf } from '../observe/inventory.ts';
import { withOtherTypes } from '../observe/other-types.ts';
import { underFormerName } from '../observe/renames.ts';
import { undeclaredIn, type GapWords } from '../observe/undeclared.ts';
import type { Plan } from '../plan/plan.ts';
import { destinationOf } from '../settings/service-settings.ts';
import type { Service } from './connect.ts';
import type { Halt } from './result.ts';
import type { Scoped } from './scope.ts';

/**
 * The plan with records that no manifest declares, if asked for, or that the run was interrupted. A renamed resource is declared
 * under both names.
 */
export async function withUndeclared<Made extends Plan>(
  made: Made,
  { resources, elsewhere }: Scoped,
  wordsOf: GapWords | undefined,
  service: Service,
): Promise<Made | { readonly halt: Halt }> {
  if (wordsOf === undefined) return made;
  const declared = new Set(
    resources.flatMap((resource) => [
      resource.address,
      underFormerName(resource)?.address ?? resource.address,
    ]),
  );
  const isDeclared = (address: Address): boolean => declared.has(address) || elsewhere?.has(address) === true;
  const inventories: Inventory[] = [];
  const declaredKinds = new Set(resources.map(({ kind }) => kind));
  const wanted = kinds.filter((kind) => defaultKinds.includes(kind) || declaredKinds.has(kind));
  for (const kind of wanted) inventories.push(await readInventory(kind, service));
  const all = await withOtherTypes(inventories, service);
  if (!service.signal.aborted) return { ...made, undeclared: undeclaredIn(all, isDeclared, wordsOf) };
  const destination = destinationOf(service.settings);
  return { halt: { kind: 'unread', failures: [], notRead: 0, interrupted: true, ...destination } };
}

export async function readInventory(
  kind: Kind<ResourceType>,
  { client, pacing, signal, emit }: Service,
): Promise<Inventory> {
  const onRead = (done: number, total: number): void =>
    emit({ kind: 'progress', stage: 'looking_up', done, total, pace: pacing.pace() });
  onRead(0, 0);
  const inventory = await inventoryOf(kind, { client, pacing, signal, onRead });
  emit({ kind: 'inventoried' });
  return inventory;
}
