import { byAddress, type Resource } from '../resource.ts';
import { canonical, sha256 } from './canonical.ts';

/** A digest of what is declared: the same for the same resources, wherever and in whatever order they stand. */
export function manifestDigest(resources: readonly Resource[]): string {
  const lines = resources.toSorted(byAddress).map(({ address, shown }) => `${canonical([address, shown])}\n`);
  return sha256(...lines);
}
