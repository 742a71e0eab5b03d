import type { Address } from '../base/diagnostic.ts';
import { byAddress, type Resource } from '../kinds/resource.ts';
import { isAnswered, timedOut } from '../service/answer.ts';
import type { Client, Reading } from '../service/client.ts';
import type { Pacing } from '../service/pacing.ts';
import { mostInARow } from '../service/retries.ts';
import { retrieve, retrieveSelf } from '../service/retrieve.ts';
import type { HeldRecord } from '../service/types.ts';
import { heldAt, type Observation, type ObservedState } from './observation.ts';
import { readAccess, type FailedRead } from './read-access.ts';
import { readLists, type ListNews } from './read-lists.ts';
import { asFormer, withRenamed } from './renames.ts';

/** If one read fails, the whole observation fails: a plan needs all of it. */
export type ObserveResult =
  | { readonly kind: 'observed'; readonly observed: ObservedState }
  | {
      readonly kind: 'failed';
      readonly failures: readonly FailedRead[];
      /** How many resources were not looked up because of the failures. */
      readonly notRead: number;
      readonly interrupted: boolean;
    };

interface ObserveOptions {
  readonly client: Client;
  readonly pacing: Pacing;
  /** When it aborts, no further read begins. */
  readonly signal?: AbortSignal;
  readonly onRead?: (done: number, total: number) => void;
  /** Called for each kind of which there is a list, with how it was read. */
  readonly onList?: (news: ListNews) => void;
}

/** Whether it showed that its kind cannot be looked up. */
function isForgone({ proof }: Reading, { kind }: Resource, { sight }: Client): boolean {
  return proof !== 'exists' && proof !== 'absent' && !sight.canRead(kind) && !sight.isTokenRefused;
}

function presentIn(
  resources: readonly Resource[],
  observed: ObservedState,
): ReadonlyMap<Resource, HeldRecord> {
  return new Map(
    resources.flatMap((resource) => {
      const held = heldAt(observed, resource.address);
      return held ? [[resource, held] as const] : [];
    }),
  );
}

function absent(namesake: string | undefined): Observation {
  return { presence: 'absent', ...(namesake !== undefined && { namesake }) };
}

/** Looks up every declared resource whose kind can be read, and who may open those that are there, where that is declared. */
export async function observe(
  resources: readonly Resource[],
  options: ObserveOptions,
): Promise<ObserveResult> {
  const formers = resources.flatMap((resource) => asFormer(resource) ?? []);
  const result = await observeRecords([...resources, ...formers], options);
  if (result.kind === 'failed') return result;
  const seesAll = formers.length > 0 && (await isSuperuser(options));
  const records = formers.length > 0 ? withRenamed(resources, result.observed, seesAll) : result.observed;
  const { held, failures, notRead } = await readAccess(presentIn(resources, records), options);
  if (failures.length > 0 || notRead > 0)
    return { kind: 'failed', failures, notRead, interrupted: options.signal?.aborted ?? false };
  const observed = new Map(records);
  for (const [{ address }, record] of held) observed.set(address, { presence: 'present', held: record });
  return { kind: 'observed', observed };
}

async function isSuperuser({ client, pacing, signal }: ObserveOptions): Promise<boolean> {
  const self = await retrieveSelf(client, pacing, signal);
  return self?.proof === 'exists' && self.isSuperuser;
}

/** The resources themselves: in lists where that takes fewer requests, and by its name where no list shows it. */
async function observeRecords(
  resources: readonly Resource[],
  options: ObserveOptions,
): Promise<ObserveResult> {
  const { client, pacing, signal } = options;
  const readable = resources.filter(({ kind }) => client.sight.canRead(kind));
  const observed = new Map<Address, Observation>();
  for (const { kind, address } of resources)
    if (!client.sight.canRead(kind)) observed.set(address, { presence: 'unknown' });

  let someoneAnswered = false;
  const failures: FailedRead[] = [];
  let stopped = false;
  let inARow = 0;
  let done = 0;

  function take(resource: Resource, reading: Reading | undefined): void {
    done += 1;
    options.onRead?.(done, readable.length);
    someoneAnswered ||= reading !== undefined && isAnswered(reading.answer);
    if (reading === undefined || reading.answer.ids) {
      observed.set(resource.address, { presence: 'unknown', ids: reading?.answer.ids });
      return;
    }
    if (reading.proof === 'exists' || reading.proof === 'absent') inARow = 0;
    switch (reading.proof) {
      case 'exists':
        observed.set(resource.address, { presence: 'present', held: reading.held });
        return;
      case 'absent':
        observed.set(resource.address, absent(lists.namesakes.get(resource)));
        return;
      case 'denied':
      case 'nothing':
      case 'fault':
        failures.push({ resource, proof: reading.proof, answer: reading.answer });
        inARow += 1;
        if (reading.stop !== undefined || inARow >= mostInARow.lookUps) stopped = true;
        // If the first reads time out, stop: the service is not answering.
        if (timedOut(reading.answer) && !someoneAnswered) stopped = true;
    }
  }

  const lists = await readLists(readable, {
    client,
    pacing,
    signal,
    onFound: (count) => {
      if (count > 0) options.onRead?.(count, readable.length);
    },
    onNews: (news) => options.onList?.(news),
  });
  for (const [{ address }, held] of lists.found) observed.set(address, { presence: 'present', held });
  for (const resource of lists.absent) observed.set(resource.address, absent(lists.namesakes.get(resource)));
  const left = readable.filter(({ address }) => !observed.has(address));
  done = readable.length - left.length;
  await pacing.forEach(left, async (resource) => {
    if (stopped || signal?.aborted) return;
    if (!client.sight.canRead(resource.kind)) {
      take(resource, undefined);
      return;
    }
    const reading = await retrieve(resource.kind, resource.name, client, pacing, signal);
    // After an interruption, or for a pause that is too long, a resource stays unread.
    if (reading === undefined || (reading.proof === 'nothing' && signal?.aborted)) stopped = true;
    else take(resource, isForgone(reading, resource, client) ? undefined : reading);
  });

  // What keeps everything from being looked up may have shown in a list already.
  const first = left.find(({ address }) => !observed.has(address));
  if (first && failures.length === 0 && lists.failed && !signal?.aborted) {
    failures.push({ resource: first, proof: 'nothing', answer: lists.failed });
    done += 1;
  }
  const notRead = readable.length - done;
  if (failures.length === 0 && notRead === 0) return { kind: 'observed', observed };
  failures.sort((a, b) => byAddress(a.resource, b.resource));
  return { kind: 'failed', failures, notRead, interrupted: signal?.aborted ?? false };
}
