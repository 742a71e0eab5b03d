import { diagnosticFor, type Diagnostic, type Problem } from '../base/diagnostic.ts';
import { reasonOf, UsageError } from '../base/errors.ts';
import type { Plan } from '../plan/plan.ts';
import type { SavedPlan } from '../plan/saved/document.ts';
import { readSavedPlan } from '../plan/saved/read.ts';
import { restored, type SecretsOfPlan } from '../plan/saved/resources.ts';
import { changedSince } from '../plan/saved/staleness.ts';
import { stalePlan } from '../report/words/diagnostics.ts';
import type { Resource } from '../kinds/resource.ts';
import type { Context } from './context.ts';
import type { ObservedPlan } from './observed-plan.ts';

export type LoadedPlan =
  | {
      readonly kind: 'loaded';
      readonly plan: Plan;
      readonly resources: readonly Resource[];
      /** As it was read. */
      readonly document: SavedPlan;
    }
  /** It must not be applied. */
  | {
      readonly kind: 'refused';
      readonly ending: 'stale' | 'invalid';
      readonly diagnostics: readonly Diagnostic[];
    };

const maxBytes = 256 * 1024 * 1024;

/** Reads a saved plan for a service. Throws a UsageError when the file is none. */
export async function loadSavedPlan(
  filename: string,
  baseUrl: string,
  sources: SecretsOfPlan,
): Promise<LoadedPlan> {
  const read = readSavedPlan(await textOf(filename, sources.files));
  switch (read.kind) {
    case 'no_plan':
      throw new UsageError(
        `${filename} is not a saved plan: ${read.why}`,
        'Save one with `rollcall plan --out FILE`.',
      );
    case 'refused':
      return refused(filename, { code: 'stale-plan', summary: `this plan cannot be applied: ${read.why}` });
    case 'plan':
      break;
  }
  const { plan: document } = read;
  if (document.service !== baseUrl) {
    return refused(filename, {
      code: 'stale-plan',
      summary: `this plan was made for ${document.service}, and the service is ${baseUrl}`,
    });
  }
  const result = await restored(document, sources);
  if (result.kind === 'restored') {
    const { plan } = result;
    return { kind: 'loaded', plan, resources: plan.changes.map(({ resource }) => resource), document };
  }
  const { diagnostics } = result;
  const stale = diagnostics.some(({ code }) => code === 'stale-plan');
  return { kind: 'refused', ending: stale ? 'stale' : 'invalid', diagnostics };
}

/** What keeps a loaded plan from being applied to what is observed now. */
export function staleness(
  { document }: Extract<LoadedPlan, { kind: 'loaded' }>,
  now: Extract<ObservedPlan, { kind: 'planned' }>,
): Diagnostic[] {
  return stalePlan(changedSince(document, now.plan, now.observed));
}

function refused(filename: string, problem: Problem): LoadedPlan {
  return {
    kind: 'refused',
    ending: 'stale',
    diagnostics: [diagnosticFor(filename, { detail: 'Run `rollcall plan` again.', ...problem })],
  };
}

async function textOf(filename: string, files: Context['files']): Promise<string> {
  try {
    const bytes = await files.read(filename, maxBytes + 1);
    if (bytes.length > maxBytes) throw new Error('it is too large');
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new UsageError(`the plan cannot be read from ${filename}`, reasonOf(error), { cause: error });
  }
}
