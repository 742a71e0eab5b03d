import type { Manifest } from '../generated/manifest.ts';
import { addressOf, type Resource } from '../resource.ts';
import type { SourceFile, Span } from '../source.ts';
import type { Places } from './parse-yaml.ts';

/** The resources that a valid manifest declares, each with the defaults of its file filled in. */
export function desiredResources(manifest: Manifest, places: Places, file: SourceFile): Resource[] {
  const applications = (manifest.applications ?? []).map((entry, index): Resource => {
    const path = ['applications', index];
    const { fields, fieldSpans } = withDefaults(
      entry,
      manifest.defaults?.application,
      path,
      'application',
      places,
    );
    const name = entry.slug;
    return {
      type: 'application',
      name,
      address: addressOf('application', name),
      fields,
      file,
      span: places.ofValue(path),
      fieldSpans,
    };
  });
  const users = (manifest.users ?? []).map((entry, index): Resource => {
    const path = ['users', index];
    const { fields, fieldSpans } = withDefaults(entry, manifest.defaults?.user, path, 'user', places);
    const name = entry.username;
    return {
      type: 'user',
      name,
      address: addressOf('user', name),
      fields,
      file,
      span: places.ofValue(path),
      fieldSpans,
    };
  });
  return [...applications, ...users];
}

function withDefaults<Entry extends object>(
  entry: Entry,
  defaults: Partial<Entry> | undefined,
  path: readonly (string | number)[],
  type: 'application' | 'user',
  places: Places,
): { fields: Entry; fieldSpans: Record<string, Span> } {
  const fields: Entry = { ...entry, ...defaults, ...entry }; // the entry's order first, and its values last
  const fieldSpans: Record<string, Span> = {};
  for (const field of Object.keys(fields)) {
    fieldSpans[field] = places.ofValue(
      Object.hasOwn(entry, field) ? [...path, field] : ['defaults', type, field],
    );
  }
  return { fields, fieldSpans };
}
