import { byAddress, type Resource } from '../kinds/resource.ts';
import { canonical, sha256 } from './canonical.ts';

/** A digest of what is declared: the same for the same resources, wherever and in whatever order they stand. */
export function manifestDigest(resources: readonly Resource[]): string {
  return sha256(linesOf(resources));
}

/** One by one: together they are as long as the manifests. */
function* linesOf(resources: readonly Resource[]): Generator<string> {
  for (const { address, shown } of resources.toSorted(byAddress)) yield `${canonical([address, shown])}\n`;
}
