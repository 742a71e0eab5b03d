import { destinationName, type Destination } from '../../base/destination.ts';
import { diagnosticFor, type Diagnostic, type Problem } from '../../base/diagnostic.ts';
import { readOrRefuse, UsageError } from '../../base/errors.ts';
import type { Files } from '../../base/files.ts';
import type { Reach } from '../../kinds/capability.ts';
import type { Plan } from '../plan.ts';
import type { SavedPlan } from './document.ts';
import { readSavedPlan } from './read.ts';
import { restored, type SecretsOfPlan } from './resources.ts';

type OpenedPlan =
  | {
      readonly kind: 'opened';
      readonly plan: Plan;
      /** As it was read. */
      readonly document: SavedPlan;
    }
  /** It must not be applied, or not here. */
  | { readonly kind: 'refused'; readonly isStale: boolean; readonly diagnostics: readonly Diagnostic[] };

const maxBytes = 256 * 1024 * 1024;

/** Opens a saved plan, to be applied to a service by a run that goes so far. Throws a UsageError when the file is none. */
export async function openSavedPlan(
  filename: string,
  destination: Destination,
  { contractOnly, capabilities }: Reach,
  sources: SecretsOfPlan,
): Promise<OpenedPlan> {
  const text = await readOrRefuse('the plan', filename, textOf(filename, sources.files));
  const read = readSavedPlan(text);
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
  const { service, environment = document.environment } = destination;
  if (document.service !== service || document.environment !== environment) {
    return refused(filename, {
      code: 'stale-plan',
      summary: `this plan was made for ${destinationName(document)}, and this is ${destinationName(destination)}`,
    });
  }
  const off = document.capabilities?.find((capability) => !capabilities.includes(capability));
  if (off !== undefined) {
    return refused(filename, {
      code: 'stale-plan',
      summary: `this plan was made with the capability ${JSON.stringify(off)}, which is not turned on here`,
      detail: 'Turn on the same capabilities, or make a new plan.',
    });
  }
  if (contractOnly && !document.contract_only) {
    return refused(filename, {
      code: 'stale-plan',
      summary: 'this plan was made with more than the documented operations, and this run keeps to them',
      detail: 'Apply it without contract_only, or make a new plan with it.',
    });
  }
  const result = await restored(document, sources);
  if (result.kind === 'restored') return { kind: 'opened', plan: result.plan, document };
  const { diagnostics } = result;
  return { kind: 'refused', isStale: diagnostics.some(({ code }) => code === 'stale-plan'), diagnostics };
}

function refused(filename: string, problem: Problem): OpenedPlan {
  const diagnostic = diagnosticFor(filename, { detail: '', ...problem });
  return { kind: 'refused', isStale: true, diagnostics: [diagnostic] };
}

async function textOf(filename: string, files: Files): Promise<string> {
  const bytes = await files.read(filename, maxBytes + 1);
  if (bytes.length > maxBytes) throw new Error('it is too large');
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
}
