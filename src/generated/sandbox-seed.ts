// Generated from schemas/sandbox-seed.schema.json by `npm run generate`. Do not edit.
import type {JsonObject} from '../json.ts';

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

export const schema: JsonObject = {"$schema":"http://json-schema.org/draft-07/schema#","title":"SandboxSeed","description":"What the sandbox holds when it starts. What is left out is the sandbox's own default.","type":"object","additionalProperties":false,"properties":{"providers":{"description":"The providers that applications can name.","type":"array","items":{"$ref":"#/definitions/provider"}},"groups":{"description":"The groups that users can be members of.","type":"array","items":{"$ref":"#/definitions/group"}},"tokens":{"description":"The access tokens that the sandbox takes, beside the one that it makes known itself.","type":"array","items":{"$ref":"#/definitions/token"}},"applications":{"description":"Applications that exist already, as create requests.","type":"array","items":{"type":"object"}},"users":{"description":"Users that exist already, as create requests.","type":"array","items":{"type":"object"}}},"definitions":{"provider":{"title":"SeedProvider","type":"object","additionalProperties":false,"required":["pk","name"],"properties":{"pk":{"description":"The id by which manifests name the provider.","type":"integer"},"name":{"description":"The display name.","type":"string","minLength":1},"authorization_flow":{"description":"The id of the authorization flow.","type":"string","format":"uuid"}}},"group":{"title":"SeedGroup","type":"object","additionalProperties":false,"required":["pk","name"],"properties":{"pk":{"description":"The id by which manifests name the group.","type":"string","format":"uuid"},"num_pk":{"description":"The group's numeric id.","type":"integer"},"name":{"description":"The display name.","type":"string","minLength":1}}},"token":{"title":"SeedToken","type":"object","additionalProperties":false,"required":["token"],"properties":{"token":{"description":"The token itself.","type":"string","minLength":1},"username":{"description":"Whose token it is.","type":"string","minLength":1},"view_applications":{"description":"All applications, none, or a list of the slugs that the token may view. All when left out.","anyOf":[{"enum":["all","none"]},{"type":"array","items":{"type":"string"}}]},"add_applications":{"description":"Whether the token may create applications. True when left out.","type":"boolean"},"add_users":{"description":"Whether the token may create users. True when left out.","type":"boolean"}}}}};
