import { isJsonList, textOf, type JsonObject, type JsonValue } from '../base/json.ts';
import { certificateIn } from '../kinds/certificate.ts';
import { rejected, type World } from './kind.ts';
import { cachedList } from './lists.ts';
import { baseProviderRecord } from './provider.ts';
import type { TableRow } from './table.ts';

export function certificateRow(): TableRow {
  return {
    shown: ({ fields: { certificate_data: certificate = null, key_data: key = null } }) => ({
      private_key_available: key !== '',
      ...(typeof certificate === 'string' && {
        fingerprint_sha256: certificateIn(certificate)?.fingerprint256.toLowerCase() ?? null,
      }),
    }),
  };
}

/** Exactly one brand is the default. */
export function brandRow(world: World, path: string): TableRow {
  return {
    prepare: (stored, { existing }) =>
      stored['default'] === true && world.at(path).isTaken('default', true, existing)
        ? rejected('Only a single brand can be set as default.', 'default')
        : { stored },
  };
}

export function objectAttributeRow(): TableRow {
  return {
    identity: 'key',
    searchTexts: ({ fields }) => [fields['key'], fields['label']],
  };
}

/** The search of the service does not look at the names of lifecycle rules. */
export function lifecycleRuleRow(world: World, path: string): TableRow {
  return {
    searchTexts: ({ fields }) => [fields['content_type']],
    prepare: (stored, { existing }) =>
      world.at(path).isTaken('name', stored['name'] ?? null, existing)
        ? rejected('lifecycle rule with this name already exists.', 'name')
        : { stored },
  };
}

/** If a request contains no URL for keys, the service sets that of the type, if the type has one. */
export function oauthSourceRow(): TableRow {
  const urls = new Map<JsonValue, string>([
    ['entraid', 'https://login.microsoftonline.com/common/discovery/keys'],
  ]);
  return {
    prepare: (stored) => {
      const { provider_type: type = null, oidc_jwks_url: own = '' } = stored;
      const url = own === '' ? urls.get(type) : undefined;
      return { stored: { ...stored, ...(url !== undefined && { oidc_jwks_url: url }) } };
    },
  };
}

/** The service sorts the countries. */
export function geoipRow(): TableRow {
  return {
    prepare: (stored) => {
      const { countries = null } = stored;
      if (!isJsonList(countries)) return { stored };
      return {
        stored: {
          ...stored,
          countries: [...new Set(countries.map(String))].toSorted((a, b) => (a < b ? -1 : 1)),
        },
      };
    },
  };
}

/** Every change of a token sets the user and the purpose, to the requester and `api` if the request contains none. */
export function tokenRow(world: World): TableRow {
  return {
    prepare: (stored, { existing, asker }) => {
      const first = asker?.user ?? world.at('/core/users/').all()[0];
      const { user = first?.pk ?? null, intent = 'api' } = stored;
      const isGiven = existing !== undefined && stored['user'] !== undefined;
      if (isGiven && user !== existing.fields['user'] && world.rules.isFrom2025)
        return rejected('User cannot be changed', 'user');
      if (intent !== 'api' && intent !== 'app_password')
        return rejected(`Invalid intent ${textOf(intent)}`, 'intent');
      return { stored: { ...stored, user, intent } };
    },
  };
}

/** Every save or deletion of an endpoint clears the cache. */
export function racEndpointRow(world: World, path: string): TableRow {
  const cache = new Map<string, readonly JsonObject[]>();
  let count = 0;
  return {
    afterSave: () => cache.clear(),
    listFor: (query, asker) => {
      const { length } = world.at(path).all();
      if (length !== count) cache.clear();
      count = length;
      return cachedList(world.kind(path), query, asker, world.rules, cache, false);
    },
  };
}

const embedded = 'goauthentik.io/outposts/embedded';

/** A new service has one outpost. A change replaces all providers of an outpost. */
export function outpostRow(world: World): TableRow {
  return {
    prepare: (stored, { existing }) => {
      const { providers = null } = stored;
      const isEmpty = isJsonList(providers) && providers.length === 0;
      return isEmpty && existing?.fields['managed'] !== embedded
        ? rejected('This list may not be empty.', 'providers')
        : { stored };
    },
    shown: ({ fields }) => ({
      providers_obj: world
        .at('/providers/all/')
        .those(fields['providers'])
        .map((provider) => baseProviderRecord(world, provider)),
    }),
  };
}

const mappings = '/propertymappings/all/';

export function propertyMappingRow(world: World): TableRow {
  return {
    // Releases before 2025.12 ignore the filter `managed`.
    filtersFor: (query) => {
      const managed = query.text('managed');
      if (managed === undefined || !world.rules.isFrom2025) return [];
      if (world.at(mappings).with('managed', managed).length > 0)
        return [({ fields }) => fields['managed'] === managed];
      const refusal = `Select a valid choice. ${managed} is not one of the available choices.`;
      return { managed: [refusal] };
    },
  };
}
