import { reasonOf, UsageError } from '../base/errors.ts';
import { unlessLost, type Ending } from '../base/exit-code.ts';
import { savedPlan } from '../plan/saved/document.ts';
import { pendingIn, type Plan } from '../plan/plan.ts';
import type { Ended } from '../run/result.ts';
import { inline } from '../report/printable.ts';
import { json, jsonText } from '../report/formats/json.ts';
import { createStyle } from '../report/formats/lines.ts';
import { planText } from '../report/formats/text.ts';
import { planReport } from '../report/report.ts';
import type { ServiceFlags } from '../settings/service-settings.ts';
import type { ProjectFlags } from '../settings/settings.ts';
import { withService, type Service } from '../run/connect.ts';
import type { Context } from '../run/context.ts';
import { mostCreates, tooManyCreates } from '../run/max-creates.ts';
import { observedPlan, type ObservedPlan } from '../run/observed-plan.ts';
import { prepare, type ScopeFlags } from '../run/prepare.ts';
import { endedWell, Reports } from './reports.ts';
import { wasRead } from './was-read.ts';

export interface PlanOptions extends ProjectFlags, ServiceFlags, ScopeFlags {
  readonly output: 'text' | 'json';
  /** A file to save the plan to. */
  readonly out?: string;
  readonly maxCreates?: string;
  readonly detailedExitcode?: boolean;
  readonly report?: readonly string[];
}

/** `rollcall plan`: validates, observes, compares. Creates nothing. */
export async function plan(
  paths: readonly string[],
  options: PlanOptions,
  context: Context,
): Promise<Ending> {
  const reports = await Reports.asked(options.report, options.out);
  const { ending, ...ended } = await endedWell(() => planned(paths, options, context));
  const report = planReport(ended);
  if (options.output === 'json') context.stdout.write(json(report, context));
  else if (ended.result) context.stdout.write(planText(ended.result, createStyle(context.stdout.colours)));
  const written = await reports.write(report, context);
  if ('usageError' in ended) throw ended.usageError;
  return unlessLost(ending, !written);
}

async function planned(
  paths: readonly string[],
  options: PlanOptions,
  context: Context,
): Promise<Ended<Plan> & { readonly ending: Ending }> {
  const most = mostCreates(options.maxCreates);
  if (options.out === '-')
    throw new UsageError(
      '--out cannot be -',
      'Name a file. `-o json` prints a plan, without what applying it needs.',
    );
  const prepared = await prepare(paths, options, context);
  const { diagnostics, filenames, service: settings } = prepared;
  const known = { filenames, ...(settings && { service: settings.baseUrl }) };
  if (prepared.kind === 'invalid') return { ...known, diagnostics, ending: 'invalid' };
  return withService(prepared.service, context, async (service: Service) => {
    const result = await observedPlan(prepared, service, context);
    if (result.kind === 'failed')
      return { ...known, ending: result.ending, diagnostics: [...diagnostics, ...result.diagnostics] };
    const limit = tooManyCreates(result.plan, most, context);
    const ended = { ...known, result: result.plan, diagnostics: [...diagnostics, ...limit] };
    if (limit.length > 0) return { ...ended, ending: 'failed' };
    if (options.out !== undefined && !(await save(options.out, result, filenames, context)))
      return { ...ended, ending: 'failed' };
    const changes = options.detailedExitcode && pendingIn(result.plan).length > 0;
    return { ...ended, ending: changes ? 'changes' : 'done' };
  });
}

/** Saves a plan to be applied later; says on stderr why it could not, and whether it could. */
async function save(
  filename: string,
  { plan: made, observed }: Extract<ObservedPlan, { kind: 'planned' }>,
  filenames: readonly string[],
  context: Context,
): Promise<boolean> {
  try {
    if (await wasRead(filename, filenames, context.files))
      throw new Error('It is one of the manifests that were read. Name another file.');
    await context.writePrivateFile(filename, jsonText(savedPlan(made, observed)));
    return true;
  } catch (error) {
    context.stderr.write(
      `error: the plan cannot be saved to ${inline(filename)}\n    ${inline(reasonOf(error))}\n`,
    );
    return false;
  }
}
