import type { Ending } from '../exit-code.ts';
import { additions } from '../plan/make-plan.ts';
import { planText } from '../report/plan-text.ts';
import { createStyle } from '../report/style.ts';
import { jsonText } from '../report/json-text.ts';
import { readServiceSettings, type ServiceFlags } from '../settings/service-settings.ts';
import { withService } from './connect.ts';
import type { Context } from './context.ts';
import { readDesired, refuseSharedInput } from './desired.ts';
import { observedPlan } from './observed-plan.ts';

export interface PlanOptions extends ServiceFlags {
  readonly output: 'text' | 'json';
  readonly detailedExitcode?: boolean;
}

/** `rollcall plan`: validates, observes, compares. Creates nothing. */
export async function plan(
  paths: readonly string[],
  options: PlanOptions,
  context: Context,
): Promise<Ending> {
  refuseSharedInput(paths, options);
  const settings = await readServiceSettings(options, context.env, context.files);
  const resources = await readDesired(paths, context);
  if (resources === undefined) return 'invalid';
  return withService(settings, context, async (service) => {
    const result = await observedPlan(resources, service, context);
    if (typeof result === 'string') return result;
    context.stdout.write(
      options.output === 'json' ? jsonText(result) : planText(result, createStyle(context.stdout.colours)),
    );
    return options.detailedExitcode && additions(result) > 0 ? 'changes' : 'done';
  });
}
