import { diagnosticFor, type Diagnostic } from '../base/diagnostic.ts';
import { kindWords } from '../kinds/all.ts';
import { plannedEffects, type Plan } from '../plan/plan.ts';
import { createStyle, diagnosticsText } from '../report/formats/lines.ts';
import { wholeNumber } from '../settings/service-settings.ts';
import type { Context } from './context.ts';

const unread = kindWords.unreadable.replace(/^./, (letter) => letter.toUpperCase());

/** Reads the value of `--max-creates`; none: no limit. */
export function mostCreates(maxCreates: string | undefined): number | undefined {
  return maxCreates === undefined ? undefined : wholeNumber('--max-creates', maxCreates, 0, 1_000_000);
}

/** The complaint, said on stderr, about a plan that would create more than is allowed; none when it would not. */
export function tooManyCreates(plan: Plan, most: number | undefined, context: Context): Diagnostic[] {
  const { add: count } = plannedEffects(plan);
  if (most === undefined || count <= most) return [];
  const diagnostic = diagnosticFor(undefined, {
    code: 'too-many-creates',
    summary: `the plan would create ${count} resources, and --max-creates allows ${most}`,
    detail: `${unread} count as well, because they may all be absent. Allow more, or narrow the plan with --target and --exclude.`,
  });
  context.stderr.write(diagnosticsText([diagnostic], createStyle(context.stderr.colours)));
  return [diagnostic];
}
