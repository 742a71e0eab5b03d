import type { JsonObject, JsonValue } from '../base/json.ts';
import { kindFromFacts } from './from-facts.ts';
import { byPk, everyMethod, type SandboxKind, type World, type WrittenKind } from './kind.ts';
import { Rows, valuesOf, type Row } from './rows.ts';

/** The roles that users and groups can have. */
export function roleKind(world: World): WrittenKind {
  const { rules, seed } = world;
  return kindFromFacts(world, {
    path: '/rbac/roles/',
    title: 'Role',
    list: 'roles',
    // A filter that came with 2025.10.
    exact: rules.isLate ? ['name'] : [],
    holds: (seed.roles ?? []).map((role) => ({ ...role })),
    record: roleRecord,
    whenDeleted: ({ pk }) => {
      for (const rows of [world.rows('group'), world.rows('user')])
        for (const row of rows.with('roles', pk))
          rows.change(row, { roles: valuesOf(row, 'roles').filter((role) => role !== pk) });
    },
  });
}

/** A role, by itself and as users and groups show it. */
export function roleRecord({ pk, fields }: Row): JsonObject {
  return { pk, ...fields };
}

/** The flows that providers refer to. They show no more than what that takes. */
export function flowKind({ seed: { flows = [] } }: World): SandboxKind {
  const seeded = flows.map(({ slug, name = slug, designation = 'authorization', pk }) => ({
    pk,
    slug,
    name,
    designation,
  }));
  return {
    ...named(seeded),
    title: 'Flow',
    list: 'flows',
    path: '/api/v3/flows/instances/',
    key: { field: 'slug', form: byPk.form },
    identity: 'slug',
    ordering: 'slug',
    exact: ['slug', 'designation'],
    searched: ({ fields }) => [fields['slug'], fields['name']],
  };
}

/** The certificates that providers sign and encrypt with. */
export function certificateKind({ seed: { certificates = [] } }: World): SandboxKind {
  return {
    ...named(certificates.map((certificate) => ({ ...certificate }))),
    title: 'Certificate-Key Pair',
    list: 'certificates',
    path: '/api/v3/crypto/certificatekeypairs/',
    exact: ['name'],
    record: ({ pk, fields }) => ({ pk, ...fields, private_key_available: true, managed: null }),
  };
}

/** The property mappings of providers. */
export function propertyMappingKind({
  seed: { property_mappings: mappings = [] },
  rules,
}: World): SandboxKind {
  return {
    ...named(mappings.map((mapping) => ({ managed: null, ...mapping }))),
    title: 'Property Mapping',
    list: 'property_mappings',
    path: '/api/v3/propertymappings/all/',
    allow: { list: 'GET, HEAD, OPTIONS', one: 'GET, DELETE, HEAD, OPTIONS' },
    // Earlier releases know no such filter; recorded there is an empty list, of a service that had no mappings.
    filters: (query) => {
      const managed = query.text('managed');
      if (managed === undefined || !rules.isLate) return [];
      if (mappings.some((mapping) => mapping.managed === managed))
        return [({ fields }) => fields['managed'] === managed];
      const refusal = `Select a valid choice. ${managed} is not one of the available choices.`;
      return { managed: [refusal] };
    },
  };
}

/** What the kinds have in common that are only read here, and found by a name. */
function named(
  seeded: readonly ({ readonly pk: string } & Readonly<Record<string, JsonValue>>)[],
): Omit<SandboxKind, 'title' | 'list' | 'path'> {
  return {
    allow: everyMethod,
    key: byPk,
    identity: 'name',
    ordering: 'name',
    exact: [],
    searched: ({ fields }) => [fields['name']],
    rows: new Rows(seeded.map(({ pk, ...fields }) => ({ pk: pk.toLowerCase(), fields }))),
    record: ({ pk, fields }) => ({ pk, ...fields }),
  };
}
