import type { Problem } from '../base/diagnostic.ts';
import type { Application } from '../generated/manifest.ts';
import type { FieldsOf, ReadableKind } from './kind.ts';
import { launchUrlRefusal } from './launch-url.ts';
import { likelyRefused } from './likely-refused.ts';
import { sameSet } from './same.ts';

const path = '/api/v3/core/applications/';

const fields = {
  slug: { checks: [reservedSlug] },
  name: {},
  provider: {
    belongsToOne: {
      code: 'shared-provider',
      summary: (provider, owner) => `provider ${provider} is already the main provider of \`${owner}\``,
      detail: 'A provider belongs to one application only.',
    },
  },
  backchannel_providers: {
    same: sameSet,
    belongsToOne: {
      code: 'shared-backchannel-provider',
      summary: (provider, owner) => `backchannel provider ${provider} is already in \`${owner}\``,
      detail: 'The service would silently take it from the first application.',
    },
  },
  open_in_new_tab: {},
  meta_launch_url: { checks: [launchUrlRefusal] },
  meta_description: {},
  meta_publisher: {},
  policy_engine_mode: {},
  group: {},
} satisfies FieldsOf<Application>;

/** An application: a name, its providers, and how it is shown to people. */
export const application: ReadableKind<'application'> = {
  type: 'application',
  list: 'applications',
  identity: 'slug',
  path,
  retrieve: (slug: string) => `${path}${encodeURIComponent(slug)}/`,
  fields,
  words: {
    one: 'an application',
    nameRefused: 'As far as rollcall can tell, the slug is taken or reserved as well.',
  },
};

const reservedSlugs: ReadonlySet<string> = new Set([
  'authorize',
  'token',
  'device',
  'userinfo',
  'introspect',
  'revoke',
]);

function reservedSlug(slug: string): Problem | undefined {
  if (!reservedSlugs.has(slug)) return undefined;
  return likelyRefused('newer services refuse this slug', 'They use it in their own URLs. Choose another.');
}
