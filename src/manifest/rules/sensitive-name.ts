import type { Diagnostic } from '../../base/diagnostic.ts';
import { blankFor } from '../../kinds/fields.ts';
import { diagnosticOf, type Resource } from '../../kinds/resource.ts';

/** A name is in every plan, report and address, so it cannot come from where secrets come from. */
export function sensitiveName(resources: readonly Resource[]): Diagnostic[] {
  return resources
    .filter((resource) => hasSensitiveName(resource))
    .map((resource) => {
      const field = resource.kind.identity;
      const { address: _, ...problem } = diagnosticOf(resource, field, {
        code: 'sensitive-name',
        summary: `the ${field} comes from an environment variable or a file`,
        detail: 'Such values are kept secret, and a name cannot be. Use ${var:NAME}.',
      });
      return problem;
    });
}

export function hasSensitiveName(resource: Resource): boolean {
  return blankFor(resource, resource.kind.identity) !== undefined;
}
