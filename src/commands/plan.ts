import type { Ending } from '../exit-code.ts';
import { additions } from '../plan/make-plan.ts';
import { planText } from '../report/plan-text.ts';
import { createStyle } from '../report/style.ts';
import { jsonText } from '../report/validation-document.ts';
import { createClient } from '../service/client.ts';
import { createPacing } from '../service/pacing.ts';
import { readServiceSettings, type ServiceFlags } from '../settings/service-settings.ts';
import type { Context } from './context.ts';
import { readDesired } from './desired.ts';
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
  const settings = await readServiceSettings(options, context.env, context.files);
  const resources = await readDesired(paths, context);
  if (resources === undefined) return 'invalid';
  const connection = context.connect(settings);
  try {
    const pacing = createPacing(context.clock, context.random);
    const result = await observedPlan(resources, createClient(connection.send), pacing, settings, context);
    if (typeof result === 'string') return result;
    switch (options.output) {
      case 'json':
        context.stdout.write(jsonText(result));
        break;
      case 'text':
        context.stdout.write(planText(result, createStyle(context.stdout.colours)));
    }
    return options.detailedExitcode && additions(result) > 0 ? 'changes' : 'done';
  } finally {
    await connection.close();
  }
}
