import { diagnosticAt, type Diagnostic } from '../base/diagnostic.ts';
import { entriesIn, type JsonValue } from '../base/json.ts';
import type { Path } from '../base/path-map.ts';
import { isQuotable, type SourceFile } from '../base/source.ts';
import type { Places } from '../yaml/places.ts';

/** If a file fails this fast test, as most files do, the slower test is skipped. */
const mayHaveRewrittenNumber = /(?:^|[\s[{,:])(?:\+[\d.]|-?0\w|-?\d*\.\d*|-?\d+[eE])/m;

/** Warns about numbers that YAML changes: 0755 becomes 755, 1.10 becomes 1.1. */
export function* rewrittenNumbers(
  value: JsonValue,
  places: Places,
  file: SourceFile,
  path: Path = [],
): Iterable<Diagnostic> {
  if (path.length === 0 && !mayHaveRewrittenNumber.test(file.text)) return;
  if (typeof value === 'number') {
    const span = places.valueSpan(path);
    const written = file.text.slice(...span);
    // An alias has no number of its own: the number is written at its anchor.
    if (written === String(value) || !/^[-+.\d]/.test(written)) return;
    const both = isQuotable(file, span) ? `: ${written} is read as ${value}` : '';
    yield diagnosticAt(file, span, {
      severity: 'warning',
      code: 'rewritten-number',
      summary: `YAML reads this number differently from its spelling${both}`,
      detail: 'If it is meant as a string, quote it. If it is meant as a number, write it as YAML reads it.',
    });
    return;
  }
  for (const [step, inner] of entriesIn(value)) yield* rewrittenNumbers(inner, places, file, [...path, step]);
}
