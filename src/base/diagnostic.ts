import type { DiagnosticCode } from './diagnostic-codes.ts';
import type { UsageError } from './errors.ts';
import type { Redactor } from './redactor.ts';
import { quotableLineAt, rangeOf, type Range, type SourceFile, type Span } from './source.ts';

/** Type and name of a resource: `application.<slug>`, `user.<username>`. */
export type Address = `${string}.${string}`;

export interface Diagnostic {
  readonly severity: 'error' | 'warning';
  readonly code: DiagnosticCode;
  readonly summary: string;
  /** The fix, or more information. */
  readonly detail: string;
  readonly address?: Address;
  readonly range?: Range;
  /** The source line at the start of the range. */
  readonly excerpt?: string;
}

/** A diagnostic in a JSON document, without the source line. */
export type ShownDiagnostic = Omit<Diagnostic, 'excerpt'>;

export function diagnosticDocument({
  severity,
  code,
  summary,
  detail,
  address,
  range,
}: Diagnostic): ShownDiagnostic {
  return {
    severity,
    code,
    summary,
    detail,
    ...(address !== undefined && { address }),
    ...(range && { range: { filename: range.filename, start: { ...range.start }, end: { ...range.end } } }),
  };
}

export type Problem = Pick<Diagnostic, 'code' | 'summary'> &
  Partial<Pick<Diagnostic, 'severity' | 'detail' | 'address'>>;

/** A diagnostic (by default an error) at a span of a file, with the source line. */
export function diagnosticAt(file: SourceFile, span: Span, problem: Problem): Diagnostic {
  return { severity: 'error', detail: '', ...problem, ...locationAt(file, rangeOf(file, span)) };
}

/** A location in a file. If messages must not quote the line, the range is empty, so that the length of a secret stays hidden. */
export function locationAt(file: SourceFile, range: Range): Pick<Diagnostic, 'range' | 'excerpt'> {
  const excerpt = quotableLineAt(file, range.start.line);
  return excerpt === undefined ? { range: { ...range, end: range.start } } : { range, excerpt };
}

export function diagnosticFor(filename: string | undefined, problem: Problem): Diagnostic {
  const start = { line: 1, column: 1 };
  return {
    severity: 'error',
    detail: '',
    ...problem,
    ...(filename === undefined ? {} : { range: { filename, start, end: start } }),
  };
}

export function usageDiagnostic({ message, hint }: UsageError): Diagnostic {
  return diagnosticFor(undefined, { code: 'invalid-usage', summary: message, detail: hint });
}

export function unexpectedDiagnostic({ message }: Error): Diagnostic {
  return diagnosticFor(undefined, {
    code: 'unexpected-error',
    summary: `rollcall met an unexpected error: ${message}`,
    detail:
      'This is a bug in rollcall. Report it with this message, the output of `rollcall --version`, and the output with ROLLCALL_LOG=debug.',
  });
}

/** Redacts secrets in the texts and the source line of a diagnostic, but not in its range. */
export function redactDiagnostic(diagnostic: Diagnostic, redactor: Redactor): Diagnostic {
  const { summary, detail, excerpt } = diagnostic;
  return {
    ...diagnostic,
    summary: redactor.redact(summary),
    detail: redactor.redact(detail),
    ...(excerpt !== undefined && { excerpt: redactor.maskLine(excerpt) }),
  };
}

/** Sorts by file, then by position; diagnostics without a position come last. */
export function comparePlaces(a: Diagnostic, b: Diagnostic): number {
  if (!a.range || !b.range) return Number(!a.range) - Number(!b.range);
  if (a.range.filename !== b.range.filename) return a.range.filename < b.range.filename ? -1 : 1;
  return (
    a.range.start.line - b.range.start.line ||
    a.range.start.column - b.range.start.column ||
    (a.code < b.code ? -1 : a.code > b.code ? 1 : 0)
  );
}
