import { isIncomplete, type OutcomeFacts, type StopReason } from '../apply/outcome.ts';
import type { InterruptSignal } from '../base/exit-code.ts';
import { validate } from '../generated/apply.ts';
import { isResourceType } from '../kinds/all.ts';
import type { Scope } from '../manifest/select.ts';
import { resourceAt, type ChangeDocument, type ShownDiagnostic } from '../plan/document.ts';
import type { Pace } from '../service/pace.ts';
import { reportOfRun, sorted, toldOutcome, type ApplyReport, type ToldOutcome } from './report.ts';
import { applySummary, type ApplySummary } from './words/outcomes.ts';

/** What became of every planned resource, as it is written: schemas/apply.schema.json. */
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
  readonly stopped_by?: StopReason;
  readonly needs_fix?: boolean;
  readonly detail?: string;
  readonly diagnostics?: readonly ShownDiagnostic[];
  readonly request_id?: string;
  readonly pk?: string;
  readonly attempts: number;
  readonly duration_ms: number;
}

/** Whether something is an apply as `apply -o json` prints it, of kinds that this rollcall knows. */
export function isApplyDocument(value: unknown): value is ApplyDocument {
  if (!validate(value)) return false;
  const { started_at, outcomes } = value as ApplyDocument; // what satisfies the schema has the fields of the type
  // The schema allows leap seconds, and Date knows none.
  return !Number.isNaN(Date.parse(started_at)) && outcomes.every(({ type }) => isResourceType(type));
}

/** The document with all that it counts, and of single resources only those with which there is something to do. */
export function inShort<Document extends ApplyDocument>(document: Document): Document {
  const { outcomes } = document;
  return {
    ...document,
    outcomes: outcomes.filter((outcome) => isIncomplete(outcome)),
    summary: applySummary(outcomes),
  };
}

/** The report that was written as this document, as far as the document tells. */
export function applyReportFrom(document: ApplyDocument): ApplyReport {
  const { scope, interrupted, interrupted_by, saved_plan: saved = false, pace, diagnostics = [] } = document;
  const { outcomes, summary } = document;
  const run = {
    plan: {
      toolVersion: document.tool_version,
      service: document.service,
      environment: document.environment,
      manifestDigest: document.manifest_digest,
      ...(scope && { scope }),
    },
    startedAt: new Date(document.started_at),
    durationMs: document.duration_ms,
    interrupted,
    ...(interrupted_by && { interruptedBy: interrupted_by }),
    pace,
    saved,
  };
  return reportOfRun(run, outcomes.map(outcomeFrom), sorted(diagnostics, []), summary);
}

function outcomeFrom(document: OutcomeDocument): ToldOutcome {
  const { outcome, doubt, differences, stopped_by, needs_fix, detail, diagnostics, request_id, pk } =
    document;
  return toldOutcome({
    resource: resourceAt(document),
    outcome,
    ...(doubt && { doubt }),
    ...(differences && { differences }),
    ...(stopped_by && { stoppedBy: stopped_by }),
    // What needed nothing ends as it was found.
    planned: outcome !== 'unchanged' && outcome !== 'differs',
    needsFix: needs_fix ?? false,
    detail: detail ?? '',
    diagnostics: diagnostics ?? [],
    ...(request_id !== undefined && { requestId: request_id }),
    ...(pk !== undefined && { pk }),
    attempts: document.attempts,
    durationMs: document.duration_ms,
  });
}
