import { linesOf, type SourceFile, type Span } from '../base/source.ts';
import type { Field } from '../kinds/fields.ts';
import type { Resource } from '../kinds/resource.ts';

/**
 * Resources of a file without the text of the file, but for the lines that they stand on. A part of a long text keeps all of it
 * in memory, so their texts are copied.
 */
export function detached(resources: readonly Resource[], file: SourceFile): Resource[] {
  const spans = resources.flatMap(({ origin, fields }) =>
    origin.kind === 'manifest' ? [origin.entry, ...Object.values(fields).flatMap(spansOf)] : [],
  );
  const lines = structuredClone(linesOf(file, spans));
  return resources.map(({ kind, secrets, origin, ...texts }) => ({
    ...structuredClone(texts),
    kind,
    secrets,
    origin: origin.kind === 'manifest' ? { ...origin, file: lines } : origin,
  }));
}

function spansOf({ at, items = [] }: Field): Span[] {
  return 'line' in at ? [] : [at, ...items];
}
