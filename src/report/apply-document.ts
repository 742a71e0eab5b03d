import type { Outcome } from '../apply/outcome.ts';
import type { JsonObject } from '../base/json.ts';
import { sourceOf } from '../plan/document.ts';
import type { ApplyRun } from '../run/result.ts';
import { serviceWords } from './answer-words.ts';
import { stopWords } from './outcome-words.ts';
import { applySummary } from './apply-summary.ts';
import { outcomeDiagnostics } from './outcome-diagnostics.ts';
import { diagnosticDocument } from './validation-document.ts';

export const applyFormatVersion = '1.0';

/** The result of `apply -o json`: schemas/apply.schema.json. Every planned resource is in it. */
export function applyDocument(run: ApplyRun): JsonObject {
  return {
    format_version: applyFormatVersion,
    tool_version: run.plan.toolVersion,
    service: run.plan.service,
    manifest_digest: run.plan.manifestDigest,
    ...(run.plan.scope && { scope: { ...run.plan.scope } }),
    started_at: run.startedAt.toISOString(),
    duration_ms: Math.round(run.durationMs),
    interrupted: run.interrupted,
    pace: { ...run.pace },
    outcomes: run.outcomes.map((outcome) => outcomeDocument(outcome)),
    summary: { ...applySummary(run.outcomes) },
  };
}

function outcomeDocument(outcome: Outcome): JsonObject {
  const { answer } = outcome;
  const { resource } = outcome.change;
  const detail = detailOf(outcome);
  const diagnostics = outcomeDiagnostics(outcome);
  return {
    address: resource.address,
    type: resource.kind.type,
    name: resource.name,
    source: { ...sourceOf(resource) },
    outcome: outcome.outcome,
    ...(outcome.doubt && { doubt: outcome.doubt }),
    ...(outcome.differences && { differences: outcome.differences.map((difference) => ({ ...difference })) }),
    ...(detail !== '' && { detail }),
    ...(diagnostics.length > 0 && {
      diagnostics: diagnostics.map((diagnostic) => diagnosticDocument(diagnostic)),
    }),
    ...(answer?.requestId !== undefined && { request_id: answer.requestId }),
    ...(outcome.pk !== undefined && { pk: outcome.pk }),
    attempts: outcome.attempts,
    duration_ms: Math.round(outcome.durationMs),
  };
}

function detailOf({ outcome, answer, stoppedBy }: Outcome): string {
  if (stoppedBy !== undefined) return `not begun: ${stopWords[stoppedBy]}`;
  return outcome === 'created' || answer === undefined ? '' : serviceWords(answer);
}
