import { addressOfName, declaredNames, withRunIds } from '../kinds/named.ts';
import { byAddress, type Resource } from '../kinds/resource.ts';
import type { ReadContext } from '../service/client.ts';
import { isOptionalRead, isSuperuserToken } from '../service/retrieve.ts';
import { absentObservation, LookUps } from './look-ups.ts';
import { observedIds, type Observation, type ObservedState } from './observation.ts';
import { observeChildren, type FailedRead } from './read-children.ts';
import { readLists, type ListReport } from './read-lists.ts';
import { withFormerName, resolveRenames } from './renames.ts';

/** The observed state, or the failed reads if any resource could not be observed. */
export type ObserveResult =
  | {
      readonly kind: 'observed';
      readonly observed: ObservedState;
      readonly partialReads: readonly FailedRead[];
    }
  | {
      readonly kind: 'failed';
      readonly failures: readonly FailedRead[];
      /** The number of resources that were not looked up because earlier reads had failed. */
      readonly notRead: number;
      readonly interrupted: boolean;
    };

interface ObserveOptions extends ReadContext {
  readonly onRead?: (done: number, total: number) => void;
  readonly onList?: (news: ListReport) => void;
}

/** Looks up every declared resource of the kinds that can be read, and the declared bindings of existing resources. */
export async function observe(
  resources: readonly Resource[],
  options: ObserveOptions,
): Promise<ObserveResult> {
  const result = await observeByName(resources, options);
  if (result.kind === 'failed') return result;
  const { observed: records } = result;
  const { held, failures, notRead } = await observeChildren(resources, records, options);
  const endsRun = async ({ answer }: FailedRead): Promise<boolean> =>
    !(await isOptionalRead(answer, options));
  if (notRead > 0 || (failures[0] && (await endsRun(failures[0]))))
    return { kind: 'failed', failures, notRead, interrupted: options.signal?.aborted ?? false };
  const observed = new Map(records);
  for (const [{ address }, record] of held) observed.set(address, { presence: 'present', held: record });
  return { kind: 'observed', observed, partialReads: failures };
}

/** Looks up resources by name: names that are unique only within a parent come last, because they need the parent's id. */
async function observeByName(
  resources: readonly Resource[],
  options: ObserveOptions,
): Promise<ObserveResult> {
  const inner = resources.filter(({ kind }) => kind.scope !== undefined);
  const first = await observeWithFormerNames(
    resources.filter(({ kind }) => kind.scope === undefined),
    { ...options, onRead: (done, all) => options.onRead?.(done, all + inner.length) },
  );
  if (inner.length === 0) return first;
  if (first.kind === 'failed') return { ...first, notRead: first.notRead + inner.length };
  const known = new Map(first.observed);
  const sought: Resource[] = [];
  for (const resource of inner.map((one) => withRunIds(one, observedIds(known)))) {
    const newWithin = observationWithoutParent(resource, first.observed);
    if (newWithin) known.set(resource.address, newWithin);
    else sought.push(resource);
  }
  const before = resources.length - sought.length;
  const second = await observeWithFormerNames(sought, {
    ...options,
    onRead: (done, all) => options.onRead?.(before + done, before + all),
  });
  if (second.kind === 'failed') return second;
  return { ...second, observed: new Map([...known, ...second.observed]) };
}

/** The observation of a resource whose parent does not exist yet or is not visible. */
function observationWithoutParent(resource: Resource, observed: ObservedState): Observation | undefined {
  const parentName = declaredNames(resource).find(({ field }) => field === resource.kind.scope);
  if (parentName === undefined || parentName.id !== undefined) return undefined;
  const seen = observed.get(addressOfName(parentName) ?? '.');
  return seen?.presence === 'absent' ? absentObservation(undefined) : { presence: 'unknown' };
}

async function observeWithFormerNames(
  resources: readonly Resource[],
  options: ObserveOptions,
): Promise<ObserveResult> {
  const formers = resources.flatMap((resource) => withFormerName(resource) ?? []);
  const result = await observeRecords([...resources, ...formers], options);
  if (result.kind === 'failed' || formers.length === 0) return result;
  return { ...result, observed: resolveRenames(resources, result.observed, await isSuperuserToken(options)) };
}

/** Reads resources from lists if this takes fewer requests, and looks up the others one by one. */
async function observeRecords(
  resources: readonly Resource[],
  options: ObserveOptions,
): Promise<ObserveResult> {
  const { client, onRead } = options;
  const lists = await readLists(resources, {
    ...options,
    onFound: (count) => {
      if (count > 0) onRead?.(count, resources.length);
    },
  });
  for (const { kind, name } of lists.found.keys())
    if (kind.lookUp.isDocumented) client.evidence.noteFound(name);
  const toLookUp = resources.filter((resource) => !lists.found.has(resource) && !lists.absent.has(resource));
  let done = resources.length - toLookUp.length;
  const { namesakes } = lists;
  const lookUps = new LookUps({
    ...options,
    namesakes,
    onDone: () => {
      done += 1;
      onRead?.(done, resources.length);
    },
  });
  await lookUps.all(toLookUp);
  const observed = new Map(lookUps.observed);
  for (const [{ address }, held] of lists.found) observed.set(address, { presence: 'present', held });
  for (const resource of lists.absent)
    observed.set(resource.address, absentObservation(namesakes.get(resource)));

  const { failures } = lookUps;
  // The failed read of a list may also show that look-ups will fail.
  const first = toLookUp.find(({ address }) => !observed.has(address));
  if (first && failures.length === 0 && lists.failed && !options.signal?.aborted) {
    failures.push({ resource: first, proof: 'nothing', answer: lists.failed });
    done += 1;
  }
  const notRead = resources.length - done;
  if (failures.length === 0 && notRead === 0) return { kind: 'observed', observed, partialReads: [] };
  failures.sort((a, b) => byAddress(a.resource, b.resource));
  return { kind: 'failed', failures, notRead, interrupted: options.signal?.aborted ?? false };
}
