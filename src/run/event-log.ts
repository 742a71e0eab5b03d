import type { Outcome } from '../apply/outcome.ts';
import type { Diagnostic } from '../base/diagnostic.ts';
import { isPending, type Pending, type Plan } from '../plan/plan.ts';
import type { ApplyRun } from './result.ts';
import {
  diagnosticEvent,
  outcomeEvent,
  plannedEvents,
  startEvent,
  summaryEvent,
  versionEvent,
  type ApplyEvent,
} from '../report/formats/events.ts';
import { outcomeDiagnostics } from '../report/words/outcome-diagnostics.ts';
import type { ServiceContext } from './context.ts';

/** Told what happens in a run of apply, when it happens. */
export interface EventLog {
  planned(plan: Plan): void;
  started(change: Pending): void;
  ended(outcome: Outcome): void;
  diagnosed(diagnostics: readonly Diagnostic[]): void;
  finished(run: ApplyRun): void;
}

/** An event, and when it happened: schemas/apply-event.schema.json. */
export type TimedEvent = ApplyEvent & {
  /** RFC 3339, UTC. */
  readonly '@timestamp': string;
};

/** Hands on each event at once. */
export function eventLog(
  { clock, toolVersion }: Pick<ServiceContext, 'clock' | 'toolVersion'>,
  tell: (event: TimedEvent) => void,
): EventLog {
  const write = (event: ApplyEvent): void =>
    tell({ ...event, '@timestamp': new Date(clock.now()).toISOString() });
  write(versionEvent(toolVersion));
  return {
    planned: (plan) => plannedEvents(plan).forEach(write),
    started: (change) => write(startEvent(change)),
    ended: (outcome) => {
      const { change } = outcome;
      if (!isPending(change)) return;
      write(outcomeEvent(outcome, change));
      for (const diagnostic of outcomeDiagnostics(outcome)) write(diagnosticEvent(diagnostic));
    },
    diagnosed: (diagnostics) => diagnostics.forEach((diagnostic) => write(diagnosticEvent(diagnostic))),
    finished: (run) => write(summaryEvent(run)),
  };
}

export const noEventLog: EventLog = {
  planned: () => {},
  started: () => {},
  ended: () => {},
  diagnosed: () => {},
  finished: () => {},
};
