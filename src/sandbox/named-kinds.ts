import { X509Certificate } from 'node:crypto';
import { textOf } from '../base/json.ts';
import type { SandboxKind, World, WrittenKind } from './kind.ts';
import { shownFrom, tableFrom } from './table.ts';

/** The roles that users and groups can have. */
export function roleKind(world: World): WrittenKind {
  return tableFrom(world, {
    path: '/rbac/roles/',
    list: 'roles',
    known: (world.seed.roles ?? []).map((role) => ({ ...role })),
  });
}

/** The flows that providers refer to. */
export function flowKind(world: World): WrittenKind {
  const flows = world.seed.flows ?? [];
  return tableFrom(world, {
    path: '/flows/instances/',
    list: 'flows',
    known: flows.map(({ slug, name = slug, designation = 'authorization', pk }) => ({
      pk,
      slug,
      name,
      title: name,
      designation,
      policy_engine_mode: 'any',
    })),
    fields: { policy_engine_mode: { default: 'any' } },
  });
}

/** The certificates that providers sign and encrypt with. */
export function certificateKind(world: World): WrittenKind {
  return tableFrom(world, {
    path: '/crypto/certificatekeypairs/',
    list: 'certificates',
    known: (world.seed.certificates ?? []).map((certificate) => ({ ...certificate })),
    shown: ({ fields: { certificate_data: certificate = null, key_data: key = null } }) => ({
      private_key_available: key !== '',
      ...(typeof certificate === 'string' && { fingerprint_sha256: fingerprintOf(certificate) }),
    }),
  });
}

/** The brands, of which one alone is the default. */
export function brandKind(world: World): WrittenKind {
  const path = world.rules.isLate ? '/core/brands/' : '/core/tenants/';
  return tableFrom(world, {
    path,
    list: 'brands',
    keep: (stored, { own }) =>
      stored['default'] === true && world.at(path).isTaken('default', true, own)
        ? { errors: { default: ['Only a single brand can be set as default.'] } }
        : { stored },
  });
}

/** Recorded of 2025.12.4: in small letters, with colons. */
function fingerprintOf(certificate: string): string | null {
  try {
    return new X509Certificate(certificate).fingerprint256.toLowerCase();
  } catch {
    return null;
  }
}

const mappings = '/propertymappings/all/';

/** The property mappings of providers: here, all that are there from the start are scopes. */
export function propertyMappingKind(world: World): SandboxKind {
  const { property_mappings: known = [] } = world.seed;
  return shownFrom(world, {
    path: mappings,
    list: 'property_mappings',
    known: known.map((mapping) => ({
      managed: null,
      expression: 'return {}',
      scope_name: textOf(mapping.managed).replace(/.*\/scope-/, '') || mapping.name,
      component: 'ak-property-mapping-provider-scope-form',
      meta_model_name: 'authentik_providers_oauth2.scopemapping',
      ...mapping,
    })),
    // Earlier releases know no such filter; recorded there is an empty list, of a service that had no mappings.
    filters: (query) => {
      const managed = query.text('managed');
      if (managed === undefined || !world.rules.isLate) return [];
      if (world.at(mappings).with('managed', managed).length > 0)
        return [({ fields }) => fields['managed'] === managed];
      const refusal = `Select a valid choice. ${managed} is not one of the available choices.`;
      return { managed: [refusal] };
    },
  });
}

/** What scopes tell of users: mappings of one type, which have had a path among those of providers since 2024.8. */
export function scopeMappingKind(world: World): WrittenKind {
  return tableFrom(world, {
    path: world.rules.isLate ? '/propertymappings/provider/scope/' : '/propertymappings/scope/',
    list: 'property_mappings',
  });
}
