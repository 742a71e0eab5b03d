import { createHash } from 'node:crypto';
import { shownValue } from '../kinds/fields.ts';
import type { Resource } from '../kinds/resource.ts';
import { canonicalJson } from './canonical.ts';

/** A digest of the declared resources, independent of their order and files. It covers references to secrets, but not the secrets. */
export function manifestDigestOf(
  resources: readonly Pick<Resource, 'kind' | 'address' | 'fields'>[],
): string {
  const entries = resources.map((resource) => {
    const shownFields = Object.entries(resource.fields).map(([name, { mask }]) => [
      name,
      [shownValue(resource, name) ?? null, (mask?.isHidden ? undefined : mask?.sensitive) ?? null],
    ]);
    return canonicalJson([resource.address, Object.fromEntries(shownFields)]);
  });
  const hash = createHash('sha256');
  for (const entry of entries.toSorted()) hash.update(`${entry}\n`);
  return `sha256:${hash.digest('hex')}`;
}
