import type { Diagnostic } from '../../base/diagnostic.ts';
import { diagnosticOf } from '../../kinds/resource-diagnostic.ts';
import { placeOf, type ApplicationResource, type Resource } from '../../kinds/resource.ts';
import { shownPlace } from '../../base/source.ts';

const field = 'backchannel_providers';

/** A backchannel provider in two applications: the service would silently take it from the first. */
export function sharedBackchannelProvider(resources: readonly Resource[]): Diagnostic[] {
  const owners = new Map<number, ApplicationResource>();
  const diagnostics: Diagnostic[] = [];
  for (const resource of resources) {
    if (resource.type !== 'application') continue;
    for (const provider of new Set(resource.fields.backchannel_providers)) {
      const owner = owners.get(provider);
      if (owner === undefined) {
        owners.set(provider, resource);
      } else if (owner.address !== resource.address) {
        diagnostics.push(
          diagnosticOf(resource, field, {
            code: 'shared-backchannel-provider',
            summary: `backchannel provider ${provider} is already in \`${owner.name}\``,
            detail: `See ${shownPlace(placeOf(owner, field))}. The service would silently take it from the first application.`,
          }),
        );
      }
    }
  }
  return diagnostics;
}
