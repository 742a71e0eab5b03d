import { interruptedBy, type Ending } from '../base/exit-code.ts';
import type { ResourceType } from '../kinds/all.ts';
import type { Kind } from '../kinds/kind.ts';
import { referring } from '../kinds/named.ts';
import type { Related } from '../kinds/related.ts';
import type { Release } from '../kinds/release.ts';
import { inventoryOf, type Inventory } from './inventory.ts';
import { namesOfIds, type NamesReading } from './names-of-ids.ts';
import { askRelease } from '../service/release.ts';
import type { ServiceSettings } from '../settings/service-settings.ts';
import { withService } from '../run/connect.ts';
import type { Job } from '../run/world.ts';

/** What the service holds. */
interface Inventories {
  readonly inventories: readonly Inventory[];
  /** Its release, where it was asked for that and said it: with the capability `release`. */
  readonly release?: Release;
  /** The names by which manifests can refer to what the records refer to, where they were asked for. */
  readonly names: ReadonlyMap<Related, NamesReading>;
  /** How the run ends, where it was interrupted: then not all was read. */
  readonly interrupted?: Ending;
}

/** Reads all that the service holds of some kinds. Sends nothing but reads. */
export function takeInventory(
  kinds: readonly Kind<ResourceType>[],
  settings: ServiceSettings,
  job: Job,
  withNames: boolean = false,
): Promise<Inventories> {
  return withService(settings, job, async ({ client, send, pacing, signal }) => {
    const isAsked = settings.capabilities.includes('release');
    const release = isAsked ? await askRelease(send, pacing, signal) : undefined;
    const inventories: Inventory[] = [];
    const onRead = (done: number, total: number): void =>
      job.tell({ kind: 'progress', stage: 'looking_up', done, total, pace: pacing.pace() });
    for (const kind of kinds) {
      onRead(0, 0);
      const inventory = await inventoryOf(kind, { client, pacing, signal, onRead });
      inventories.push(inventory);
      job.tell({ kind: 'inventoried' });
    }
    const names = new Map<Related, NamesReading>();
    for (const [, related] of withNames ? kinds.flatMap((kind) => referring(kind)) : [])
      if (!names.has(related)) names.set(related, await namesOfIds(related, client, pacing, signal));
    return {
      inventories,
      names,
      ...(release && { release }),
      ...(signal.aborted && { interrupted: interruptedBy(signal) }),
    };
  });
}
