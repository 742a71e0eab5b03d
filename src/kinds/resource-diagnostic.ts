import type { Diagnostic, Problem } from '../base/diagnostic.ts';
import { excerptOf, placeOf, type Resource } from './resource.ts';

/** A diagnostic about a resource, at one of its fields when it declares that field, or at one item of that. */
export function diagnosticOf(
  resource: Resource,
  field: string | undefined,
  problem: Problem,
  item?: number,
): Diagnostic {
  const range = placeOf(resource, field, item);
  const excerpt = excerptOf(resource, range);
  return {
    severity: 'error',
    detail: '',
    address: resource.address,
    ...problem,
    range,
    ...(excerpt !== undefined && { excerpt }),
  };
}
