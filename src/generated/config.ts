// Generated from schemas/config.schema.json by `npm run generate`. Do not edit.
import type {JsonObject} from '../base/json.ts';

/**
 * The files, folders and globs that a command without a PATH reads; taken from the folder of this file, and below it.
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
   * The environment variables that manifests may refer to as ${env:NAME}; * stands for any text. Without this, all of them.
   */
  allow_env?: string[];
  /**
   * The files that manifests may refer to as ${file:PATH}, and the folders in which such files lie; taken from the folder of this file. Without this, all of them.
   */
  allow_files?: string[];
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
