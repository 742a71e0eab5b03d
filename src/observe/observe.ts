import { byAddress, type Resource } from '../kinds/resource.ts';
import type { Client } from '../service/client.ts';
import type { Pacing } from '../service/pacing.ts';
import { isOptionalRead, retrieveSelf } from '../service/retrieve.ts';
import type { HeldRecord } from '../service/types.ts';
import { absentObservation, LookUps } from './look-ups.ts';
import { heldAt, type ObservedState } from './observation.ts';
import { observeChildren, type FailedRead } from './read-children.ts';
import { readLists, type ListNews } from './read-lists.ts';
import { underFormerName, resolveRenames } from './renames.ts';

/** If one read fails, there is no observation: a plan needs all of it. */
export type ObserveResult =
  | {
      readonly kind: 'observed';
      readonly observed: ObservedState;
      /** Existing records whose bindings could not be read. */
      readonly inPart: readonly FailedRead[];
    }
  | {
      readonly kind: 'failed';
      readonly failures: readonly FailedRead[];
      /** The number of resources that were not looked up because of the failures. */
      readonly notRead: number;
      readonly interrupted: boolean;
    };

interface ObserveOptions {
  readonly client: Client;
  readonly pacing: Pacing;
  readonly signal?: AbortSignal;
  readonly onRead?: (done: number, total: number) => void;
  /** Called for each kind with a list. */
  readonly onList?: (news: ListNews) => void;
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

/** Looks up every declared resource whose kind can be read, and the declared bindings of existing ones. */
export async function observe(
  resources: readonly Resource[],
  options: ObserveOptions,
): Promise<ObserveResult> {
  const formers = resources.flatMap((resource) => underFormerName(resource) ?? []);
  const result = await observeRecords([...resources, ...formers], options);
  if (result.kind === 'failed') return result;
  const seesAll = formers.length > 0 && (await isSuperuser(options));
  const records = formers.length > 0 ? resolveRenames(resources, result.observed, seesAll) : result.observed;
  const { held, failures, notRead } = await observeChildren(presentIn(resources, records), options);
  const { client, pacing, signal } = options;
  const isOver = async ({ answer }: FailedRead): Promise<boolean> =>
    !(await isOptionalRead(answer, client, pacing, signal));
  if (notRead > 0 || (failures[0] && (await isOver(failures[0]))))
    return { kind: 'failed', failures, notRead, interrupted: signal?.aborted ?? false };
  const observed = new Map(records);
  for (const [{ address }, record] of held) observed.set(address, { presence: 'present', held: record });
  return { kind: 'observed', observed, inPart: failures };
}

async function isSuperuser({ client, pacing, signal }: ObserveOptions): Promise<boolean> {
  const self = await retrieveSelf(client, pacing, signal);
  return self?.proof === 'exists' && self.isSuperuser;
}

/** Reads resources from lists if that takes fewer requests, and otherwise one by one. */
async function observeRecords(
  resources: readonly Resource[],
  { client, pacing, signal, onRead, onList }: ObserveOptions,
): Promise<ObserveResult> {
  const lists = await readLists(resources, {
    client,
    pacing,
    signal,
    onFound: (count) => {
      if (count > 0) onRead?.(count, resources.length);
    },
    onNews: (news) => onList?.(news),
  });
  const left = resources.filter((resource) => !lists.found.has(resource) && !lists.absent.has(resource));
  let done = resources.length - left.length;
  const { namesakes } = lists;
  const lookUps = new LookUps({
    client,
    pacing,
    signal,
    namesakes,
    onDone: () => {
      done += 1;
      onRead?.(done, resources.length);
    },
  });
  await lookUps.all(left);
  const observed = new Map(lookUps.observed);
  for (const [{ address }, held] of lists.found) observed.set(address, { presence: 'present', held });
  for (const resource of lists.absent)
    observed.set(resource.address, absentObservation(namesakes.get(resource)));

  const { failures } = lookUps;
  // A list may have shown already that look-ups cannot work.
  const first = left.find(({ address }) => !observed.has(address));
  if (first && failures.length === 0 && lists.failed && !signal?.aborted) {
    failures.push({ resource: first, proof: 'nothing', answer: lists.failed });
    done += 1;
  }
  const notRead = resources.length - done;
  if (failures.length === 0 && notRead === 0) return { kind: 'observed', observed, inPart: [] };
  failures.sort((a, b) => byAddress(a.resource, b.resource));
  return { kind: 'failed', failures, notRead, interrupted: signal?.aborted ?? false };
}
