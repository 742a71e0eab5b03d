import type { Diagnostic } from '../base/diagnostic.ts';
import { UsageError } from '../base/errors.ts';
import type { Ending } from '../base/exit-code.ts';
import { createStyle, diagnosticsText } from '../report/formats/lines.ts';
import { planText } from '../report/formats/text.ts';
import { ownSecrets } from '../settings/own-secrets.ts';
import { readServiceSettings } from '../settings/service-settings.ts';
import { readSettings } from '../settings/settings.ts';
import type { ApplyOptions } from './apply.ts';
import { carryOut, type EndedApply } from '../run/carry-out.ts';
import { withService } from '../run/connect.ts';
import type { Context } from '../run/context.ts';
import type { EventLog } from '../run/event-log.ts';
import { mostCreates, tooManyCreates } from '../run/max-creates.ts';
import { observedPlan } from '../run/observed-plan.ts';
import { loadSavedPlan, staleness } from '../run/saved-plan.ts';

/** `rollcall apply --plan`: creates what a saved plan says and nothing else, as long as the service is as it was planned for. */
export async function applySavedPlan(
  filename: string,
  paths: readonly string[],
  options: ApplyOptions,
  context: Context,
  events: EventLog,
): Promise<EndedApply> {
  const { target, exclude, shard, vars } = options;
  if (paths.length > 0 || target || exclude || shard || vars || options['var'] || options.strict) {
    throw new UsageError(
      'a saved plan is applied as it is',
      'Leave out the paths, --target, --exclude, --shard, --var, --vars and --strict; or leave out --plan.',
    );
  }
  const most = mostCreates(options.maxCreates);
  const { config, diagnostics, tokens, closed } = await readSettings(options, context.env, context.files);
  if (config === undefined) return refused(diagnostics, 'invalid', context);
  const settings = await readServiceSettings(options, context.env, config, context.files);
  const known = { service: settings.baseUrl, filenames: [], diagnostics: [] };
  const loaded = await loadSavedPlan(filename, settings.baseUrl, {
    ...context,
    own: ownSecrets(options, context.env, tokens, closed, settings),
    ...(config.allowEnv && { allowEnv: config.allowEnv }),
    ...(config.allowFiles && { allowFiles: config.allowFiles }),
  });
  if (loaded.kind === 'refused') return { ...known, ...refused(loaded.diagnostics, loaded.ending, context) };
  return withService(settings, context, async (service): Promise<EndedApply> => {
    const now = await observedPlan(loaded, service, context);
    if (now.kind === 'failed') return { ...known, ending: now.ending, diagnostics: now.diagnostics };
    const stale = staleness(loaded, now);
    if (stale.length > 0) return { ...known, ...refused(stale, 'stale', context) };
    const { plan } = loaded;
    if (options.output === 'text')
      context.stdout.write(`${planText(plan, createStyle(context.stdout.colours))}\n`);
    const limit = tooManyCreates(plan, most, context);
    if (limit.length > 0) return { ...known, ending: 'failed', diagnostics: limit };
    events.planned(plan);
    const { failFast = false } = options;
    return {
      ...known,
      ...(await carryOut(plan, service, context, { events, failFast, saved: true })),
    };
  });
}

function refused(diagnostics: readonly Diagnostic[], ending: Ending, { stderr }: Context): EndedApply {
  stderr.write(
    `${diagnosticsText(diagnostics, createStyle(stderr.colours))}\nNothing was created.${ending === 'stale' ? ' Run `rollcall plan` again.' : ''}\n`,
  );
  return { ending, diagnostics, filenames: [] };
}
