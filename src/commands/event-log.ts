import type { Outcome } from '../apply/outcome.ts';
import type { Diagnostic } from '../diagnostic.ts';
import type { Change, Plan } from '../plan/types.ts';
import type { ApplyRun } from '../report/apply-document.ts';
import {
  diagnosticEvent,
  outcomeEvent,
  plannedEvents,
  startEvent,
  summaryEvent,
  versionEvent,
  type ApplyEvent,
} from '../report/apply-events.ts';
import { jsonLine } from '../report/json-text.ts';
import { outcomeDiagnostics } from '../report/outcome-diagnostics.ts';
import type { Address, Resource } from '../resource.ts';
import type { Context } from './context.ts';

/** Told what happens in a run of apply, when it happens. */
export interface EventLog {
  planned(plan: Plan): void;
  started(change: Change): void;
  ended(outcome: Outcome, declared: ReadonlyMap<Address, Resource>): void;
  diagnosed(diagnostics: readonly Diagnostic[]): void;
  finished(run: ApplyRun): void;
}

/** Writes a line of JSON to stdout for each event at once, so that a run that is killed leaves its record. */
export function eventLog({ stdout, clock, toolVersion }: Context): EventLog {
  const write = (event: ApplyEvent): void =>
    stdout.write(jsonLine({ ...event, '@timestamp': new Date(clock.now()).toISOString() }));
  write(versionEvent(toolVersion));
  return {
    planned: (plan) => plannedEvents(plan).forEach(write),
    started: (change) => write(startEvent(change)),
    ended: (outcome, declared) => {
      if (outcome.change.change.before !== null) return; // nothing was to be done
      write(outcomeEvent(outcome));
      for (const diagnostic of outcomeDiagnostics(outcome, declared)) write(diagnosticEvent(diagnostic));
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
