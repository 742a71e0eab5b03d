import type { DiagnosticCode } from './diagnostic-codes.ts';
import type { UsageError } from './errors.ts';
import type { Redactor } from './redactor.ts';
import { quotableLine, rangeOf, type Range, type SourceFile, type Span } from './source.ts';

/** How a resource is named everywhere: kind and name, `application.<slug>` or `user.<username>`. */
export type Address = `${string}.${string}`;

/** One problem, its place, and what to do about it. */
export interface Diagnostic {
  readonly severity: 'error' | 'warning';
  readonly code: DiagnosticCode;
  readonly summary: string;
  /** What to do about it, or more information. May be empty. */
  readonly detail: string;
  readonly address?: Address;
  readonly range?: Range;
  /** The source line at the start of the range, for people to read. */
  readonly excerpt?: string;
}

/** A diagnostic as it is written: without its source line. */
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

/** A diagnostic at a span of a file, with its source line. An error by default. */
export function diagnosticAt(file: SourceFile, span: Span, problem: Problem): Diagnostic {
  return { severity: 'error', detail: '', ...problem, ...locatedAt(file, rangeOf(file, span)) };
}

/** A place with its source line. If the line may not be quoted, only the start of the place, which does not reveal its length. */
export function locatedAt(file: SourceFile, range: Range): Pick<Diagnostic, 'range' | 'excerpt'> {
  const excerpt = quotableLine(file, range.start.line);
  return excerpt === undefined ? { range: { ...range, end: range.start } } : { range, excerpt };
}

/** A diagnostic about a whole file or run. */
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

/** The diagnostic for an unexpected error. */
export function unexpectedDiagnostic({ message }: Error): Diagnostic {
  return diagnosticFor(undefined, {
    code: 'unexpected-error',
    summary: `rollcall met an unexpected error: ${message}`,
    detail:
      'This is a bug of rollcall. Report it with this message, the output of `rollcall --version`, and the output with ROLLCALL_LOG=debug.',
  });
}

/** The diagnostic with secrets redacted in its words and source line. Its place is unchanged. */
export function cleanDiagnostic(diagnostic: Diagnostic, redactor: Redactor): Diagnostic {
  const { summary, detail, excerpt } = diagnostic;
  return {
    ...diagnostic,
    summary: redactor.clean(summary),
    detail: redactor.clean(detail),
    ...(excerpt !== undefined && { excerpt: redactor.cover(excerpt) }),
  };
}

/** By file, then by place; diagnostics without a place come last. */
export function byPlace(a: Diagnostic, b: Diagnostic): number {
  if (!a.range || !b.range) return Number(!a.range) - Number(!b.range);
  if (a.range.filename !== b.range.filename) return a.range.filename < b.range.filename ? -1 : 1;
  return (
    a.range.start.line - b.range.start.line ||
    a.range.start.column - b.range.start.column ||
    (a.code < b.code ? -1 : a.code > b.code ? 1 : 0)
  );
}
