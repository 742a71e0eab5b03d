import { documentModel } from '../../kinds/all.ts';
import { sourceOf } from '../../kinds/resource.ts';
import type { ApplySummary } from '../words/outcomes.ts';
import type { Pace } from '../../service/types.ts';
import { differenceDocument, planDocument, type ChangeDocument } from '../../plan/document.ts';
import type { Scope } from '../../manifest/select.ts';
import type { InterruptSignal } from '../../base/exit-code.ts';
import type { OutcomeFacts, StopReason } from '../../apply/outcome.ts';
import { diagnosticDocument, type ShownDiagnostic } from '../../base/diagnostic.ts';
import { unsafeCharacters } from '../printable.ts';
import {
  byReportKind,
  type ApplyReport,
  type Format,
  type OutcomeView,
  type ProblemsReport,
  type Report,
} from '../report.ts';

export const json: Format = (report) => jsonText(documentOf(report));

export const documentOf: (report: Report) => object = byReportKind<[], object>({
  problems: validationDocument,
  plan: ({ plan, diagnostics }) => ({
    ...planDocument(plan),
    diagnostics: diagnostics.map(diagnosticDocument),
  }),
  apply: applyDocument,
});

/** Indented JSON with a trailing newline, without commands for terminals or CI logs. */
export function jsonText(document: object): string {
  return `${escapeUnsafe(JSON.stringify(document, null, 2))}\n`;
}

/** JSON on one line, without commands for terminals or CI logs. */
export function jsonLine(document: object): string {
  return `${escapeUnsafe(JSON.stringify(document))}\n`;
}

function escapeUnsafe(document: string): string {
  return document
    .replace(unsafeCharacters, (character) => (character === '\n' ? character : escaped(character)))
    .replace(/##(?=\w*\[)/g, String.raw`#\u0023`);
}

/** The characters that must be escaped occur only in strings, so each UTF-16 code unit can become a JSON escape. */
function escaped(character: string): string {
  return Array.from(
    { length: character.length },
    (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
  ).join('');
}

const validationFormatVersion = '1.0';

function validationDocument(report: ProblemsReport): object {
  const { unchecked } = report;
  return {
    format_version: validationFormatVersion,
    service: report.service,
    environment: report.environment,
    valid: report.valid,
    error_count: report.errors.length,
    warning_count: report.warnings.length,
    resource_count: report.resourceCount,
    ...(unchecked && {
      unchecked: { value_count: unchecked.values, variables: unchecked.variables, files: unchecked.files },
    }),
    diagnostics: report.diagnostics.map(diagnosticDocument),
  };
}

const applyFormatVersion = '1.0';

/** The document of apply, with the outcome of every planned resource: schemas/apply.schema.json. */
export interface ApplyDocument {
  readonly format_version: string;
  readonly tool_version: string;
  readonly service: string;
  readonly environment?: string;
  readonly manifest_digest: string;
  readonly scope?: Scope;
  /** RFC 3339, UTC. */
  readonly started_at: string;
  readonly duration_ms: number;
  readonly interrupted: boolean;
  readonly interrupted_by?: InterruptSignal;
  readonly saved_plan?: boolean;
  readonly pace: Pace;
  readonly outcomes: readonly OutcomeDocument[];
  readonly summary: ApplySummary;
  readonly diagnostics?: readonly ShownDiagnostic[];
}

export interface OutcomeDocument
  extends OutcomeFacts, Pick<ChangeDocument, 'address' | 'type' | 'name' | 'source'> {
  readonly not_compared?: readonly string[];
  readonly stopped_by?: StopReason;
  readonly needs_fix?: boolean;
  readonly detail?: string;
  readonly diagnostics?: readonly ShownDiagnostic[];
  readonly request_id?: string;
  readonly pk?: string;
  readonly attempts: number;
  readonly duration_ms: number;
}

export function applyDocument({ run, outcomes, summary, diagnostics }: ApplyReport): ApplyDocument {
  return {
    format_version: applyFormatVersion,
    tool_version: run.plan.toolVersion,
    service: run.plan.service,
    ...(run.plan.environment !== undefined && { environment: run.plan.environment }),
    manifest_digest: run.plan.manifestDigest(),
    ...(run.plan.scope && { scope: run.plan.scope }),
    started_at: run.startedAt.toISOString(),
    duration_ms: Math.round(run.durationMs),
    interrupted: run.interrupted,
    ...(run.interruptedBy && { interrupted_by: run.interruptedBy }),
    ...(run.saved && { saved_plan: true }),
    pace: run.pace,
    outcomes: outcomes.map((outcome) => outcomeDocument(outcome)),
    summary,
    diagnostics: diagnostics.map(diagnosticDocument),
  };
}

function outcomeDocument(outcome: OutcomeView): OutcomeDocument {
  const { resource, diagnostics, detail } = outcome;
  return {
    address: resource.address,
    type: resource.kind.type,
    ...documentModel(resource.kind),
    name: resource.name,
    source: sourceOf(resource),
    outcome: outcome.outcome,
    ...(outcome.doubt && { doubt: outcome.doubt }),
    ...(outcome.differences && { differences: outcome.differences.map(differenceDocument) }),
    ...(outcome.notCompared && { not_compared: outcome.notCompared }),
    ...(outcome.stoppedBy && { stopped_by: outcome.stoppedBy }),
    ...(outcome.needsFix && { needs_fix: true }),
    ...(detail !== '' && { detail }),
    ...(diagnostics.length > 0 && { diagnostics: diagnostics.map(diagnosticDocument) }),
    ...(outcome.requestId !== undefined && { request_id: outcome.requestId }),
    ...(outcome.pk !== undefined && { pk: outcome.pk }),
    attempts: outcome.attempts,
    duration_ms: Math.round(outcome.durationMs),
  };
}
