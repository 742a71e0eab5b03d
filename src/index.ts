/** The library: what the commands do, without a terminal. Explained in docs/library.md. */
export type { OutcomeKind, StopReason } from './apply/outcome.ts';
export type { Diagnostic } from './base/diagnostic.ts';
export type { DiagnosticCode } from './base/diagnostic-codes.ts';
export { UsageError } from './base/errors.ts';
export type { JsonObject, JsonValue } from './base/json.ts';
export { apply, type Applied, type AppliedOutcome as Outcome, type ApplyOptions } from './library/apply.ts';
export {
  loadManifests,
  type InvalidManifests,
  type LoadOptions,
  type ValidManifests,
} from './library/manifests.ts';
export { plan, type NotPlanned, type Planned, type PlanOptions } from './library/plan.ts';
export { renderApply, renderManifests, renderPlan, type RenderOptions } from './library/render.ts';
export type { ServiceOptions } from './library/service.ts';
export type { ChangeDocument as Change, PlanDocument as Plan } from './plan/document.ts';
export type { ReportFormat } from './report/formats/all.ts';
export type { Address } from './base/diagnostic.ts';
