// Generated from schemas/manifest.schema.json by `npm run generate`. Do not edit.
import type {JsonObject} from '../base/json.ts';

/**
 * The ids of the backchannel providers, in any order. A backchannel provider serves one application: giving it to a second one silently takes it from the first.
 *
 * Items: The id of a backchannel provider: a number, not its name.
 */
export type BackchannelProviders = number[];
/**
 * The ids (UUIDs) of the groups that the user is a member of, in any order.
 *
 * Items: The id of a group: a UUID, with or without its dashes, not the name of the group.
 */
export type Groups = string[];

/**
 * A rollcall manifest: the applications and users that an identity service should have.
 */
export interface Manifest {
  /**
   * The version of the manifest format. Always 1.
   */
  version: 1;
  /**
   * Values for the fields that an entry of this file leaves out. An entry's own value replaces the default whole; lists and attributes are not merged.
   */
  defaults?: {
    application?: ApplicationDefaults;
    user?: UserDefaults;
  };
  /**
   * The applications to have. One that the service lacks is created; one that it has is compared and left as it is.
   */
  applications?: Application[];
  /**
   * The users to have. rollcall does not read users, so each is created if it is absent and never changed.
   */
  users?: User[];
}
/**
 * Values for the fields that an application of this file leaves out.
 */
export interface ApplicationDefaults {
  /**
   * The id of the main provider, or null for none. A provider is the main provider of one application only.
   */
  provider?: number | null;
  backchannel_providers?: BackchannelProviders;
  /**
   * Whether the launch URL opens in a new browser tab or window. The service's default is false.
   */
  open_in_new_tab?: boolean;
  /**
   * The URL that starts the application, with its scheme, or an empty string for none. May hold templates such as `%(username)s`.
   */
  meta_launch_url?: string;
  /**
   * A description for people. Free text.
   */
  meta_description?: string;
  /**
   * Who publishes the application. Free text.
   */
  meta_publisher?: string;
  /**
   * Whether `all` of the bound policies must pass to grant access, or `any` one of them. The service's default is any.
   */
  policy_engine_mode?: 'all' | 'any';
  /**
   * The label under which applications are shown together. Free text.
   */
  group?: string;
}
/**
 * Values for the fields that a user of this file leaves out.
 */
export interface UserDefaults {
  /**
   * Whether the account is active. Set it to false to disable an account instead of deleting it. The service's default is true.
   */
  is_active?: boolean;
  /**
   * The time of the last login, as an ISO 8601 date-time with its offset from UTC, such as 2024-05-01T10:00:00+02:00.
   */
  last_login?: string;
  groups?: Groups;
  /**
   * The e-mail address, or an empty string for none. At most 254 characters.
   */
  email?: string;
  /**
   * Free-form keys and values that are kept with the user.
   */
  attributes?: JsonObject;
  /**
   * The folder of the user, such as `staff/engineering`. Not empty. The service's default is users.
   */
  path?: string;
  /**
   * What kind of user this is. The service's default is internal.
   */
  type?: 'internal' | 'external' | 'service_account' | 'internal_service_account';
}
/**
 * One application. A field that is left out is not managed: the service chooses its value, and rollcall does not compare it.
 */
export interface Application {
  /**
   * The application's internal name, used in URLs and as its identity: `wiki` and `Wiki` are two applications. Letters, digits, `-` and `_`; at most 50 characters, although the service takes longer ones from release 2025.12 on.
   */
  slug: string;
  /**
   * The display name. Not empty.
   */
  name: string;
  /**
   * The id of the main provider, or null for none. A provider is the main provider of one application only.
   */
  provider?: number | null;
  backchannel_providers?: BackchannelProviders;
  /**
   * Whether the launch URL opens in a new browser tab or window. The service's default is false.
   */
  open_in_new_tab?: boolean;
  /**
   * The URL that starts the application, with its scheme, or an empty string for none. May hold templates such as `%(username)s`.
   */
  meta_launch_url?: string;
  /**
   * A description for people. Free text.
   */
  meta_description?: string;
  /**
   * Who publishes the application. Free text.
   */
  meta_publisher?: string;
  /**
   * Whether `all` of the bound policies must pass to grant access, or `any` one of them. The service's default is any.
   */
  policy_engine_mode?: 'all' | 'any';
  /**
   * The label under which applications are shown together. Free text.
   */
  group?: string;
}
/**
 * One user. A field that is left out is not managed: the service chooses its value.
 */
export interface User {
  /**
   * The user's identity: `alice` and `Alice` are two users. Not empty; at most 150 characters.
   */
  username: string;
  /**
   * The display name. May be an empty string.
   */
  name?: string;
  /**
   * Whether the account is active. Set it to false to disable an account instead of deleting it. The service's default is true.
   */
  is_active?: boolean;
  /**
   * The time of the last login, as an ISO 8601 date-time with its offset from UTC, such as 2024-05-01T10:00:00+02:00.
   */
  last_login?: string;
  groups?: Groups;
  /**
   * The e-mail address, or an empty string for none. At most 254 characters.
   */
  email?: string;
  /**
   * Free-form keys and values that are kept with the user.
   */
  attributes?: JsonObject;
  /**
   * The folder of the user, such as `staff/engineering`. Not empty. The service's default is users.
   */
  path?: string;
  /**
   * What kind of user this is. The service's default is internal.
   */
  type?: 'internal' | 'external' | 'service_account' | 'internal_service_account';
}
