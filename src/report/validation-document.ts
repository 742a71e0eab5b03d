import type { Diagnostic } from '../base/diagnostic.ts';
import type { JsonObject } from '../base/json.ts';

export const validationFormatVersion = '1.0';

/** The result of `validate -o json`: schemas/validation.schema.json. */
export function validationDocument(diagnostics: readonly Diagnostic[], resourceCount: number): JsonObject {
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length;
  return {
    format_version: validationFormatVersion,
    valid: errors === 0,
    error_count: errors,
    warning_count: diagnostics.length - errors,
    resource_count: resourceCount,
    diagnostics: diagnostics.map((diagnostic) => diagnosticDocument(diagnostic)),
  };
}

/** In place of a document, when there is none. There may be no diagnostics either: an interruption gives none. */
export function failureDocument(diagnostics: readonly Diagnostic[]): JsonObject {
  return { ...validationDocument(diagnostics, 0), valid: false };
}

export function diagnosticDocument({
  severity,
  code,
  summary,
  detail,
  address,
  range,
}: Diagnostic): JsonObject {
  return {
    severity,
    code,
    summary,
    detail,
    ...(address !== undefined && { address }),
    ...(range && { range: { filename: range.filename, start: { ...range.start }, end: { ...range.end } } }),
  };
}
