import type { Diagnostic } from '../../base/diagnostic.ts';
import { diagnosticOf } from '../../kinds/resource-diagnostic.ts';
import { placeOf, type ApplicationResource, type Resource } from '../../kinds/resource.ts';
import { shownPlace } from '../../base/source.ts';

/** A main provider belongs to one application only: the service would refuse the second. */
export function sharedProvider(resources: readonly Resource[]): Diagnostic[] {
  const owners = new Map<number, ApplicationResource>();
  const diagnostics: Diagnostic[] = [];
  for (const resource of resources) {
    if (resource.type !== 'application') continue;
    const { provider } = resource.fields;
    if (provider === undefined || provider === null) continue;
    const owner = owners.get(provider);
    if (owner === undefined) {
      owners.set(provider, resource);
    } else if (owner.address !== resource.address) {
      diagnostics.push(
        diagnosticOf(resource, 'provider', {
          code: 'shared-provider',
          summary: `provider ${provider} is already the main provider of \`${owner.name}\``,
          detail: `See ${shownPlace(placeOf(owner, 'provider'))}. A provider belongs to one application only.`,
        }),
      );
    }
  }
  return diagnostics;
}
