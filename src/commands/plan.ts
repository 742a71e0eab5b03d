import type { Ending } from '../exit-code.ts';
import { additions } from '../plan/make-plan.ts';
import { jsonText } from '../report/json-text.ts';
import { planText } from '../report/plan-text.ts';
import { createStyle } from '../report/style.ts';
import type { ServiceFlags } from '../settings/service-settings.ts';
import type { ProjectFlags } from '../settings/settings.ts';
import { withService } from './connect.ts';
import type { Context } from './context.ts';
import { prepare } from './prepare.ts';
import { observedPlan } from './observed-plan.ts';

export interface PlanOptions extends ProjectFlags, ServiceFlags {
  readonly output: 'text' | 'json';
  readonly detailedExitcode?: boolean;
}

/** `rollcall plan`: validates, observes, compares. Creates nothing. */
export async function plan(
  paths: readonly string[],
  options: PlanOptions,
  context: Context,
): Promise<Ending> {
  const prepared = await prepare(paths, options, context);
  if (prepared === undefined) return 'invalid';
  return withService(prepared.service, context, async (service) => {
    const result = await observedPlan(prepared.resources, service, context);
    if (typeof result === 'string') return result;
    context.stdout.write(
      options.output === 'json' ? jsonText(result) : planText(result, createStyle(context.stdout.colours)),
    );
    return options.detailedExitcode && additions(result) > 0 ? 'changes' : 'done';
  });
}
