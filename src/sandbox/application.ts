import { textOf, type JsonObject, type JsonValue } from '../base/json.ts';
import type { SeedProvider } from '../generated/sandbox-seed.ts';
import { choice, flag, nullable, text, wrong, type Reading } from './fields.ts';
import { uuid } from './ids.ts';
import type { SandboxKind } from './kind.ts';
import { isLaunchUrl } from './launch-url.ts';
import { orEmpty, providerId, setOf } from './related.ts';

/** An application as the sandbox stores it: the fields of the request, and what can change later. */
interface Stored {
  readonly fields: Readonly<Record<string, JsonValue>>;
  /** Another application may take these away. */
  backchannelProviders: readonly JsonValue[];
}

const slugForm = /^[-a-zA-Z0-9_]+$/;

/** The applications, given the providers that exist. */
export function applications(providers: ReadonlyMap<number, SeedProvider>): SandboxKind {
  const bySlug = new Map<string, Stored>();
  const mainOf = new Map<JsonValue, Stored>();
  /** The application that has a provider as one of its backchannel providers. */
  const backchannelOf = new Map<JsonValue, Stored>();

  const provider = providerId((pk) => providers.has(pk));
  const freeProvider = (value: JsonValue): Reading => {
    const result = provider(value);
    return 'value' in result && mainOf.has(result.value)
      ? wrong('Application with this provider already exists.')
      : result;
  };
  const takenSlug = (slug: string): string | undefined =>
    bySlug.has(slug) ? 'Application with this slug already exists.' : undefined;

  const provided = (pk: JsonValue): JsonObject => {
    const known = providers.get(Number(pk));
    return {
      pk,
      name: known?.name ?? '',
      authentication_flow: null,
      authorization_flow: known?.authorization_flow ?? uuid('authorization flow'),
      property_mappings: [],
      ...assigned('assigned_application', mainOf.get(pk)),
    };
  };
  /** An application as the service answers it, to somebody with that username. */
  const recordOf = ({ fields, backchannelProviders }: Stored, username: string): JsonObject => {
    const main = fields['provider'] ?? null;
    const url = textOf(fields['meta_launch_url']).replaceAll('%(username)s', username);
    return {
      pk: uuid(`application ${textOf(fields['slug'])}`),
      ...fields,
      provider_obj:
        main === null
          ? null
          : {
              ...provided(main),
              ...(backchannelOf.has(main) &&
                assigned('assigned_backchannel_application', backchannelOf.get(main))),
              component: 'ak-provider-oauth2-form',
              verbose_name: 'OAuth2/OpenID Provider',
              verbose_name_plural: 'OAuth2/OpenID Providers',
              meta_model_name: 'authentik_providers_oauth2.oauth2provider',
            },
      backchannel_providers: backchannelProviders,
      backchannel_providers_obj: backchannelProviders.map((pk) => ({
        ...provided(pk),
        ...assigned('assigned_backchannel_application', backchannelOf.get(pk)),
        component: '',
        verbose_name: 'provider',
        verbose_name_plural: 'providers',
        meta_model_name: 'authentik_core.provider',
      })),
      launch_url: url === '' ? null : url,
      meta_icon: null,
    };
  };

  return {
    path: '/api/v3/core/applications/',
    fields: {
      name: {
        type: 'string',
        label: 'Name',
        more: { help_text: "Application's display Name." },
        read: text(),
      },
      slug: {
        type: 'slug',
        label: 'Slug',
        more: { help_text: 'Internal application name, used in URLs.', max_length: 50 },
        read: text({ first: takenSlug, maxLength: 50, last: badSlug }),
      },
      provider: { type: 'field', label: 'Provider', read: orEmpty(nullable(freeProvider)), default: null },
      backchannel_providers: {
        type: 'field',
        label: 'Backchannel providers',
        read: setOf(provider),
        default: [],
      },
      open_in_new_tab: {
        type: 'boolean',
        label: 'Open in new tab',
        more: { help_text: 'Open launch URL in a new browser tab or window.' },
        read: flag,
        default: false,
      },
      meta_launch_url: {
        type: 'string',
        label: 'Meta launch url',
        read: text({ blank: true, first: badUrl }),
        default: '',
      },
      meta_description: {
        type: 'string',
        label: 'Meta description',
        read: text({ blank: true }),
        default: '',
      },
      meta_publisher: { type: 'string', label: 'Meta publisher', read: text({ blank: true }), default: '' },
      policy_engine_mode: choice(
        'Policy engine mode',
        { all: 'all, all policies must pass', any: 'any, any policy must pass' },
        'any',
      ),
      group: { type: 'string', label: 'Group', read: text({ blank: true }), default: '' },
    },
    mayCreate: (token) => token.add_applications !== false,
    create: ({ backchannel_providers, ...fields }, username) => {
      const backchannelProviders = backchannel_providers as readonly JsonValue[]; // as they were read: a list of ids
      const application = { fields, backchannelProviders };
      for (const pk of backchannelProviders) {
        const former = backchannelOf.get(pk);
        if (former) former.backchannelProviders = former.backchannelProviders.filter((other) => other !== pk);
        backchannelOf.set(pk, application);
      }
      const main = fields['provider'] ?? null;
      if (main !== null) mainOf.set(main, application);
      bySlug.set(textOf(fields['slug']), application);
      return { record: recordOf(application, username) };
    },
    retrieve: {
      names: slugForm,
      record: (slug, { username = '', view_applications: visible = 'all' }) => {
        if (visible === 'none') return 'forbidden';
        const application = visible === 'all' || visible.includes(slug) ? bySlug.get(slug) : undefined;
        return application === undefined ? 'absent' : recordOf(application, username);
      },
    },
  };
}

function assigned(as: string, application: Stored | undefined): JsonObject {
  const { slug = null, name = null } = application?.fields ?? {};
  return { [`${as}_slug`]: slug, [`${as}_name`]: name };
}

function badSlug(slug: string): string | undefined {
  if (slugForm.test(slug)) return undefined;
  return 'Enter a valid "slug" consisting of letters, numbers, underscores or hyphens.';
}

function badUrl(url: string): string | undefined {
  return isLaunchUrl(url) ? undefined : 'Enter a valid URL.';
}
