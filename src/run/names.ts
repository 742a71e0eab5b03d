import type { Diagnostic } from '../base/diagnostic.ts';
import { resolveNames, type ResolvedNames } from '../observe/resolve-names.ts';
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
): Promise<Pick<ResolvedNames, 'resources' | 'told'> | Halt> {
  const {
    resources,
    told,
    unresolved: names,
    notRead,
  } = await resolveNames(declared, { client, pacing, signal });
  if (resources === declared) return { resources, told };
  const broken = [...new Rules().check({ named: resources, mappings: [] })];
  const diagnostics = broken.filter(({ severity }) => severity === 'error');
  if (names.length === 0 && diagnostics.length === 0 && notRead === 0) return { resources, told };
  const service = { settings, signal };
  return { ...unresolved(diagnostics, service, isSaved), names, notRead };
}

/** A plan that would give to a second resource what belongs to one. */
export function unresolved(
  diagnostics: readonly Diagnostic[],
  { settings, signal }: Pick<Service, 'settings' | 'signal'>,
  isSaved: boolean,
): Extract<Halt, { kind: 'unresolved' }> {
  const { aborted: interrupted } = signal;
  return {
    kind: 'unresolved',
    ...destinationOf(settings),
    names: [],
    diagnostics,
    notRead: 0,
    interrupted,
    isStale: isSaved,
  };
}
