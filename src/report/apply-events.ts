import { isIncomplete, type Outcome } from '../apply/outcome.ts';
import type { Diagnostic } from '../diagnostic.ts';
import type { JsonObject } from '../json.ts';
import { additions } from '../plan/make-plan.ts';
import type { Change, Plan } from '../plan/types.ts';
import type { ApplyRun } from './apply-document.ts';
import { applySummary } from './apply-summary.ts';
import { applyLastLine } from './apply-text.ts';
import { outcomeWords } from './outcome-words.ts';
import { lastLine } from './plan-text.ts';
import { diagnosticDocument } from './validation-document.ts';

export const eventFormatVersion = '1.0';

/** Something that happened in a run of apply: schemas/apply-event.schema.json, but for its time. */
export interface ApplyEvent {
  readonly '@level': 'info' | 'warn' | 'error';
  readonly '@message': string;
  readonly type:
    | 'version'
    | 'planned_change'
    | 'change_summary'
    | 'apply_start'
    | 'apply_complete'
    | 'apply_errored'
    | 'diagnostic';
  readonly [key: string]: JsonObject | string | boolean;
}

export function versionEvent(toolVersion: string): ApplyEvent {
  return {
    '@level': 'info',
    '@message': `rollcall ${toolVersion}`,
    type: 'version',
    rollcall: toolVersion,
    ui: eventFormatVersion,
  };
}

/** What the plan would create, and how much that is. */
export function plannedEvents(plan: Plan): ApplyEvent[] {
  const planned = plan.resource_changes
    .filter(({ change }) => change.before === null)
    .map((change): ApplyEvent => ({
      '@level': 'info',
      '@message': `${change.address}: Plan to create`,
      type: 'planned_change',
      change: { resource: resourceOf(change), action: 'create' },
    }));
  const changes = { add: additions(plan), change: 0, remove: 0, operation: 'plan' };
  return [...planned, { '@level': 'info', '@message': lastLine(plan), type: 'change_summary', changes }];
}

export function startEvent(change: Change): ApplyEvent {
  return {
    '@level': 'info',
    '@message': `${change.address}: Creating`,
    type: 'apply_start',
    hook: { resource: resourceOf(change), action: 'create' },
  };
}

/** How it ended for one resource that was to be created. */
export function outcomeEvent(outcome: Outcome): ApplyEvent {
  const { change, pk, attempts, durationMs } = outcome;
  const failed = isIncomplete(outcome);
  return {
    '@level': failed ? 'error' : 'info',
    '@message': `${change.address}: ${outcomeWords[outcome.outcome]}`,
    type: failed ? 'apply_errored' : 'apply_complete',
    hook: {
      resource: resourceOf(change),
      action: 'create',
      outcome: outcome.outcome,
      ...(pk !== undefined && { id_key: 'pk', id_value: pk }),
      attempts,
      elapsed_seconds: durationMs / 1000,
    },
  };
}

export function diagnosticEvent(diagnostic: Diagnostic): ApplyEvent {
  const { severity, summary, address } = diagnostic;
  return {
    '@level': severity === 'error' ? 'error' : 'warn',
    '@message': `${severity}: ${address === undefined ? '' : `${address}: `}${summary}`,
    type: 'diagnostic',
    diagnostic: diagnosticDocument(diagnostic),
  };
}

/** How it ended for all of them. */
export function summaryEvent({ outcomes, interrupted }: ApplyRun): ApplyEvent {
  const summary = applySummary(outcomes);
  const incomplete = outcomes.some((outcome) => isIncomplete(outcome));
  return {
    '@level': 'info',
    '@message': applyLastLine(summary, incomplete),
    type: 'change_summary',
    changes: { add: summary.created, change: 0, remove: 0, operation: 'apply' },
    summary: { ...summary },
    interrupted,
  };
}

function resourceOf({ address, type, name }: Change): JsonObject {
  return { addr: address, resource_type: type, resource_name: name };
}
