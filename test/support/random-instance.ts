import { expect } from 'vitest';
import { apply } from '../../src/commands/apply.ts';
import { textOf, type JsonObject, type JsonValue } from '../../src/base/json.ts';
import { kinds } from '../../src/kinds/all.ts';
import { childFields } from '../../src/kinds/bindings.ts';
import type { Kind } from '../../src/kinds/kind.ts';
import { policyBindings } from '../../src/kinds/policy-bindings.ts';
import { readRelease } from '../../src/kinds/release.ts';
import { shippedRecordsOf } from '../../src/kinds/shipped.ts';
import type { SandboxRelease } from '../../src/sandbox/release.ts';
import type { World } from './update-world.ts';
import { anyChangeOf, createdKinds, existsIn, smallestEntry, listPathIn } from './written-type.ts';
import { otherClient } from './other-client.ts';

export const seed = {
  is_fresh: true,
  is_licensed: true,
  tokens: [{ token: 'sandbox-token', superuser: true }],
};
const capabilities = ['update', 'delete'];
export const env = {
  ROLLCALL_CAPABILITIES: capabilities.join(),
  SECRET: 'canary-of-a-secret',
  SECRET_JSON: '{"key": "canary-of-a-secret"}',
};

/** Applies a manifest with all permissions. */
export async function applyManifest(
  world: World,
  text: string,
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { context, stdout, stderr } = world.run(text, { ...env, ...more });
  const allow = [...capabilities, 'way-in', 'lockout', 'open-login'];
  const options = { output: 'text', yes: true, allow } as const;
  expect(await apply(['m.yaml'], options, context), text + stdout() + stderr()).toBe('done');
}

/** A random instance of the service: new records of some kinds, bindings to them, and changed default records. */
export function randomInstance(world: World, release: SandboxRelease, random: () => number): JsonObject {
  const chance = (probability: number): boolean => random() < probability;
  const lists: Record<string, JsonValue[]> = {
    groups: [{ name: 'bound' }],
    policies: [{ type: 'dummy', name: 'decides' }],
  };
  const add = (kind: Kind, entry: JsonObject): void => {
    lists[kind.list] = [...(lists[kind.list] ?? []), entry];
  };
  const boundTo = (kind: Kind): JsonObject =>
    chance(0.3) && childFields(kind).some(([, children]) => children === policyBindings)
      ? {
          policies: [
            { group: { name: 'bound' }, order: 3 },
            // The service refuses policies for entitlements.
            ...(kind.fields['policies']?.checks ? [] : [{ policy: { name: 'decides' }, order: 5 }]),
          ],
        }
      : {};
  for (const kind of createdKinds.filter((one) => existsIn(one, release) && chance(0.2))) {
    const entry = smallestEntry(kind, nameOfNewRecord(kind), world.sandbox, release);
    const change = chance(0.5) ? anyChangeOf(kind, release, {}) : {};
    add(kind, { ...entry, ...change, ...boundTo(kind) });
  }
  for (const [address, fields] of shippedRecordsOf(readRelease(release)).records) {
    const kind = kinds.find(
      ({ type, variant }) =>
        address.startsWith(`${type}.`) && (variant === undefined || variant.value === fields[variant.field]),
    );
    if (kind === undefined || kind.single !== undefined || !chance(0.2)) continue;
    // Each run checks that people can log in, so the stages and policies of the login flow stay unchanged.
    const isWayIn = fields['designation'] === 'authentication';
    const { [kind.identity]: name = '', stages = [] } = fields;
    const held = otherClient(world.sandbox).record(listPathIn(kind, release), textOf(name)) ?? {};
    const change = kind.type === 'certificate' ? {} : anyChangeOf(kind, release, held);
    const fewer =
      Array.isArray(stages) && stages.length > 0 && !isWayIn && chance(0.3)
        ? { stages: stages.slice(1) }
        : {};
    add(kind, {
      [kind.identity]: name,
      ...(kind.variant && { [kind.variant.field]: kind.variant.value }),
      ...change,
      ...fewer,
      ...(!isWayIn && boundTo(kind)),
    });
  }
  return { version: 1, ...lists };
}

/** The name of the new record of a kind. */
export function nameOfNewRecord({ variant, type }: Kind): string {
  return `one-of-${variant?.value ?? type}`;
}
