import type { Problem } from '../base/diagnostic.ts';
import { isJsonList, isJsonObject, type JsonValue } from '../base/json.ts';

/** What a file is that somebody named as a manifest, where it is known to be something else. */
export function noManifest(filename: string, value: JsonValue | undefined): Problem | undefined {
  if (/\.tf(?:vars)?$/.test(filename)) return notAManifest('a file of Terraform', ownManifests);
  if (value === undefined || !isJsonObject(value)) return undefined;
  if ('terraform_version' in value) return notAManifest('a plan or a state of Terraform', ownManifests);
  if (isJsonList(value['resource_changes']) && 'format_version' in value) {
    return 'saved' in value
      ? notAManifest('a saved plan', 'To apply it, use --plan: rollcall apply --plan FILE')
      : notAManifest(
          'a plan to be read',
          'Save one that can be applied with `rollcall plan --out FILE`, and apply it with --plan.',
        );
  }
  if (isJsonList(value['entries'])) {
    return notAManifest('a blueprint of the service', `The service applies it itself. ${ownManifests}`);
  }
  return undefined;
}

const ownManifests = 'rollcall reads its own YAML: `rollcall init` writes a first file of it.';

function notAManifest(what: string, detail: string): Problem {
  return { code: 'not-a-manifest', summary: `this is ${what}, not a manifest`, detail };
}
