import type { JsonValue } from '../base/json.ts';
import { dateTime } from './date-time.ts';
import { isEmailAddress } from './email-address.ts';
import { choice, flag, mapping, nullable, text, wrong, type Field, type Reading } from './fields.ts';
import { isLaunchUrl } from './launch-url.ts';
import { groupId, orEmpty, providerId, setOf } from './related.ts';

type Fields = Readonly<Record<string, Field>>;

/** The fields of a request for an application, given what is there already. */
export function applicationFields(there: {
  readonly slugTaken: (slug: string) => boolean;
  readonly providerExists: (pk: number) => boolean;
  readonly providerTaken: (pk: JsonValue) => boolean;
}): Fields {
  const takenSlug = (slug: string): string | undefined =>
    there.slugTaken(slug) ? 'Application with this slug already exists.' : undefined;
  const provider = providerId(there.providerExists);
  const freeProvider = (value: JsonValue): Reading => {
    const result = provider(value);
    return 'value' in result && there.providerTaken(result.value)
      ? wrong('Application with this provider already exists.')
      : result;
  };
  return {
    name: { read: text() },
    slug: { read: text({ first: takenSlug, maxLength: 50, last: badSlug }) },
    provider: { read: orEmpty(nullable(freeProvider)), default: null },
    backchannel_providers: { read: setOf(provider), default: [] },
    open_in_new_tab: { read: flag, default: false },
    meta_launch_url: { read: text({ blank: true, first: badUrl }), default: '' },
    meta_description: { read: text({ blank: true }), default: '' },
    meta_publisher: { read: text({ blank: true }), default: '' },
    policy_engine_mode: { read: choice('all', 'any'), default: 'any' },
    group: { read: text({ blank: true }), default: '' },
  };
}

/** The fields of a request for a user, given what is there already. */
export function userFields(there: {
  readonly usernameTaken: (username: string) => boolean;
  readonly groupExists: (pk: string) => boolean;
}): Fields {
  const takenUsername = (username: string): string | undefined =>
    there.usernameTaken(username) ? 'This field must be unique.' : undefined;
  return {
    username: { read: text({ first: takenUsername, maxLength: 150 }) },
    name: { read: text({ blank: true }) },
    is_active: { read: flag, default: true },
    last_login: { read: dateTime, default: null },
    groups: { read: setOf(groupId(there.groupExists)), default: [] },
    email: { read: text({ blank: true, maxLength: 254, last: badEmail }), default: '' },
    attributes: { read: mapping, default: {} },
    path: { read: text({ afterwards: badPath }), default: 'users' },
    type: { read: userType, default: 'internal' },
  };
}

const slugForm = /^[-a-zA-Z0-9_]+$/;

function badSlug(slug: string): string | undefined {
  if (slugForm.test(slug)) return undefined;
  return 'Enter a valid "slug" consisting of letters, numbers, underscores or hyphens.';
}

function badUrl(url: string): string | undefined {
  return isLaunchUrl(url) ? undefined : 'Enter a valid URL.';
}

function badEmail(email: string): string | undefined {
  return isEmailAddress(email) ? undefined : 'Enter a valid email address.';
}

function badPath(path: string): string | undefined {
  if (path.startsWith('/') || path.endsWith('/')) return 'No leading or trailing slashes allowed.';
  return path.includes('//') ? 'No empty segments in user path allowed.' : undefined;
}

const anyUserType = choice('internal', 'external', 'service_account', 'internal_service_account');

function userType(value: JsonValue): Reading {
  return value === 'internal_service_account'
    ? wrong('Setting a user to internal service account is not allowed.')
    : anyUserType(value);
}

/** The service's database takes neither a NUL nor a lone surrogate inside attributes, and the service does not look. */
export function isUnstorable(value: JsonValue): boolean {
  if (typeof value === 'string') return /\0|\p{Surrogate}/u.test(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, item]) => isUnstorable(key) || isUnstorable(item));
}
