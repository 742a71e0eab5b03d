import { byPlace, diagnosticFor, type Diagnostic } from '../diagnostic.ts';
import type { Manifest } from '../generated/manifest.ts';
import type { Resource } from '../resource.ts';
import type { SourceFile } from '../source.ts';
import { checkSchema } from './check-schema.ts';
import { desiredResources } from './desired.ts';
import type { Files } from '../files.ts';
import { findManifests } from './find-manifests.ts';
import { parseYaml } from './parse-yaml.ts';
import { readManifest } from './read-manifest.ts';
import { duplicateResource } from './rules/duplicate-resource.ts';
import { sharedBackchannelProvider } from './rules/shared-backchannel-provider.ts';
import { sharedProvider } from './rules/shared-provider.ts';
import { trimManifest } from './trim.ts';

export interface LoadedManifests {
  /** What the valid files declare, in the order of the files. Complete only when no diagnostic is an error. */
  readonly resources: readonly Resource[];
  /** Every problem of every file, by place. */
  readonly diagnostics: readonly Diagnostic[];
}

const rules = [duplicateResource, sharedProvider, sharedBackchannelProvider];

/** The manifest stage: paths → files → YAML → schema → desired resources → rules over all of them. */
export async function loadManifests(paths: readonly string[], files: Files): Promise<LoadedManifests> {
  const found = await findManifests(paths, files);
  const diagnostics = [...found.diagnostics];
  const resources: Resource[] = [];
  for (const filename of found.filenames) {
    const file = await readManifest(filename, files);
    if ('code' in file) {
      diagnostics.push(file);
      continue;
    }
    const understood = understand(file);
    for (const resource of understood.resources) resources.push(resource);
    for (const diagnostic of understood.diagnostics) diagnostics.push(diagnostic);
  }
  for (const rule of rules) for (const diagnostic of rule(resources)) diagnostics.push(diagnostic);
  return { resources, diagnostics: diagnostics.toSorted(byPlace) };
}

function understand(file: SourceFile): LoadedManifests {
  const parsed = parseYaml(file);
  if (Array.isArray(parsed)) return { resources: [], diagnostics: parsed };
  if (parsed.value === null) {
    const detail = 'A manifest begins with `version: 1` and declares `applications`, `users`, or both.';
    const empty = diagnosticFor(file.filename, {
      code: 'empty-file',
      summary: 'this file declares nothing',
      detail,
    });
    return { resources: [], diagnostics: [empty] };
  }
  const manifest = trimManifest(parsed.value);
  const diagnostics = checkSchema('manifest', manifest, parsed.places, file);
  if (diagnostics.length > 0) return { resources: [], diagnostics };
  // What satisfies the schema is a Manifest: the type is generated from it.
  return { resources: desiredResources(manifest as unknown as Manifest, parsed.places, file), diagnostics };
}
