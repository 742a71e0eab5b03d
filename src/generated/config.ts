// Generated from schemas/config.schema.json by `npm run generate`. Do not edit.
import type {JsonObject} from '../json.ts';

/**
 * The files, folders and globs that a command without a PATH reads; taken from the folder of this file.
 *
 * @minItems 1
 */
export type Manifests = [string, ...string[]];
/**
 * The variables that manifests refer to as ${var:NAME}. They keep their YAML types.
 */
export type Vars = JsonObject;
/**
 * How many requests are under way at a time, at the most.
 */
export type Concurrency = number;

/**
 * rollcall.yaml: where the manifests are, and the services that they are for.
 */
export interface Config {
  /**
   * The version of the format of this file. Always 1.
   */
  version: 1;
  manifests?: Manifests;
  vars?: Vars;
  concurrency?: Concurrency;
  /**
   * The environments by name; --env or ROLLCALL_ENV chooses one.
   */
  environments?: {
    [k: string]: ConfigEnvironment;
  };
}
/**
 * One service, and what is different about it. What stands here beats what stands at the top of the file.
 */
export interface ConfigEnvironment {
  /**
   * The base URL of the service, such as https://id.example.com.
   */
  url?: string;
  /**
   * The environment variable that holds the access token.
   */
  token_env?: string;
  /**
   * The file that holds the access token; its path is taken from the folder of this file.
   */
  token_file?: string;
  manifests?: Manifests;
  vars?: Vars;
  concurrency?: Concurrency;
}

export const schema: JsonObject = {"$schema":"http://json-schema.org/draft-07/schema#","title":"Config","description":"rollcall.yaml: where the manifests are, and the services that they are for.","type":"object","additionalProperties":false,"required":["version"],"properties":{"version":{"description":"The version of the format of this file. Always 1.","const":1},"manifests":{"$ref":"#/definitions/manifests"},"vars":{"$ref":"#/definitions/vars"},"concurrency":{"$ref":"#/definitions/concurrency"},"environments":{"description":"The environments by name; --env or ROLLCALL_ENV chooses one.","type":"object","additionalProperties":{"$ref":"#/definitions/environment"}}},"definitions":{"environment":{"title":"ConfigEnvironment","description":"One service, and what is different about it. What stands here beats what stands at the top of the file.","type":"object","additionalProperties":false,"properties":{"url":{"description":"The base URL of the service, such as https://id.example.com.","type":"string","minLength":1},"token_env":{"description":"The environment variable that holds the access token.","type":"string","pattern":"^[A-Za-z_][A-Za-z0-9_]*$"},"token_file":{"description":"The file that holds the access token; its path is taken from the folder of this file.","type":"string","minLength":1},"manifests":{"$ref":"#/definitions/manifests"},"vars":{"$ref":"#/definitions/vars"},"concurrency":{"$ref":"#/definitions/concurrency"}}},"manifests":{"description":"The files, folders and globs that a command without a PATH reads; taken from the folder of this file.","type":"array","minItems":1,"items":{"type":"string","minLength":1}},"vars":{"description":"The variables that manifests refer to as ${var:NAME}. They keep their YAML types.","type":"object","additionalProperties":true},"concurrency":{"description":"How many requests are under way at a time, at the most.","type":"integer","minimum":1,"maximum":1000}}};
