import type { Outcome } from '../apply/outcome.ts';
import type { JsonObject } from '../base/json.ts';
import type { Plan } from '../plan/types.ts';
import type { Address } from '../base/address.ts';
import type { Resource } from '../kinds/resource.ts';
import type { Pace } from '../service/pace.ts';
import { serviceWords } from './answer-words.ts';
import { stopWords } from './outcome-words.ts';
import { applySummary } from './apply-summary.ts';
import { outcomeDiagnostics } from './outcome-diagnostics.ts';
import { diagnosticDocument } from './validation-document.ts';

export const applyFormatVersion = '1.0';

/** A run of apply, ended. */
export interface ApplyRun {
  readonly plan: Plan;
  readonly outcomes: readonly Outcome[];
  readonly declared: ReadonlyMap<Address, Resource>;
  readonly startedAt: Date;
  readonly durationMs: number;
  readonly interrupted: boolean;
  /** How the requests of the run went, the reads of its plan among them. */
  readonly pace: Pace;
  /** Whether the plan was one that had been saved. */
  readonly saved: boolean;
}

/** The result of `apply -o json`: schemas/apply.schema.json. Every planned resource is in it. */
export function applyDocument(run: ApplyRun): JsonObject {
  return {
    format_version: applyFormatVersion,
    tool_version: run.plan.tool_version,
    service: run.plan.service,
    manifest_digest: run.plan.manifest_digest,
    ...(run.plan.scope && { scope: { ...run.plan.scope } }),
    started_at: run.startedAt.toISOString(),
    duration_ms: Math.round(run.durationMs),
    interrupted: run.interrupted,
    pace: { ...run.pace },
    outcomes: run.outcomes.map((outcome) => outcomeDocument(outcome, run)),
    summary: { ...applySummary(run.outcomes) },
  };
}

function outcomeDocument(outcome: Outcome, { declared }: ApplyRun): JsonObject {
  const { change, answer } = outcome;
  const detail = detailOf(outcome);
  const diagnostics = outcomeDiagnostics(outcome, declared);
  return {
    address: change.address,
    type: change.type,
    name: change.name,
    source: { ...change.source },
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
