import { UsageError } from '../base/errors.ts';
import { formatNames, isFormat, type ReportFormat } from '../report/formats/all.ts';
import { applyReport, planReport, validationReport, type Report } from '../report/report.ts';
import type { Resource } from '../kinds/resource.ts';
import type { ChangeDocument } from '../plan/document.ts';
import { changeFrom, planFrom } from '../plan/read-document.ts';
import { toolVersion } from '../base/package-file.ts';
import type { Applied } from './apply.ts';
import { Manifests, type InvalidManifests, type ValidManifests } from './manifests.ts';
import type { NotPlanned, Planned } from './plan.ts';

export interface RenderOptions {
  /** What keeps the comment of this roll apart from those of others, in its first line; by default the service and the environment. */
  readonly commentKey?: string;
}

/** What `rollcall validate --report` writes. */
export function renderManifests(
  manifests: ValidManifests | InvalidManifests,
  format: ReportFormat,
  options?: RenderOptions,
): string {
  return render(manifests, validationReport(Manifests.reveal(manifests)), format, options);
}

/** What `rollcall plan --report` writes: the plan, or why there is none. */
export function renderPlan(
  result: Planned | NotPlanned,
  format: ReportFormat,
  options?: RenderOptions,
): string {
  const { diagnostics, filenames } = result.manifests;
  const ended =
    result.kind === 'planned'
      ? { result: planFrom(result.plan, resourceIn(result.manifests)), diagnostics, filenames }
      : { ...result, diagnostics: [...diagnostics, ...result.diagnostics], filenames };
  return render(result.manifests, planReport(ended), format, options);
}

/** What `rollcall apply --report` writes. */
export function renderApply(
  { manifests, ...run }: Applied,
  format: ReportFormat,
  options?: RenderOptions,
): string {
  const { diagnostics, filenames } = manifests;
  const resourceOf = resourceIn(manifests);
  const result = {
    ...run,
    plan: planFrom(run.plan, resourceOf),
    outcomes: run.outcomes.map((outcome) => ({ ...outcome, change: changeFrom(outcome.change, resourceOf) })),
    saved: false,
  };
  return render(manifests, applyReport({ result, diagnostics, filenames }), format, options);
}

function render(
  manifests: Manifests,
  report: Report,
  format: ReportFormat,
  { commentKey: key }: RenderOptions = {},
): string {
  if (!isFormat(format))
    throw new UsageError('there is no such format', `They are: ${formatNames.join(', ')}.`);
  return Manifests.reveal(manifests).formats[format](report, {
    toolVersion: toolVersion(),
    ...(key !== undefined && { commentKey: { key } }),
  });
}

function resourceIn(manifests: ValidManifests): (change: ChangeDocument) => Resource | undefined {
  const { resources } = Manifests.reveal(manifests);
  const declared = new Map(resources.map((resource) => [resource.address, resource]));
  return ({ address }) => declared.get(address);
}
