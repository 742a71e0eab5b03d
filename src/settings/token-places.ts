import { isJsonObject, type JsonValue } from '../base/json.ts';
import { beside } from './beside.ts';

/** Where rollcall.yaml has the tokens of its environments, of all of them: the manifests of one may not send that of another. */
export interface TokenPlaces {
  readonly variables: readonly string[];
  readonly files: readonly string[];
}

export const noTokenPlaces: TokenPlaces = { variables: [], files: [] };

/** Read as leniently as can be: what is wrong elsewhere in the file opens no token. */
export function tokenPlaces(config: JsonValue, filename: string): TokenPlaces {
  const environments = isJsonObject(config) ? config['environments'] : undefined;
  const all = isJsonObject(environments) ? Object.values(environments) : [];
  const named = (field: string): string[] =>
    all.flatMap((environment) => {
      const name = isJsonObject(environment) ? environment[field] : undefined;
      return typeof name === 'string' ? name : [];
    });
  return {
    variables: named('token_env'),
    files: named('token_file').map((path) => beside(filename, path)),
  };
}
