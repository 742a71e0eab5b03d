import { isJsonObject, type JsonValue } from '../base/json.ts';
import { declaresBindings, wantedChildren } from '../kinds/access.ts';
import { isEffective } from '../kinds/bindings.ts';
import type { OpenFlag, UnboundState, UnboundStates } from '../kinds/children.ts';
import { mergedValue } from '../kinds/fields.ts';
import { isToBeDeleted } from '../kinds/lifecycle.ts';
import { policyBindings } from '../kinds/policy-bindings.ts';
import { inRange, type Release } from '../kinds/release.ts';
import type { Resource } from '../kinds/resource.ts';
import { bindingsOf } from '../service/children.ts';
import type { ReadContext } from '../service/client.ts';
import { findOpenFlag, readFlagField } from '../service/open-flag.ts';
import { observedRecordAt, type Observation, type ObservedState } from './observation.ts';

/** Reads who may open records without bindings. Sends no request if the release does not have the flag, or if every record has bindings before and after the run. */
export async function readUnboundAccess(
  resources: readonly Resource[],
  observed: ObservedState,
  release: Release | undefined,
  { mayDelete, ...context }: ReadContext & { readonly mayDelete: boolean },
): Promise<UnboundStates> {
  const flag = findOpenFlag();
  if (flag === undefined || inRange({ before: flag.since }, release) === true)
    return { before: 'open', after: 'open' };
  const isDeleted = (resource: Resource): boolean =>
    mayDelete &&
    isToBeDeleted(resource) &&
    policyBindings.binds.some(({ refersTo }) => refersTo === resource.kind.family) &&
    observedRecordAt(observed, resource.address) !== undefined;
  if (!resources.some((each) => isUnbound(each, observed.get(each.address)) || isDeleted(each)))
    return { before: 'unknown', after: 'unknown' };
  const settings = resources.find(({ kind }) => kind.list === flag.list);
  const before =
    (settings && observedRecordAt(observed, settings.address)?.fields[flag.field]) ??
    (await readFlagField(flag, context));
  const after =
    settings?.fields[flag.field] === undefined ? before : mergedValue(settings, flag.field, before);
  return { before: unboundStateOf(before, flag, release), after: unboundStateOf(after, flag, release) };
}

/** Whether a record of an access kind has no effective binding before or after a change. */
export function isUnbound(resource: Resource, observation: Observation | undefined): boolean {
  const { access } = resource.kind;
  if (access === undefined || isToBeDeleted(resource)) return false;
  if (!declaresBindings(resource)) return observation?.presence === 'absent';
  const wanted = wantedChildren(resource).flatMap((one) =>
    one.children === access.children ? one.wanted : [],
  );
  const held = observation?.presence === 'present' ? [bindingsOf(observation.held, access.children)] : [];
  return [wanted, ...held].some((bindings) => !bindings.some(isEffective));
}

export async function readUnboundState(
  flag: OpenFlag,
  release: Release | undefined,
  context: ReadContext,
): Promise<UnboundState> {
  if (inRange({ before: flag.since }, release) === true) return 'open';
  return unboundStateOf(await readFlagField(flag, context), flag, release);
}

function unboundStateOf(
  flags: JsonValue | undefined,
  { key, since }: OpenFlag,
  release: Release | undefined,
): UnboundState {
  if (flags === undefined || !isJsonObject(flags)) return 'unknown';
  if (flags[key] !== false) return 'open';
  return inRange({ from: since }, release) === true ? 'closed' : 'unknown';
}
