import { resolveNames } from '../observe/resolve-names.ts';
import type { Resource } from '../kinds/resource.ts';
import { Rules } from '../manifest/rules.ts';
import { destinationOf } from '../settings/service-settings.ts';
import type { Service } from './connect.ts';
import type { Halt } from './result.ts';

/**
 * The resources with ids in place of names; or why there are none. Ids show what names do not: that two names, or a name and an
 * id, are one provider, which belongs to one application.
 */
export async function withResolvedNames(
  declared: readonly Resource[],
  { client, pacing, settings, signal }: Service,
  isSaved: boolean,
): Promise<readonly Resource[] | Halt> {
  const { resources, unresolved, notRead } = await resolveNames(declared, { client, pacing, signal });
  if (resources === declared) return declared;
  const broken = [...new Rules().check({ named: resources, whole: [] })];
  const diagnostics = broken.filter(({ severity }) => severity === 'error');
  if (unresolved.length === 0 && diagnostics.length === 0 && notRead === 0) return resources;
  return {
    kind: 'unresolved',
    ...destinationOf(settings),
    names: unresolved,
    diagnostics,
    notRead,
    interrupted: signal.aborted,
    isStale: isSaved,
  };
}
