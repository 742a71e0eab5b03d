import type { Observation, ObservedState } from '../../src/observe/observation.ts';
import { makePlan, type CheckedPlan } from '../../src/plan/make-plan.ts';
import type { Permission } from '../../src/plan/plan.ts';
import type { Address } from '../../src/base/diagnostic.ts';
import type { Resource } from '../../src/kinds/resource.ts';
import type { ObservedRecord } from '../../src/service/types.ts';
import { desired } from './desired.ts';

/** The records of a service: the fields of its applications, by slug. */
export type Existing = Readonly<Record<string, ObservedRecord['fields']>>;

/** The plan of a manifest for a service with these records. */
export async function planOf(
  manifest: string,
  existing: Existing = {},
  env: Readonly<Record<string, string>> = {},
  release = '',
  permission: Permission | 'none' = 'none',
): Promise<CheckedPlan> {
  const resources = await desired(manifest, env, release);
  return makePlan(resources, observedIn(resources, existing), {
    toolVersion: '1.2.3',
    createdAt: new Date('2026-01-01T00:00:00Z'),
    service: 'https://id.example.com',
    contractOnly: true,
    permission,
  });
}

export function observedIn(resources: readonly Resource[], existing: Existing): ObservedState {
  return new Map<Address, Observation>(
    resources.map(({ kind, name, address }) => {
      const fields = existing[name];
      if (!kind.lookUp.isDocumented) return [address, { presence: 'unknown' }];
      if (fields === undefined) return [address, { presence: 'absent' }];
      return [address, { presence: 'present', held: { pk: 'p', fields } }];
    }),
  );
}
