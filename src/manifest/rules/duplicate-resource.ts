import type { Diagnostic } from '../../base/diagnostic.ts';
import { diagnosticOf, placeOf, type Resource } from '../../kinds/resource.ts';
import { shownPlace } from '../../base/source.ts';

/** A slug or a username may be declared once, over all files. */
export function duplicateResource(resources: readonly Resource[]): Diagnostic[] {
  const first = new Map<string, Resource>();
  const diagnostics: Diagnostic[] = [];
  for (const resource of resources) {
    const earlier = first.get(resource.address);
    if (earlier === undefined) {
      first.set(resource.address, resource);
      continue;
    }
    const field = resource.kind.identity;
    diagnostics.push(
      diagnosticOf(resource, field, {
        code: 'duplicate-resource',
        summary: `the ${field} \`${resource.name}\` is declared twice`,
        detail: `It is first declared at ${shownPlace(placeOf(earlier, field))}. Remove one of the two.`,
      }),
    );
  }
  return diagnostics;
}
