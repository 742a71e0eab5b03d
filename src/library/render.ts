import { applyReports } from '../report/apply-reports.ts';
import type { ReportFormat } from '../report/ended.ts';
import { planReports } from '../report/plan-reports.ts';
import { validationReports } from '../report/validation-reports.ts';
import type { Resource } from '../kinds/resource.ts';
import { changeFrom, planFrom, type ChangeDocument } from '../plan/document.ts';
import { toolVersion } from '../base/tool-version.ts';
import type { Applied } from './apply.ts';
import { Manifests, type InvalidManifests, type ValidManifests } from './manifests.ts';
import type { NotPlanned, Planned } from './plan.ts';

/** What `rollcall validate --report` writes. */
export function renderManifests(manifests: ValidManifests | InvalidManifests, format: ReportFormat): string {
  return validationReports[format](Manifests.reveal(manifests), toolVersion());
}

/** What `rollcall plan --report` writes: the plan, or why there is none. */
export function renderPlan(result: Planned | NotPlanned, format: ReportFormat): string {
  const { diagnostics, filenames } = result.manifests;
  const ended =
    result.kind === 'planned'
      ? { result: planFrom(result.plan, resourceIn(result.manifests)), diagnostics, filenames }
      : { diagnostics: [...diagnostics, ...result.diagnostics], filenames };
  return planReports[format](ended, toolVersion());
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
  return applyReports[format]({ result, diagnostics, filenames }, toolVersion());
}

function resourceIn(manifests: ValidManifests): (change: ChangeDocument) => Resource | undefined {
  const { resources } = Manifests.reveal(manifests);
  const declared = new Map(resources.map((resource) => [resource.address, resource]));
  return ({ address }) => declared.get(address);
}
