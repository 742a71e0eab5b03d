import { UsageError } from '../base/errors.ts';
import { formatNames, isFormat, type ReportFormat } from '../report/formats/all.ts';
import { applyReport, planReport, validationReport, type Report } from '../report/report.ts';
import type { Resource } from '../kinds/resource.ts';
import { changeFrom, planFrom, type ChangeDocument } from '../plan/document.ts';
import { toolVersion } from '../base/package-file.ts';
import type { Applied } from './apply.ts';
import { Manifests, type InvalidManifests, type ValidManifests } from './manifests.ts';
import type { NotPlanned, Planned } from './plan.ts';

/** What `rollcall validate --report` writes. */
export function renderManifests(manifests: ValidManifests | InvalidManifests, format: ReportFormat): string {
  return render(manifests, validationReport(Manifests.reveal(manifests)), format);
}

/** What `rollcall plan --report` writes: the plan, or why there is none. */
export function renderPlan(result: Planned | NotPlanned, format: ReportFormat): string {
  const { diagnostics, filenames } = result.manifests;
  const ended =
    result.kind === 'planned'
      ? { result: planFrom(result.plan, resourceIn(result.manifests)), diagnostics, filenames }
      : { diagnostics: [...diagnostics, ...result.diagnostics], filenames };
  return render(result.manifests, planReport(ended), format);
}

/** What `rollcall apply --report` writes. */
export function renderApply({ manifests, ...run }: Applied, format: ReportFormat): string {
  const { diagnostics, filenames } = manifests;
  const resourceOf = resourceIn(manifests);
  const result = {
    ...run,
    plan: planFrom(run.plan, resourceOf),
    outcomes: run.outcomes.map((outcome) => ({ ...outcome, change: changeFrom(outcome.change, resourceOf) })),
    saved: false,
  };
  return render(manifests, applyReport({ result, diagnostics, filenames }), format);
}

function render(manifests: Manifests, report: Report, format: ReportFormat): string {
  if (!isFormat(format))
    throw new UsageError('there is no such format', `They are: ${formatNames.join(', ')}.`);
  return Manifests.reveal(manifests).formats[format](report, { toolVersion: toolVersion() });
}

function resourceIn(manifests: ValidManifests): (change: ChangeDocument) => Resource | undefined {
  const { resources } = Manifests.reveal(manifests);
  const declared = new Map(resources.map((resource) => [resource.address, resource]));
  return ({ address }) => declared.get(address);
}
