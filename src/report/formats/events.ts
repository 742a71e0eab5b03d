import { isIncomplete, type Outcome, type OutcomeFacts } from '../../apply/outcome.ts';
import type { Destination } from '../../base/destination.ts';
import type { Clock } from '../../base/clock.ts';
import {
  diagnosticDocument,
  type Address,
  type Diagnostic,
  type ShownDiagnostic,
} from '../../base/diagnostic.ts';
import { differenceDocument } from '../../plan/document.ts';
import { actions, type WriteAction } from '../../plan/actions.ts';
import { plannedEffects, type Plan } from '../../plan/plan.ts';
import type { ResourceType } from '../../kinds/all.ts';
import type { Resource } from '../../kinds/resource.ts';
import type { Alteration } from '../../manifest/since.ts';
import type { ListNews } from '../../observe/read-lists.ts';
import type { RunEvent } from '../../run/events.ts';
import type { ApplyRun } from '../../run/result.ts';
import { outcomeDiagnostics } from '../words/outcome-diagnostics.ts';
import {
  applyHeadline,
  applySummary,
  effectsIn,
  verdictWords,
  type ApplySummary,
} from '../words/outcomes.ts';
import { planHeadline } from '../words/plan.ts';
import { jsonLine } from './json.ts';
import type { LoggedRequest } from '../../service/request-log.ts';
import { inline } from '../printable.ts';
import { answerWords } from '../words/answers.ts';

const eventFormatVersion = '1.0';

/** Something that happened in a run of apply: schemas/apply-event.schema.json, without its time. */
type ApplyEvent = {
  readonly '@level': 'info' | 'warn' | 'error';
  /** The event in words. */
  readonly '@message': string;
} & (
  | { readonly type: 'version'; readonly rollcall: string; readonly ui: string }
  | { readonly type: 'planned_change'; readonly change: Begun & { readonly since?: Alteration['kind'] } }
  | (Destination & {
      readonly type: 'change_summary';
      readonly changes: ChangeCounts & { readonly operation: 'plan' };
    })
  | (Destination & {
      readonly type: 'change_summary';
      readonly changes: ChangeCounts & { readonly operation: 'apply' };
      readonly summary: ApplySummary;
      readonly interrupted: boolean;
    })
  | { readonly type: 'apply_start'; readonly hook: Begun }
  | { readonly type: 'apply_complete' | 'apply_errored'; readonly hook: Carried }
  /** As in the document of `validate -o json`. */
  | { readonly type: 'diagnostic'; readonly diagnostic: ShownDiagnostic }
);

interface Begun {
  readonly resource: {
    readonly addr: Address;
    readonly resource_type: ResourceType;
    readonly resource_name: string;
  };
  readonly action: WriteAction | 'not-planned';
}

interface Carried extends Begun, OutcomeFacts {
  readonly id_key?: 'pk';
  readonly id_value?: string;
  /** How many requests to create or to change it were sent. */
  readonly attempts: number;
  readonly elapsed_seconds: number;
}

type ChangeCounts = Readonly<Record<'add' | 'change' | 'remove', number>>;

/** An event, and when it happened: schemas/apply-event.schema.json. */
export type TimedEvent = ApplyEvent & {
  /** RFC 3339, UTC. */
  readonly '@timestamp': string;
};

interface EventLog {
  readonly emit: (event: RunEvent) => void;
  /** Reports what is wrong beside the outcomes, and the result. */
  readonly end: (diagnostics: readonly Diagnostic[], result: ApplyRun | undefined) => void;
}

/** Hands on each event of an apply as soon as it happens. */
export function eventLog(
  { clock, toolVersion }: { readonly clock: Pick<Clock, 'now'>; readonly toolVersion: string },
  handOn: (event: TimedEvent) => void,
): EventLog {
  const write = (events: readonly ApplyEvent[]): void => {
    for (const event of events) handOn({ ...event, '@timestamp': new Date(clock.now()).toISOString() });
  };
  const message = `rollcall ${toolVersion}`;
  write([{ ...info(message), type: 'version', rollcall: toolVersion, ui: eventFormatVersion }]);
  return {
    emit: (event) => write(applyEvents(event)),
    end: (diagnostics, result) => {
      write(diagnostics.map((diagnostic) => diagnosticEvent(diagnostic)));
      if (result) write([summaryEvent(result)]);
    },
  };
}

function info(message: string): { readonly '@level': 'info'; readonly '@message': string } {
  return { '@level': 'info', '@message': message };
}

/** The events of an apply that follow from an event of a job. */
function applyEvents(event: RunEvent): ApplyEvent[] {
  switch (event.kind) {
    case 'planned':
      return plannedEvents(event.plan);
    case 'started': {
      const { change } = event;
      const message = `${change.resource.address}: ${actions[change.action].present}`;
      return [{ ...info(message), type: 'apply_start', hook: begun(change.resource, change.action) }];
    }
    case 'outcome': {
      const { outcome } = event;
      const { action } = outcome.change;
      if (action === 'no-op') return [];
      const diagnostics = outcomeDiagnostics(outcome);
      return [outcomeEvent(outcome, action), ...diagnostics.map((each) => diagnosticEvent(each))];
    }
    default:
      return [];
  }
}

/** An event for each resource that the plan would create or change, or that is not planned, and one with the counts. */
function plannedEvents(plan: Plan): ApplyEvent[] {
  const { service, environment } = plan;
  return [
    ...plan.changes.flatMap(({ resource, action, since }): ApplyEvent[] => {
      if (action === 'no-op') return [];
      const deed = action === 'not-planned' ? 'Not planned' : `Plan to ${actions[action].verb}`;
      const change = { ...begun(resource, action), ...(since && { since: since.kind }) };
      return [{ ...info(`${resource.address}: ${deed}`), type: 'planned_change', change }];
    }),
    {
      ...info(planHeadline(plan)),
      type: 'change_summary',
      service,
      environment,
      changes: { ...changeCounts(plannedEffects(plan)), operation: 'plan' },
    },
  ];
}

/** What became of one resource that was to be created or changed, or was not planned. */
function outcomeEvent(outcome: Outcome, action: Begun['action']): ApplyEvent {
  const { doubt, differences, pk, attempts, durationMs } = outcome;
  const failed = isIncomplete(outcome);
  return {
    '@level': failed ? 'error' : 'info',
    '@message': `${outcome.change.resource.address}: ${verdictWords(outcome)}`,
    type: failed ? 'apply_errored' : 'apply_complete',
    hook: {
      ...begun(outcome.change.resource, action),
      outcome: outcome.outcome,
      ...(doubt && { doubt }),
      ...(differences && { differences: differences.map(differenceDocument) }),
      ...(pk !== undefined && { id_key: 'pk', id_value: pk }),
      attempts,
      elapsed_seconds: durationMs / 1000,
    },
  };
}

function diagnosticEvent(diagnostic: Diagnostic): ApplyEvent {
  const { severity, summary, address } = diagnostic;
  return {
    '@level': severity === 'error' ? 'error' : 'warn',
    '@message': `${severity}: ${address === undefined ? '' : `${address}: `}${summary}`,
    type: 'diagnostic',
    diagnostic: diagnosticDocument(diagnostic),
  };
}

/** What became of all of them, counted. */
function summaryEvent({ plan: { service, environment }, outcomes, interrupted }: ApplyRun): ApplyEvent {
  const summary = applySummary(outcomes);
  return {
    ...info(applyHeadline(summary, outcomes)),
    type: 'change_summary',
    service,
    environment,
    changes: { ...changeCounts(effectsIn(summary)), operation: 'apply' },
    summary,
    interrupted,
  };
}

function begun({ address, kind, name }: Resource, action: Begun['action']): Begun {
  return { resource: { addr: address, resource_type: kind.type, resource_name: name }, action };
}

function changeCounts({ add, change, destroy }: ReturnType<typeof plannedEffects>): ChangeCounts {
  return { add, change, remove: destroy };
}

/** One line of the log for a request. */
export function requestLine(request: LoggedRequest, format: 'text' | 'json'): string {
  const { time, method, path, name, status, error, attempt, requestId } = request;
  const durationMs = Math.round(request.durationMs);
  if (format === 'json')
    return jsonLine({
      time,
      level: 'debug',
      message: 'request',
      method,
      path,
      name,
      status,
      error,
      duration_ms: durationMs,
      attempt,
      request_id: requestId,
    });
  const tries = attempt > 1 ? `attempt ${attempt}` : undefined;
  const id = requestId === undefined ? undefined : `request id ${requestId}`;
  const parts = [time, method, path, name, status ?? error ?? '', `${durationMs} ms`, tries, id];
  return `${parts.flatMap((part) => (part === undefined ? [] : inline(String(part)))).join(' ')}\n`;
}

/** A line of the log that says how the resources of a kind were read. */
export function listLine(news: ListNews, time: string, format: 'text' | 'json'): string {
  const message = listWords(news);
  return format === 'json' ? jsonLine({ time, level: 'debug', message }) : `${time} ${inline(message)}\n`;
}

/** How the declared resources of a kind were read of which there is a list, and why not in pages where they were not. */
function listWords({ kind: { list }, declared, course }: ListNews): string {
  const oneByOne = `${list} are looked up one by one`;
  switch (course.kind) {
    case 'in_pages': {
      const { found, absent, pages, failed } = course;
      const others = declared - found - absent;
      const lookedUp =
        others === 0
          ? ''
          : others === 1
            ? ' The other one is looked up.'
            : ` The other ${others} are looked up one by one.`;
      const missing = absent === 0 ? '' : `, which are all that there are: ${absent} are absent`;
      const why = failed ? ` A page could not be read: ${answerWords(failed).summary}.` : '';
      return `${list}: ${found} of ${declared} were found in ${pages} ${pages === 1 ? 'page' : 'pages'}${missing}.${why}${lookedUp}`;
    }
    case 'too_many':
      return `${oneByOne}: that costs the service less than the list of all ${course.count}.`;
    case 'no_superuser':
      return `${oneByOne}: the service gives the whole list to superusers alone, and the token is none of theirs.`;
    case 'doubtful':
      return `${oneByOne}: the service gave another list than was asked for.`;
    case 'failed':
      return `${oneByOne}: the list could not be read: ${answerWords(course.failed).summary}.`;
  }
}
