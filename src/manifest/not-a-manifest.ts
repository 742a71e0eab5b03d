import type { Problem } from '../base/diagnostic.ts';
import { isJsonList, isJsonObject } from '../base/json.ts';
import type { ParsedYaml } from '../yaml/places.ts';

/** Why the file is not a manifest, if it is empty or another known kind of document. */
export function notAManifestReason(
  filename: string,
  { value, diagnostics }: ParsedYaml,
): Problem | undefined {
  if (/\.tf(?:vars)?$/.test(filename)) return notAManifest('a file of Terraform', ownFormatHint);
  if (value === null && diagnostics.length === 0) return emptyFile;
  if (value === undefined || !isJsonObject(value)) return undefined;
  if ('terraform_version' in value) return notAManifest('a plan or a state of Terraform', ownFormatHint);
  if (isJsonList(value['resource_changes']) && 'format_version' in value)
    return notAManifest(
      'a plan',
      'To apply it, name the file and its manifests: rollcall apply --plan FILE MANIFESTS',
    );
  if (!isJsonList(value['entries'])) return undefined;
  return notAManifest(
    'a blueprint of the service',
    `The service itself applies blueprints. ${ownFormatHint}`,
  );
}

const ownFormatHint = 'rollcall reads its own YAML: `rollcall init` writes a first manifest.';

function notAManifest(content: string, detail: string): Problem {
  return { code: 'not-a-manifest', summary: `this is ${content}, not a manifest`, detail };
}

const emptyFile: Problem = {
  code: 'empty-file',
  summary: 'this file declares nothing',
  detail:
    'A manifest begins with `version: 1` and has lists such as `applications` or `users`: see `rollcall help reference`.',
};
