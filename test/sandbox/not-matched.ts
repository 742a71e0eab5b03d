import type { Recording, Release } from '../support/recordings.ts';

/** What an answer of a release says differently throughout, which the sandbox does not imitate. */
interface Differences {
  /** The content type of JSON. */
  readonly json: string;
  /** The names of fields that only one of the two has, or that hold something else, at any depth. */
  readonly fields: readonly string[];
  /** The names of fields that the release no longer has. */
  readonly gone: readonly string[];
  /** What the release says, and what the sandbox says for it. */
  readonly texts: readonly (readonly [newer: string, older: string])[];
}

const fromLate2025: Omit<Differences, 'json'> = {
  fields: [
    // The icon of an application can be set; it was null, and is an empty text.
    'meta_icon',
    'meta_icon_url',
    'meta_icon_themed_urls',
    // A provider has one flow more, and a main provider tells of its backchannel application.
    'invalidation_flow',
    'assigned_backchannel_application_slug',
    'assigned_backchannel_application_name',
    // A user has roles and more times.
    'roles',
    'roles_obj',
    'date_joined',
    'last_updated',
    'password_change_date',
  ],
  gone: ['parent', 'cache_timeout_reputation'],
  texts: [
    ['No Application matches the given query.', 'Not found.'],
    [
      'Enter a valid “slug” consisting of letters, numbers, underscores or hyphens.',
      'Enter a valid "slug" consisting of letters, numbers, underscores or hyphens.',
    ],
  ],
};

export const differences: Readonly<Record<Release, Differences>> = {
  '2023.10': { json: 'application/json', fields: [], gone: [], texts: [] },
  '2025.12': { json: 'application/json; charset=utf-8', ...fromLate2025 },
  '2026.2': { json: 'application/json', ...fromLate2025 },
};

/** Whether an exchange is of what the sandbox serves at all. */
export function isServed(release: Release, { request: { method, path } }: Recording): boolean {
  if (release !== '2023.10' && (/PATCH|DELETE/.test(method) || (method === 'GET' && path.includes('?'))))
    return false;
  if (release !== '2023.10' && path.includes('/admin/version/')) return false;
  return !/^\/api\/v3\/(core\/(tenants|brands)\/current|schema|core\/users\/paths|providers\/oauth2)\//.test(
    path,
  );
}

const longSlug = 'the slug has no limit from 2025.12 on';
const lostScheme = 'the recording does not show the scheme that was sent';
const anonymous = 'from 2025.12 on nobody may see it, where before nobody was let in';
const otherParser = 'another parser of JSON, from 2024.8 on';
const roles = 'users have roles from 2025.12 on';
const atOnce = 'the two were sent at once, and the sandbox serves one after the other';

/** Both later releases. */
const fromLate2025Exchanges: Readonly<Record<string, string>> = {
  'create-application: slug too long': longSlug,
  'create-application: slug of 300 characters': longSlug,
  'create-application: reserved slug': 'slugs are reserved from 2025.8 on',
  'create-application: provider beyond 64 bits': otherParser,
  'create-application: with a bad icon': 'icons can be set from 2025.12 on',
  'create-application: a lone surrogate in the description': otherParser,
  'create-application: malformed JSON': otherParser,
  'create-application: two at once, the one': atOnce,
  'create-application: two at once, the other': atOnce,
  'create-user: with an unknown role': roles,
  'create-user: a lone surrogate in the attributes': otherParser,
  'create-user: a number beyond double in the attributes': otherParser,
  'retrieve-application: no token': anonymous,
  'retrieve-application: a scheme other than Bearer': lostScheme,
  'permissions: anonymous: an application that exists': anonymous,
  'permissions: anonymous: the application that one may view': anonymous,
  'permissions: anonymous: an application that does not exist': anonymous,
  'permissions: anonymous: retrieve what it created': anonymous,
};

/** The exchanges that the sandbox, which imitates 2023.10, does not answer as they were recorded; and why. */
export const notMatched: Readonly<Record<Release, Readonly<Record<string, string>>>> = {
  '2023.10': {
    'names: provider application__isnull': 'the sandbox does not know this filter',
    'list-applications: token view-app: count of all, superuser_full_list':
      'two applications of one name came the other way round',
  },
  '2025.12': fromLate2025Exchanges,
  '2026.2': fromLate2025Exchanges,
};
