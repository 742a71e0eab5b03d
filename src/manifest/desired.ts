import type { Manifest } from '../generated/manifest.ts';
import { addressOf, type Address, type Resource, type ResourceType } from '../resource.ts';
import type { SourceFile, Span } from '../source.ts';
import type { Places } from './parse-yaml.ts';

/** The resources that a valid manifest declares, each with the defaults of its file filled in. */
export function desiredResources(manifest: Manifest, places: Places, file: SourceFile): Resource[] {
  const applications = (manifest.applications ?? []).map((entry, index): Resource => {
    const path = ['applications', index];
    const declared = withDefaults(entry, manifest.defaults?.application, path, 'application', places);
    return { type: 'application', ...named('application', entry.slug), ...declared, file };
  });
  const users = (manifest.users ?? []).map((entry, index): Resource => {
    const path = ['users', index];
    const declared = withDefaults(entry, manifest.defaults?.user, path, 'user', places);
    return { type: 'user', ...named('user', entry.username), ...declared, file };
  });
  return [...applications, ...users];
}

function named(type: ResourceType, name: string): { name: string; address: Address } {
  return { name, address: addressOf(type, name) };
}

function withDefaults<Entry extends object>(
  entry: Entry,
  defaults: Partial<Entry> | undefined,
  path: readonly (string | number)[],
  type: ResourceType,
  places: Places,
): { fields: Entry; span: Span; fieldSpans: Record<string, Span> } {
  const fields: Entry = { ...entry, ...defaults, ...entry }; // the entry's order first, and its values last
  const fieldSpans: Record<string, Span> = {};
  for (const field of Object.keys(fields)) {
    fieldSpans[field] = places.ofValue(
      Object.hasOwn(entry, field) ? [...path, field] : ['defaults', type, field],
    );
  }
  return { fields, span: places.ofValue(path), fieldSpans };
}
