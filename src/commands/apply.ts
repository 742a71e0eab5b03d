import { diagnosticFor } from '../base/diagnostic.ts';
import { UsageError } from '../base/errors.ts';
import { interruptedBy, unlessLost, type Ending } from '../base/exit-code.ts';
import { pendingIn, type Plan } from '../plan/plan.ts';
import { json, jsonLine } from '../report/formats/json.ts';
import { createStyle } from '../report/formats/lines.ts';
import { applyText, planText } from '../report/formats/text.ts';
import { applyReport } from '../report/report.ts';
import type { ServiceFlags } from '../settings/service-settings.ts';
import type { ProjectFlags } from '../settings/settings.ts';
import { applySavedPlan } from './apply-saved-plan.ts';
import { carryOut, type EndedApply } from '../run/carry-out.ts';
import { withService, type Service } from '../run/connect.ts';
import type { Context } from '../run/context.ts';
import { eventLog, noEventLog, type EventLog } from '../run/event-log.ts';
import { mostCreates, tooManyCreates } from '../run/max-creates.ts';
import { observedPlan } from '../run/observed-plan.ts';
import { prepare, type ScopeFlags } from '../run/prepare.ts';
import { endedWell, Reports } from './reports.ts';

export interface ApplyOptions extends ProjectFlags, ServiceFlags, ScopeFlags {
  readonly output: 'text' | 'json' | 'ndjson';
  /** The first resource that fails ends the run. */
  readonly failFast?: boolean;
  readonly yes?: boolean;
  /** A saved plan to apply, in place of manifests. */
  readonly plan?: string;
  readonly maxCreates?: string;
  readonly report?: readonly string[];
}

/** `rollcall apply`: plans, asks, creates what is missing, and says what became of every resource. */
export async function apply(
  paths: readonly string[],
  options: ApplyOptions,
  context: Context,
): Promise<Ending> {
  const reports = await Reports.asked(options.report);
  const { plan } = options;
  // A line for each at once, so that a run that is killed leaves its record.
  const events =
    options.output === 'ndjson'
      ? eventLog(context, (event) => context.stdout.write(jsonLine(event)))
      : noEventLog;
  const { ending, ...ended } = await endedWell(() =>
    plan === undefined
      ? applyManifests(paths, options, context, events)
      : applySavedPlan(plan, paths, options, context, events),
  );
  events.diagnosed(ended.diagnostics);
  if (ended.result) events.finished(ended.result);
  const report = applyReport(ended);
  if (options.output === 'json') context.stdout.write(json(report, context));
  else if (options.output === 'text' && report.kind === 'apply')
    context.stdout.write(applyText(report, createStyle(context.stdout.colours)));
  const written = await reports.write(report, context);
  // What was created must be told, even when the disk is full.
  if (report.kind === 'apply' && (await context.stdout.isLost()))
    context.stderr.write(`\n${applyText(report, createStyle(context.stderr.colours))}`);
  if ('usageError' in ended) throw ended.usageError;
  return unlessLost(ending, !written);
}

async function applyManifests(
  paths: readonly string[],
  options: ApplyOptions,
  context: Context,
  events: EventLog,
): Promise<EndedApply> {
  if (!options.yes && context.ask === undefined) {
    throw new UsageError(
      'apply needs a confirmation, and there is no terminal to ask on',
      'Read the plan with `rollcall plan`, then run apply with --yes; or save it with --out, and run apply with --plan.',
    );
  }
  const most = mostCreates(options.maxCreates);
  const prepared = await prepare(paths, options, context);
  const { diagnostics, filenames, service: settings } = prepared;
  const known = { filenames, ...(settings && { service: settings.baseUrl }) };
  if (prepared.kind === 'invalid') return { ...known, diagnostics, ending: 'invalid' };
  return withService(prepared.service, context, async (service): Promise<EndedApply> => {
    const result = await observedPlan(prepared, service, context);
    if (result.kind === 'failed')
      return { ...known, ending: result.ending, diagnostics: [...diagnostics, ...result.diagnostics] };
    const { plan } = result;
    showPlan(plan, options, context);
    events.planned(plan);
    const limit = tooManyCreates(plan, most, context);
    if (limit.length > 0) return { ...known, ending: 'failed', diagnostics: [...diagnostics, ...limit] };
    if (pendingIn(plan).length > 0 && !options.yes && !(await confirmed(service, context))) {
      context.stderr.write('Not confirmed. Nothing was created.\n');
      const ending = service.signal.aborted ? interruptedBy(service.signal) : 'failed';
      const refusal = diagnosticFor(undefined, {
        code: 'not-confirmed',
        summary: 'the plan was not confirmed',
        detail: 'Nothing was created.',
      });
      return { ...known, ending, diagnostics: [...diagnostics, refusal] };
    }
    const { failFast = false } = options;
    const run = await carryOut(plan, service, context, { events, failFast });
    return { ...known, diagnostics, ...run };
  });
}

/** A person who has to confirm the plan must see it, also when stdout goes to a file. */
function showPlan(plan: Plan, options: ApplyOptions, { stdout, stderr }: Context): void {
  const onStdout = options.output === 'text';
  if (onStdout) stdout.write(`${planText(plan, createStyle(stdout.colours))}\n`);
  if (!options.yes && !(onStdout && stdout.isTerminal))
    stderr.write(`${planText(plan, createStyle(stderr.colours))}\n`);
}

async function confirmed({ signal }: Service, { ask }: Context): Promise<boolean> {
  if (signal.aborted) return false;
  return (await ask?.('Create these? Only "yes" is taken as yes: ', signal)) === 'yes';
}
