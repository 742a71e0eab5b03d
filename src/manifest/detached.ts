import { linesOf, type SourceFile } from '../base/source.ts';
import type { Resource } from '../kinds/resource.ts';

/**
 * Resources of a file without the text of the file, but for the lines that they stand on. A part of a long text keeps all of it
 * in memory, so their texts are copied.
 */
export function detached(resources: readonly Resource[], file: SourceFile): Resource[] {
  const spans = resources.flatMap(({ origin }) =>
    origin.kind === 'manifest'
      ? [origin.entry, ...Object.values(origin.fields), ...Object.values(origin.items ?? {}).flat()]
      : [],
  );
  const lines = structuredClone(linesOf(file, spans));
  return resources.map(({ kind, secrets, origin, ...texts }) => ({
    ...structuredClone(texts),
    kind,
    secrets,
    origin: origin.kind === 'manifest' ? { ...origin, file: lines } : origin,
  }));
}
