// Generated from schemas/sandbox-seed.schema.json by `npm run generate`. Do not edit.
import type {JsonObject} from '../base/json.ts';

/**
 * What the sandbox holds when it starts. What is left out is the sandbox's own default.
 */
export interface SandboxSeed {
  /**
   * The providers that applications can name.
   */
  providers?: SeedProvider[];
  /**
   * The groups that users can be members of.
   */
  groups?: SeedGroup[];
  /**
   * The access tokens that the sandbox takes, beside the one that it makes known itself.
   */
  tokens?: SeedToken[];
  /**
   * Applications that exist already, as create requests.
   */
  applications?: JsonObject[];
  /**
   * Users that exist already, as create requests.
   */
  users?: JsonObject[];
}
export interface SeedProvider {
  /**
   * The id by which manifests name the provider.
   */
  pk: number;
  /**
   * The display name.
   */
  name: string;
  /**
   * The id of the authorization flow.
   */
  authorization_flow?: string;
}
export interface SeedGroup {
  /**
   * The id by which manifests name the group.
   */
  pk: string;
  /**
   * The group's numeric id.
   */
  num_pk?: number;
  /**
   * The display name.
   */
  name: string;
}
export interface SeedToken {
  /**
   * The token itself.
   */
  token: string;
  /**
   * Whose token it is.
   */
  username?: string;
  /**
   * All applications, none, or a list of the slugs that the token may view. All when left out.
   */
  view_applications?: ('all' | 'none') | string[];
  /**
   * Whether the token may create applications. True when left out.
   */
  add_applications?: boolean;
  /**
   * Whether the token may create users. True when left out.
   */
  add_users?: boolean;
}
