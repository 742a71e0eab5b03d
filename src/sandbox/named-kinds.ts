import { isJsonList, textOf, type JsonObject } from '../base/json.ts';
import { certificateIn } from '../kinds/certificate.ts';
import { rejected, type World } from './kind.ts';
import { cachedList } from './lists.ts';
import { baseProviderRecord } from './provider.ts';
import type { TableRow } from './table.ts';

export type RowsByPath = Readonly<Record<string, (world: World, path: string) => TableRow>>;

/** Exactly one brand is the default. */
const brandRow: RowsByPath[string] = (world, path) => ({
  refuse: (values, { existing }) =>
    values['default'] === true && world.at(path).isTaken('default', true, existing)
      ? rejected('Only a single brand can be set as default.', 'default')
      : undefined,
});

const embedded = 'goauthentik.io/outposts/embedded';

/** The kinds with little handwritten behaviour. */
export const namedKinds: RowsByPath = {
  '/core/brands/': brandRow,
  '/core/object_attributes/': () => ({
    identity: 'key',
    searchTexts: ({ fields }) => [fields['key'], fields['label']],
  }),
  '/core/tenants/': brandRow,
  // Every change of a token sets the user and the purpose, to the requester and `api` if the request contains none.
  '/core/tokens/': (world) => ({
    refuse: ({ user, intent = 'api' }, { existing }) => {
      const isGiven = existing !== undefined && user !== undefined;
      if (isGiven && user !== existing.fields['user'] && world.rules.isFrom2025)
        return rejected('User cannot be changed', 'user');
      return intent === 'api' || intent === 'app_password'
        ? undefined
        : rejected(`Invalid intent ${textOf(intent)}`, 'intent');
    },
    stored: (values, { asker }) => {
      const user = asker?.user ?? world.at('/core/users/').all()[0];
      return { user: user?.pk ?? null, intent: 'api', ...values };
    },
  }),
  '/crypto/certificatekeypairs/': () => ({
    shown: ({ fields: { certificate_data: certificate = null, key_data: key = null } }) => ({
      private_key_available: key !== '',
      ...(typeof certificate === 'string' && {
        fingerprint_sha256: certificateIn(certificate)?.fingerprint256.toLowerCase() ?? null,
      }),
    }),
  }),
  // The search of the service does not look at the names of lifecycle rules.
  '/lifecycle/rules/': (world, path) => ({
    searchTexts: ({ fields }) => [fields['content_type']],
    refuse: ({ name = null }, { existing }) =>
      world.at(path).isTaken('name', name, existing)
        ? rejected('lifecycle rule with this name already exists.', 'name')
        : undefined,
  }),
  // A new service has one outpost. A change replaces all providers of an outpost.
  '/outposts/instances/': (world) => ({
    refuse: ({ providers = null }, { existing }) =>
      isJsonList(providers) && providers.length === 0 && existing?.fields['managed'] !== embedded
        ? rejected('This list may not be empty.', 'providers')
        : undefined,
    shown: ({ fields }) => ({
      providers_obj: world
        .at('/providers/all/')
        .those(fields['providers'])
        .map((provider) => baseProviderRecord(world, provider)),
    }),
  }),
  // The service sorts the countries.
  '/policies/geoip/': () => ({
    stored: (values) => {
      const { countries = null } = values;
      return isJsonList(countries)
        ? { ...values, countries: [...new Set(countries.map(String))].toSorted() }
        : values;
    },
  }),
  '/propertymappings/all/': (world, path) => ({
    // Releases before 2025.12 ignore the filter `managed`.
    filtersFor: (query) => {
      const managed = query.text('managed');
      if (managed === undefined || !world.rules.isFrom2025) return [];
      if (world.at(path).with('managed', managed).length > 0)
        return [({ fields }) => fields['managed'] === managed];
      const refusal = `Select a valid choice. ${managed} is not one of the available choices.`;
      return { managed: [refusal] };
    },
  }),
  // Every save or deletion of an endpoint clears the cache.
  '/rac/endpoints/': (world, path) => {
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
  },
  // If a request contains no URL for keys, the service sets that of the type, if the type has one.
  '/sources/oauth/': () => ({
    stored: (values) =>
      values['provider_type'] === 'entraid' && (values['oidc_jwks_url'] ?? '') === ''
        ? { ...values, oidc_jwks_url: 'https://login.microsoftonline.com/common/discovery/keys' }
        : values,
  }),
};
