import { shownValue } from '../kinds/fields.ts';
import type { Resource } from '../kinds/resource.ts';
import { canonicalJson, sha256 } from './canonical.ts';

/** A digest of the declared resources, independent of their order and files. */
export function manifestDigestOf(
  resources: readonly Pick<Resource, 'kind' | 'address' | 'fields'>[],
): string {
  const entries = resources.map((resource) => {
    const names = Object.keys(resource.fields);
    const shownFields = Object.fromEntries(names.map((name) => [name, shownValue(resource, name) ?? null]));
    return canonicalJson([resource.address, shownFields]);
  });
  return sha256(entries.toSorted().map((entry) => `${entry}\n`));
}
