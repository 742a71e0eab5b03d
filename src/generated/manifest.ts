// Generated from schemas/manifest.schema.json by `npm run generate`. Do not edit.
import type {JsonObject} from '../json.ts';

/**
 * The ids of the backchannel providers, in any order. A backchannel provider serves one application: giving it to a second one silently takes it from the first.
 *
 * Items: The id of a backchannel provider: a number, not its name.
 */
export type BackchannelProviders = number[];
/**
 * The ids (UUIDs) of the groups that the user is a member of, in any order.
 *
 * Items: The id of a group: a UUID, not its name.
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
   * The users to have. The service does not let users be read, so each is created if it is absent and never changed.
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
   * The time of the last login, as an ISO 8601 date-time with an offset, such as 2024-05-01T10:00:00+02:00.
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
   * The application's internal name, used in URLs and as its identity: `wiki` and `Wiki` are two applications. Letters, digits, `-` and `_`; at most 50 characters.
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
   * The time of the last login, as an ISO 8601 date-time with an offset, such as 2024-05-01T10:00:00+02:00.
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

export const schema: JsonObject = {"$schema":"http://json-schema.org/draft-07/schema#","title":"Manifest","description":"A rollcall manifest: the applications and users that an identity service should have.","type":"object","additionalProperties":false,"required":["version"],"properties":{"version":{"description":"The version of the manifest format. Always 1.","const":1},"defaults":{"description":"Values for the fields that an entry of this file leaves out. An entry's own value replaces the default whole; lists and attributes are not merged.","type":"object","additionalProperties":false,"properties":{"application":{"$ref":"#/definitions/applicationDefaults"},"user":{"$ref":"#/definitions/userDefaults"}}},"applications":{"description":"The applications to have. One that the service lacks is created; one that it has is compared and left as it is.","type":"array","items":{"$ref":"#/definitions/application"}},"users":{"description":"The users to have. The service does not let users be read, so each is created if it is absent and never changed.","type":"array","items":{"$ref":"#/definitions/user"}}},"definitions":{"application":{"title":"Application","description":"One application. A field that is left out is not managed: the service chooses its value, and rollcall does not compare it.","type":"object","additionalProperties":false,"required":["slug","name"],"properties":{"slug":{"description":"The application's internal name, used in URLs and as its identity: `wiki` and `Wiki` are two applications. Letters, digits, `-` and `_`; at most 50 characters.","type":"string","minLength":1,"maxLength":50,"pattern":"^[-a-zA-Z0-9_]+$"},"name":{"description":"The display name. Not empty.","type":"string","minLength":1,"pattern":"\\S"},"provider":{"description":"The id of the main provider, or null for none. A provider is the main provider of one application only.","type":["integer","null"]},"backchannel_providers":{"description":"The ids of the backchannel providers, in any order. A backchannel provider serves one application: giving it to a second one silently takes it from the first.","type":"array","items":{"description":"The id of a backchannel provider: a number, not its name.","type":"integer"}},"open_in_new_tab":{"description":"Whether the launch URL opens in a new browser tab or window. The service's default is false.","type":"boolean"},"meta_launch_url":{"description":"The URL that starts the application, with its scheme, or an empty string for none. May hold templates such as `%(username)s`.","type":"string","pattern":"^$|^[A-Za-z][-A-Za-z0-9+.]*:\\S+$"},"meta_description":{"description":"A description for people. Free text.","type":"string"},"meta_publisher":{"description":"Who publishes the application. Free text.","type":"string"},"policy_engine_mode":{"description":"Whether `all` of the bound policies must pass to grant access, or `any` one of them. The service's default is any.","type":"string","enum":["all","any"]},"group":{"description":"The label under which applications are shown together. Free text.","type":"string"}}},"user":{"title":"User","description":"One user. A field that is left out is not managed: the service chooses its value.","type":"object","additionalProperties":false,"required":["username"],"properties":{"username":{"description":"The user's identity: `alice` and `Alice` are two users. Not empty; at most 150 characters.","type":"string","minLength":1,"maxLength":150},"name":{"description":"The display name. May be an empty string.","type":"string"},"is_active":{"description":"Whether the account is active. Set it to false to disable an account instead of deleting it. The service's default is true.","type":"boolean"},"last_login":{"description":"The time of the last login, as an ISO 8601 date-time with an offset, such as 2024-05-01T10:00:00+02:00.","type":"string","format":"date-time"},"groups":{"description":"The ids (UUIDs) of the groups that the user is a member of, in any order.","type":"array","items":{"description":"The id of a group: a UUID, not its name.","type":"string","format":"uuid","pattern":"^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$"}},"email":{"description":"The e-mail address, or an empty string for none. At most 254 characters.","type":"string","maxLength":254},"attributes":{"description":"Free-form keys and values that are kept with the user.","type":"object","additionalProperties":true},"path":{"description":"The folder of the user, such as `staff/engineering`. Not empty. The service's default is users.","type":"string","minLength":1},"type":{"description":"What kind of user this is. The service's default is internal.","type":"string","enum":["internal","external","service_account","internal_service_account"]}}},"applicationDefaults":{"title":"ApplicationDefaults","description":"Values for the fields that an application of this file leaves out.","type":"object","additionalProperties":false,"properties":{"provider":{"$ref":"#/definitions/application/properties/provider"},"backchannel_providers":{"$ref":"#/definitions/application/properties/backchannel_providers"},"open_in_new_tab":{"$ref":"#/definitions/application/properties/open_in_new_tab"},"meta_launch_url":{"$ref":"#/definitions/application/properties/meta_launch_url"},"meta_description":{"$ref":"#/definitions/application/properties/meta_description"},"meta_publisher":{"$ref":"#/definitions/application/properties/meta_publisher"},"policy_engine_mode":{"$ref":"#/definitions/application/properties/policy_engine_mode"},"group":{"$ref":"#/definitions/application/properties/group"}}},"userDefaults":{"title":"UserDefaults","description":"Values for the fields that a user of this file leaves out.","type":"object","additionalProperties":false,"properties":{"is_active":{"$ref":"#/definitions/user/properties/is_active"},"last_login":{"$ref":"#/definitions/user/properties/last_login"},"groups":{"$ref":"#/definitions/user/properties/groups"},"email":{"$ref":"#/definitions/user/properties/email"},"attributes":{"$ref":"#/definitions/user/properties/attributes"},"path":{"$ref":"#/definitions/user/properties/path"},"type":{"$ref":"#/definitions/user/properties/type"}}}},"anyOf":[{"required":["applications"]},{"required":["users"]}]};
