import type { Address } from '../base/diagnostic.ts';
import { UsageError } from '../base/errors.ts';
import { didYouMean } from '../base/suggestion.ts';
import type { Capability } from '../kinds/capability.ts';
import { isGenerated, sentFields } from '../kinds/fields.ts';
import { mayBeHidden } from '../kinds/kind.ts';
import type { Resource } from '../kinds/resource.ts';

/** Returns the resources of `--resend`; throws a UsageError if one has no secret to resend, or if updates are not allowed. */
export function resendTargets(
  addresses: readonly string[],
  resources: readonly Resource[],
  allow: readonly Capability[],
): ReadonlySet<Address> {
  if (addresses.length > 0 && !allow.includes('update'))
    throw new UsageError(
      '--resend changes existing records, but this run may not',
      'Turn on the capability `update`, and add --allow update.',
    );
  const byAddress = new Map<string, Resource>(resources.map((resource) => [resource.address, resource]));
  return new Set(
    addresses.map((address) => {
      const resource = byAddress.get(address);
      if (resource === undefined)
        throw new UsageError(
          `--resend names ${address}, but no such resource is selected`,
          didYouMean(address, [...byAddress.keys()]) ?? 'Use a complete address, such as certificate.wiki.',
        );
      const canBeResent = (field: string): boolean =>
        mayBeHidden(resource.kind, field) && !isGenerated(resource, field);
      if (!Object.keys(sentFields(resource)).some(canBeResent))
        throw new UsageError(
          `--resend names ${address}, which declares no secret and no write-only field that could be sent again`,
          'Other fields are compared, and updated if they differ. A generated secret is only sent in a create. Leave out the address.',
        );
      return resource.address;
    }),
  );
}
