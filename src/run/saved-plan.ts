import { diagnosticFor, type Problem } from '../base/diagnostic.ts';
import { reasonOf, UsageError } from '../base/errors.ts';
import type { Files } from '../base/files.ts';
import type { Plan } from '../plan/plan.ts';
import type { SavedPlan } from '../plan/saved/document.ts';
import { readSavedPlan } from '../plan/saved/read.ts';
import { restored } from '../plan/saved/resources.ts';
import { noConfig } from '../settings/config.ts';
import type { Settings } from '../settings/settings.ts';
import type { Halt } from './result.ts';
import type { World } from './world.ts';

type Refused = Extract<Halt, { kind: 'refused' }>;

interface LoadedPlan {
  readonly kind: 'loaded';
  readonly plan: Plan;
  /** As it was read. */
  readonly document: SavedPlan;
}

const maxBytes = 256 * 1024 * 1024;

/** Reads a saved plan for a service. Throws a UsageError when the file is none. */
export async function loadSavedPlan(
  filename: string,
  baseUrl: string,
  { own, config: { allowEnv, allowFiles } = noConfig }: Pick<Settings, 'own' | 'config'>,
  { env, files }: Pick<World, 'env' | 'files'>,
): Promise<LoadedPlan | Refused> {
  const read = readSavedPlan(await textOf(filename, files));
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
  const result = await restored(document, {
    env,
    files,
    own,
    ...(allowEnv && { allowEnv }),
    ...(allowFiles && { allowFiles }),
  });
  if (result.kind === 'restored') return { kind: 'loaded', plan: result.plan, document };
  const { diagnostics } = result;
  return { kind: 'refused', isStale: diagnostics.some(({ code }) => code === 'stale-plan'), diagnostics };
}

function refused(filename: string, problem: Problem): Refused {
  const diagnostic = diagnosticFor(filename, { detail: '', ...problem });
  return { kind: 'refused', isStale: true, diagnostics: [diagnostic] };
}

async function textOf(filename: string, files: Files): Promise<string> {
  try {
    const bytes = await files.read(filename, maxBytes + 1);
    if (bytes.length > maxBytes) throw new Error('it is too large');
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new UsageError(`the plan cannot be read from ${filename}`, reasonOf(error), { cause: error });
  }
}
