import { createHash } from 'node:crypto';
import { isJsonObject, type JsonValue } from '../json.ts';
import { byAddress, type Resource } from '../resource.ts';

/** A digest of what is declared: the same for the same resources, wherever and in whatever order they stand. */
export function manifestDigest(resources: readonly Resource[]): string {
  const hash = createHash('sha256');
  for (const resource of resources.toSorted(byAddress)) {
    hash.update(canonical([resource.address, resource.shown]));
    hash.update('\n');
  }
  return `sha256:${hash.digest('hex')}`;
}

/** JSON with the keys of every object in code-unit order. */
function canonical(value: JsonValue): string {
  return JSON.stringify(value, (_key, inner: JsonValue) =>
    isJsonObject(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
