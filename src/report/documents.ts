import type { ApplyDocument, OutcomeDocument } from './formats/json.ts';
import { validate } from '../generated/apply.ts';
import { isKnownKind } from '../kinds/all.ts';
import { resourceAt } from '../plan/document.ts';
import { splitBySeverity, reportOfRun, type ApplyReport, type OutcomeView } from './report.ts';

/** Whether a value is a document of `apply -o json`, with only kinds that this version knows. */
export function isApplyDocument(value: unknown): value is ApplyDocument {
  if (!validate(value)) return false;
  const { started_at, outcomes } = value as ApplyDocument; // the value satisfies the schema of this type
  // The schema allows leap seconds, which Date does not.
  return !Number.isNaN(Date.parse(started_at)) && outcomes.every((outcome) => isKnownKind(outcome));
}

/** Restores the report of an apply from its document, except for parts that the document does not contain. */
export function applyReportFromDocument(document: ApplyDocument): ApplyReport {
  const { scope, interrupted, interrupted_by, saved_plan: saved = false, pace, diagnostics = [] } = document;
  const run = {
    plan: {
      toolVersion: document.tool_version,
      service: document.service,
      environment: document.environment,
      manifestDigest: () => document.manifest_digest,
      ...(scope && { scope }),
    },
    startedAt: new Date(document.started_at),
    durationMs: document.duration_ms,
    interrupted,
    ...(interrupted_by && { interruptedBy: interrupted_by }),
    pace,
    saved,
  };
  const outcomes = document.outcomes.map(outcomeFrom);
  return reportOfRun(run, outcomes, splitBySeverity({ diagnostics, filenames: [] }));
}

function outcomeFrom(document: OutcomeDocument): OutcomeView {
  const {
    not_compared: notCompared,
    stopped_by,
    needs_fix: needsFix = false,
    request_id,
    duration_ms: durationMs,
    ...same
  } = document;
  const { outcome, detail = '', diagnostics = [] } = document;
  return {
    ...same,
    resource: resourceAt(document),
    ...(notCompared && { notCompared }),
    ...(stopped_by && { stoppedBy: stopped_by }),
    // These two outcomes mean that no change was planned.
    planned: outcome !== 'unchanged' && outcome !== 'differs',
    needsFix,
    detail,
    diagnostics,
    ...(request_id !== undefined && { requestId: request_id }),
    durationMs,
  };
}
