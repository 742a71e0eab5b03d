import { isJsonObject, type JsonValue } from '../base/json.ts';
import { declaresBindings, wantedChildren } from '../kinds/access.ts';
import { isEffective } from '../kinds/bindings.ts';
import type { UnboundState, UnboundStates } from '../kinds/children.ts';
import { mergedValue } from '../kinds/fields.ts';
import { isToBeDeleted } from '../kinds/lifecycle.ts';
import { canBeBound } from '../kinds/policy-bindings.ts';
import { inRange, type Release } from '../kinds/release.ts';
import type { Resource } from '../kinds/resource.ts';
import { openFlag, settings } from '../kinds/settings.ts';
import { bindingsOf } from '../service/children.ts';
import type { ReadContext } from '../service/client.ts';
import { readFlags } from '../service/open-flag.ts';
import { observedRecordAt, type Observation, type ObservedState } from './observation.ts';

/** Reads who may open records without bindings. Sends no request if the release does not have the flag, or if every record has bindings before and after the run. */
export async function readUnboundAccess(
  resources: readonly Resource[],
  observed: ObservedState,
  release: Release | undefined,
  { mayDelete, ...context }: ReadContext & { readonly mayDelete: boolean },
): Promise<UnboundStates> {
  if (inRange({ before: openFlag.since }, release) === true) return { before: 'open', after: 'open' };
  const isDeleted = (resource: Resource): boolean =>
    mayDelete &&
    isToBeDeleted(resource) &&
    canBeBound(resource.kind) &&
    observedRecordAt(observed, resource.address) !== undefined;
  if (!resources.some((each) => isUnbound(each, observed.get(each.address)) || isDeleted(each)))
    return { before: 'unknown', after: 'unknown' };
  const { field } = openFlag;
  const declared = resources.find(({ kind }) => kind.list === settings.list);
  const before =
    (declared && observedRecordAt(observed, declared.address)?.fields[field]) ?? (await readFlags(context));
  const after = declared?.fields[field] === undefined ? before : mergedValue(declared, field, before);
  return { before: unboundStateOf(before, release), after: unboundStateOf(after, release) };
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
  release: Release | undefined,
  context: ReadContext,
): Promise<UnboundState> {
  if (inRange({ before: openFlag.since }, release) === true) return 'open';
  return unboundStateOf(await readFlags(context), release);
}

function unboundStateOf(flags: JsonValue | undefined, release: Release | undefined): UnboundState {
  if (!isJsonObject(flags)) return 'unknown';
  if (flags[openFlag.key] !== false) return 'open';
  return inRange({ from: openFlag.since }, release) === true ? 'closed' : 'unknown';
}
