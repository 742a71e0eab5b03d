import { askRelease } from '../service/release.ts';
import type { ServiceSettings } from '../settings/service-settings.ts';
import { withService, type Service } from './connect.ts';
import type { Course, Ran } from './result.ts';
import { checkScope, type Scoped, type ScopeRequest } from './scope.ts';
import type { Job } from './world.ts';

/** Carries out a run in its scope. */
type Use<Result> = (scoped: Scoped, service: Service) => Promise<Course<Result>>;

/**
 * Checks what a run is about, and does something with it and the service. Nothing is sent before that, but with the capability
 * `release`: then the service says first which release it has, and what is checked is checked by that.
 */
export async function inScope<Result>(
  request: ScopeRequest,
  job: Job,
  use: Use<Result>,
): Promise<Ran<Result>> {
  const { service: settings, capabilities } = request.settings;
  if (settings && capabilities.includes('release')) return askedFirst(request, settings, job, use);
  const checked = await checkScope(request, job);
  const { known } = checked;
  if (checked.kind === 'invalid') return { ...known, ending: 'invalid' };
  const { scoped } = checked;
  return { ...known, ...(await withService(checked.service, job, (service) => use(scoped, service))) };
}

function askedFirst<Result>(
  { settings, ...about }: ScopeRequest,
  reached: ServiceSettings,
  job: Job,
  use: Use<Result>,
): Promise<Ran<Result>> {
  return withService(reached, job, async (service): Promise<Ran<Result>> => {
    const release = await askRelease(service.send, service.pacing, service.signal);
    const informed = { ...settings, ...(release && { release }) };
    const checked = await checkScope({ ...about, settings: informed }, job, true);
    const { known } = checked;
    if (checked.kind === 'invalid') return { ...known, ending: 'invalid' };
    return { ...known, ...(await use(checked.scoped, service)) };
  });
}
