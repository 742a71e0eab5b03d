import type { Problem } from '../base/diagnostic.ts';
import { isJsonList, type JsonValue } from '../base/json.ts';
import { isMasked } from '../base/sensitive.ts';
import { inRange, releaseProblemFor, type Release, howToSetRelease } from './release.ts';
import type { Access } from './children.ts';
import { familyOf } from './families.ts';
import { iconRefusal } from './icon.ts';
import { launchUrlRefusal, unfilledTemplate } from './launch-url.ts';
import { groupField, policyBindings, userField } from './policy-bindings.ts';
import { type FieldRows, kindFrom, type RowKind } from './row.ts';
import { plainId, plainUuid } from './values.ts';

const longSlugsSince = '2025.12';

const metaHideSince = '2026.5';

const fields = {
  slug: {
    changeWarning: () =>
      'the URLs of the application change with the slug, including the URLs of OpenID Connect and SAML',
    checks: [longSlugProblem, reservedSlugProblem, ambiguousSlugProblem],
  },
  name: {},
  provider: {
    changeWarning: (id, before) => {
      if (isMasked(id) || isMasked(before)) return 'logins go through another provider, or through none';
      if (id === null) return 'logins no longer go through a provider';
      return before === null ? 'logins now go through a provider' : 'logins go through another provider';
    },
    default: null,
    fact: { field: 'assigned_application_slug' },
    singleOwner: {
      code: 'shared-provider',
      takenCode: 'provider-taken',
      summary: (id, owner) => `provider ${id} is already the main provider of \`${owner}\``,
      detail: 'A provider belongs to one application only.',
    },
  },
  backchannel_providers: {
    changeWarning: (ids, before) => {
      const [gains, loses] = [hasOthers(ids, before), hasOthers(before, ids)];
      const which = gains === loses ? 'other' : gains ? 'more' : 'fewer';
      return `users are provisioned or logged out through ${which} providers`;
    },
    default: [],
    fact: { field: 'assigned_backchannel_application_slug' },
    singleOwner: {
      code: 'shared-backchannel-provider',
      isMoved: true,
      summary: (id, owner) => `backchannel provider ${id} is already in \`${owner}\``,
      detail: 'The service would silently remove the provider from the other application.',
    },
  },
  'access.groups': {
    isDeduplicated: true,
    refersTo: familyOf('groups'),
    idForm: plainUuid,
    tableForm: 'strings',
  },
  'access.users': {
    isDeduplicated: true,
    refersTo: familyOf('users'),
    idForm: plainId,
    tableForm: 'numbers',
  },
  policies: {},
  open_in_new_tab: { default: false },
  meta_launch_url: {
    default: '',
    written: { pattern: String.raw`^$|^[A-Za-z][-A-Za-z0-9+.]*:\S+$` },
    checks: [launchUrlRefusal, unfilledTemplate, hiddenUrlProblem],
  },
  meta_hide: { default: false },
  meta_description: { default: '' },
  meta_publisher: { default: '' },
  meta_icon: {
    default: '',
    // Older releases return the path of an uploaded icon as `meta_icon_url`.
    isAccepted: (record) => Object.hasOwn(record, 'meta_icon_url'),
    checks: [iconRefusal],
  },
  policy_engine_mode: {
    changeWarning: (mode) =>
      mode === 'all'
        ? 'only users who pass every binding may open it'
        : 'users who pass any of its bindings may open it',
    default: 'any',
  },
  group: { default: '' },
} satisfies FieldRows;

const access: Access = {
  field: 'access',
  children: policyBindings,
  subjects: [
    { field: 'access.groups', key: 'groups', binds: groupField },
    { field: 'access.users', key: 'users', binds: userField },
  ],
};

function hasOthers(ids: JsonValue, than: JsonValue): boolean {
  return isJsonList(ids) && isJsonList(than) && ids.some((id) => !than.includes(id));
}

const notDeclarable = {
  groups:
    'To declare who may open the application, write `access: { groups: [...] }`. `group` is the label under which the application is shown.',
  users: 'To declare who may open the application, write `access: { users: [...] }`.',
  bindings: 'Declare its bindings as `policies`, or as `access` for groups and users only.',
};

export const application: RowKind = kindFrom({
  list: 'applications',
  documented: ['create', 'look-up'],
  unique: true,
  // For a token without superuser rights, the service returns a cached list and ignores the requested page.
  listing: { completeFor: 'superusers' },
  access,
  withheld: ['provider', 'backchannel_providers', 'meta_launch_url'],
  createdWith: { meta_launch_url: '' },
  fields,
  notDeclarable,
  words: {
    nameTakenHint: 'The slug is probably also taken or reserved.',
  },
});

const longestSlug = 50;

/** If the release is unknown, the length limit applies. */
function longSlugProblem(slug: string, release: Release | undefined): Problem | undefined {
  const isLimited = inRange({ before: longSlugsSince }, release);
  if (slug.length <= longestSlug || isLimited === false) return undefined;
  const from = `Releases since ${longSlugsSince} accept a longer slug.`;
  return {
    code: 'invalid-length',
    summary: `\`slug\` is longer than ${longestSlug} characters`,
    detail: isLimited === 'perhaps' ? `${from} ${howToSetRelease}` : from,
  };
}

const reservedSlugs = new Set(['authorize', 'token', 'device', 'userinfo', 'introspect', 'revoke']);

function reservedSlugProblem(slug: string, release: Release | undefined): Problem | undefined {
  if (!reservedSlugs.has(slug)) return undefined;
  return releaseProblemFor(
    { from: '2025.8' },
    release,
    'refuse this slug',
    'These releases use this slug in their own URLs. Choose another slug.',
  );
}

/** A look-up of this slug returns a list, which does not show whether the application exists. */
function ambiguousSlugProblem(slug: string, release: Release | undefined): Problem | undefined {
  if (slug !== 'requestable') return undefined;
  return releaseProblemFor(
    { from: '2026.8' },
    release,
    'return a list instead of the application with this slug',
    'Choose another.',
  );
}

/** In releases before 2026.5, an application with the launch URL `blank://blank` is hidden. */
function hiddenUrlProblem(url: string, release: Release | undefined): Problem | undefined {
  if (url !== 'blank://blank' || inRange({ from: metaHideSince }, release) !== true) return undefined;
  return {
    code: 'superseded',
    severity: 'warning',
    summary: `since release ${metaHideSince}, \`meta_hide\` hides an application`,
    detail:
      'An upgrade to such a release replaces this URL by `meta_hide: true`, and the manifest then differs from the service. Write `meta_hide: true`, and leave out the URL.',
  };
}
