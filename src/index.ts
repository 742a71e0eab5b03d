/** The library: the stages of a run, to be called one after the other. */
export { applyPlan, type ApplyOptions } from './apply/apply-plan.ts';
export { outcomeKinds, type Outcome, type OutcomeKind } from './apply/outcome.ts';
export type { Clock, Random } from './clock.ts';
export type { Diagnostic, DiagnosticCode } from './diagnostic.ts';
export type { Files } from './files.ts';
export { loadManifests, type LoadedManifests, type LoadOptions } from './manifest/load-manifests.ts';
export { observe, type ObserveOptions, type ObserveResult } from './observe/observe.ts';
export { makePlan, type PlanContext } from './plan/make-plan.ts';
export type { Change, Plan } from './plan/types.ts';
export type { Address, Resource } from './resource.ts';
export { createClient, type Client } from './service/client.ts';
export { createPacing, type Pacing } from './service/pacing.ts';
export type { Exchange, HttpRequest, Transport } from './service/transport.ts';
export { undiciTransport, type UndiciTransport } from './service/undici-transport.ts';
