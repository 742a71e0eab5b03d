import type { Address } from '../base/diagnostic.ts';
import { kinds, type ResourceType } from '../kinds/all.ts';
import type { Kind } from '../kinds/kind.ts';
import { inRange, type Release } from '../kinds/release.ts';
import { nameOf, typeOf } from '../kinds/resource.ts';
import { shippedRecordsOf } from '../kinds/shipped.ts';
import { type Inventory, readInventoryOf } from '../observe/inventory.ts';
import { withOtherTypeGaps } from '../observe/other-types.ts';
import { withFormerName } from '../observe/renames.ts';
import { undeclaredRecords, type DescribeGaps, type Undeclared } from '../observe/undeclared.ts';
import type { Plan } from '../plan/plan.ts';
import { readWholeList } from '../service/read-whole.ts';
import { maxConsecutiveFailures } from '../service/retries.ts';
import { fetchServiceRelease } from '../service/release.ts';
import type { Service } from './connect.ts';
import type { Halt } from './result.ts';
import type { ScopedResources } from './scope.ts';
import { interruptedHalt } from './stopped-run.ts';

/** Adds undeclared records to the plan on request, except shipped records. A renamed resource counts as declared under both names. */
export async function withUndeclared<Made extends Plan>(
  made: Made,
  { resources }: ScopedResources,
  wordsOf: DescribeGaps | undefined,
  service: Service,
): Promise<Made | { readonly halt: Halt }> {
  if (wordsOf === undefined) return made;
  const declared = new Set(
    resources.flatMap((resource) => [
      resource.address,
      withFormerName(resource)?.address ?? resource.address,
    ]),
  );
  const { send, pacing, signal } = service;
  const release = await fetchServiceRelease(send, pacing, signal);
  const { records: shipped } = shippedRecordsOf(release);
  const several = kinds.filter(({ single }) => single === undefined);
  const inventories = await readInventories(several, release, service);
  const all = await withOtherTypeGaps(inventories, (family) => readWholeList(family, service));
  const isKnown = (address: Address): boolean => declared.has(address) || shipped.has(address);
  if (!signal.aborted)
    return { ...made, undeclared: redactUndeclared(undeclaredRecords(all, isKnown, wordsOf), service) };
  return { halt: interruptedHalt(service) };
}

/** Redacts the secrets of manifests, which other records may contain too. */
function redactUndeclared({ found, gaps }: Undeclared, { redactor }: Service): Undeclared {
  return {
    found: found.map(({ address, pk }) => ({
      address: `${typeOf(address)}.${redactor.redact(nameOf(address))}`,
      pk: redactor.redact(pk),
    })),
    gaps: gaps.map((gap) => ({
      ...gap,
      summary: redactor.redact(gap.summary),
      detail: redactor.redact(gap.detail),
    })),
  };
}

/** Reads all records of the kinds that the release has, one kind after the other, until the service no longer answers. The lists of one family may be slow alone. */
export async function readInventories(
  wanted: readonly Kind<ResourceType>[],
  release: Release | undefined,
  service: Service,
): Promise<Inventory[]> {
  service.pacing.endAfterTimeouts(maxConsecutiveFailures.lookUps);
  const inventories: Inventory[] = [];
  for (const [index, kind] of wanted.entries()) {
    const isLater = release && kind.since !== undefined && inRange({ before: kind.since }, release) === true;
    if (!isLater) inventories.push(await readInventory(kind, service));
    if (wanted[index + 1]?.family !== kind.family) await service.pacing.resumeIfAnswered();
  }
  return inventories;
}

export async function readInventory(kind: Kind<ResourceType>, service: Service): Promise<Inventory> {
  const { pacing, emit } = service;
  const onRead = (done: number, total: number): void =>
    emit({ kind: 'progress', stage: 'looking_up', done, total, pace: pacing.pace() });
  onRead(0, 0);
  const inventory = await readInventoryOf(kind, { ...service, onRead });
  emit({ kind: 'inventoried' });
  return inventory;
}
