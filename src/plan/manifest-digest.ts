import { createHash, hash } from 'node:crypto';
import { shownValue } from '../kinds/fields.ts';
import type { Resource } from '../kinds/resource.ts';
import { canonical } from './canonical.ts';

/** How much of each digest is kept: enough that no two resources have the same. */
const bytes = 16;

/**
 * A digest of what is declared: the same for the same resources, wherever and in whatever order they stand. Each is given alone,
 * and only its digest is kept.
 */
export class ManifestDigest {
  #digests = Buffer.alloc(1024 * bytes);
  #end = 0;

  add(resource: Pick<Resource, 'kind' | 'address' | 'fields'>): void {
    const { address, fields } = resource;
    const shown = Object.fromEntries(
      Object.keys(fields).map((name) => [name, shownValue(resource, name) ?? null]),
    );
    if (this.#end === this.#digests.length) this.#digests = Buffer.concat([this.#digests], this.#end * 2);
    this.#digests.write(hash('sha256', canonical([address, shown])), this.#end, bytes, 'hex');
    this.#end += bytes;
  }

  /** `sha256:` and the digest of the sorted digests. */
  toString(): string {
    const digests = this.#digests;
    const offsets = Uint32Array.from({ length: this.#end / bytes }, (_, index) => index * bytes);
    offsets.sort(
      (a, b) =>
        digests.readUInt32BE(a) - digests.readUInt32BE(b) ||
        digests.compare(digests, b, b + bytes, a, a + bytes),
    );
    const whole = createHash('sha256');
    for (const offset of offsets) whole.update(digests.subarray(offset, offset + bytes));
    return `sha256:${whole.digest('hex')}`;
  }
}

/** The digest of these resources. */
export function digestOf(resources: readonly Resource[]): string {
  const digest = new ManifestDigest();
  for (const resource of resources) digest.add(resource);
  return digest.toString();
}
