import type { Diagnostic } from '../../base/diagnostic.ts';
import { diagnosticOf, placeOf, type Resource } from '../../kinds/resource.ts';
import { shownPlace } from '../../base/source.ts';

/** Names that differ only in case, or in how Unicode writes them: two to the service, one to a person. */
export function similarName(resources: readonly Resource[]): Diagnostic[] {
  const first = new Map<string, Resource>();
  const diagnostics: Diagnostic[] = [];
  for (const resource of resources) {
    const key = `${resource.kind.type}.${resource.name.normalize('NFKC').toLowerCase()}`;
    const earlier = first.get(key);
    if (earlier === undefined) {
      first.set(key, resource);
    } else if (earlier.name !== resource.name) {
      const field = resource.kind.identity;
      diagnostics.push(
        diagnosticOf(resource, field, {
          code: 'similar-name',
          severity: 'warning',
          summary: `the ${field} \`${resource.name}\` looks like \`${earlier.name}\``,
          detail: `See ${shownPlace(placeOf(earlier, field))}. The service keeps them apart; is that meant?`,
        }),
      );
    }
  }
  return diagnostics;
}
