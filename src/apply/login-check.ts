import type { Address } from '../base/diagnostic.ts';
import { isLoginChange, type Plan, type PlannedLoginFlows } from '../plan/plan.ts';
import type { FlowStart } from '../service/flow-executor.ts';
import { isMissing, type Outcome } from './outcome.ts';

/** A login flow that people could start when the apply began. After the changes, the flow does not start, or it is unknown whether it starts. */
export interface LostLogin {
  readonly slug: string;
  readonly start: Exclude<FlowStart, { readonly kind: 'begins' }>;
}

/** Checks twice whether people can start the login flows: before any login flow is changed, and when all these changes have been made. */
export class LoginCheck {
  readonly #flows: PlannedLoginFlows['flows'];
  readonly #ask: (slug: string) => Promise<FlowStart>;
  readonly #pendingChanges: Set<Address>;
  #flowsBefore: Promise<PlannedLoginFlows['flows']> | undefined;
  #areAllFlowsKnown = true;
  #lost: readonly LostLogin[] = [];

  constructor({ changes, loginFlows }: Plan, ask: (slug: string) => Promise<FlowStart>) {
    this.#flows = loginFlows?.flows ?? [];
    this.#ask = ask;
    const onWay = changes.filter(isLoginChange);
    this.#pendingChanges = new Set(onWay.map(({ resource }) => resource.address));
  }

  get lost(): readonly LostLogin[] {
    return this.#lost;
  }

  async before(address: Address): Promise<void> {
    if (!this.#pendingChanges.has(address)) return;
    this.#flowsBefore ??= this.#startingFlows();
    await this.#flowsBefore;
  }

  async after(outcome: Outcome): Promise<void> {
    if (!this.#pendingChanges.delete(outcome.change.resource.address)) return;
    if (isMissing(outcome)) this.#areAllFlowsKnown = false;
    if (this.#pendingChanges.size === 0 && this.#flowsBefore)
      this.#lost = await this.#findLost(await this.#flowsBefore);
  }

  async #startingFlows(): Promise<PlannedLoginFlows['flows']> {
    const found: PlannedLoginFlows['flows'][number][] = [];
    for (const flow of this.#flows)
      if (flow.before !== undefined && (await this.#ask(flow.before)).kind === 'begins') found.push(flow);
    return found;
  }

  async #findLost(flows: PlannedLoginFlows['flows']): Promise<LostLogin[]> {
    const lost: LostLogin[] = [];
    for (const { before = '', after } of flows) {
      // If a change failed, people may still log in through the former flow.
      const slugs = new Set(this.#areAllFlowsKnown ? [after ?? before] : [before, after ?? before]);
      const starts: FlowStart[] = [];
      for (const slug of slugs) starts.push(await this.#ask(slug));
      if (starts.some(({ kind }) => kind === 'begins')) continue;
      const start = starts.find(({ kind }) => kind === 'unknown') ?? starts[0];
      if (start && start.kind !== 'begins') lost.push({ slug: after ?? before, start });
    }
    return lost;
  }
}
