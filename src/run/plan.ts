import { observe, type ObservedState } from '../observe/observe.ts';
import type { ListNews } from '../observe/read-lists.ts';
import { makePlan } from '../plan/make-plan.ts';
import { plannedEffects, unseenKinds, type Plan } from '../plan/plan.ts';
import { destinationOf, type ServiceSettings } from '../settings/service-settings.ts';
import { inScope } from './in-scope.ts';
import type { Scoped, ScopeRequest } from './scope.ts';
import { withService, type Service } from './connect.ts';
import { haltEnding, type Course, type Halt, type Halted, type Ran } from './result.ts';
import type { Job } from './world.ts';

export interface PlanRequest extends ScopeRequest {
  /** A plan that would create more ends the run; none: no limit. */
  readonly mostCreates?: number | undefined;
}

/** A plan, and what it was made from: to be saved. */
export interface Planned extends Plan {
  readonly observed: ObservedState;
}

/** Checks, looks up, compares. Creates nothing. */
export function plan(
  { settings, selection, since, ...options }: PlanRequest,
  job: Job,
): Promise<Ran<Planned>> {
  return inScope({ settings, selection, since }, job, (scoped, service) =>
    boundedPlan(scoped, service, options, job),
  );
}

/** Looks up and compares what was checked before. */
export function planChecked(
  scoped: Scoped,
  settings: ServiceSettings,
  options: Pick<PlanRequest, 'mostCreates'>,
  job: Job,
): Promise<Course<Planned>> {
  return withService(settings, job, (service) => boundedPlan(scoped, service, options, job));
}

async function boundedPlan(
  scoped: Scoped,
  service: Service,
  { mostCreates }: Pick<PlanRequest, 'mostCreates'>,
  job: Job,
): Promise<Course<Planned>> {
  const made = await planFor(scoped, service, job);
  if ('halt' in made) return made;
  job.tell({ kind: 'planned', plan: made });
  const halt = tooManyCreates(made, mostCreates);
  return { result: made, ...(halt ? halted(halt, job, service.signal) : { ending: 'done' }) };
}

/** Observes and compares: the plan, or why there is none. */
export async function planFor(
  { resources, ...about }: Scoped,
  service: Service,
  job: Job,
): Promise<Planned | Halted> {
  const { client, pacing, settings, signal } = service;
  const onRead = (done: number, total: number): void =>
    job.tell({ kind: 'progress', stage: 'looking_up', done, total, pace: pacing.pace() });
  onRead(0, resources.filter(({ kind }) => client.canRead(kind)).length);
  const onList = (news: ListNews): void => job.tell({ kind: 'listed', news });
  const result = await observe(resources, { client, pacing, signal, onRead, onList });
  if (result.kind === 'failed')
    return halted({ ...result, ...destinationOf(settings), kind: 'unread' }, job, signal);
  const { observed } = result;
  const made = makePlan(resources, observed, {
    toolVersion: job.toolVersion,
    createdAt: new Date(job.clock.now()),
    ...destinationOf(settings),
    hide: settings.hide,
    capabilities: settings.capabilities,
    ...about,
  });
  return { ...made, observed };
}

/** Tells why a job goes no further. */
export function halted(halt: Halt, { tell }: Pick<Job, 'tell'>, signal?: AbortSignal): Halted {
  tell({ kind: 'halted', halt });
  return { halt, ending: haltEnding(halt, signal) };
}

/** Why a plan goes no further that would create more than is allowed. */
export function tooManyCreates(made: Plan, most: number | undefined): Halt | undefined {
  const { add: count } = plannedEffects(made);
  if (most === undefined || count <= most) return undefined;
  return { kind: 'too_many_creates', count, most, unseen: unseenKinds(made) };
}
