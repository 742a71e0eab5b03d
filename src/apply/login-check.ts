import type { Address } from '../base/diagnostic.ts';
import { isOnWayIn, type Plan, type WayIn } from '../plan/plan.ts';
import type { FlowStart } from '../service/flow-executor.ts';
import { isMissing, type Outcome } from './outcome.ts';

/** A flow by which people could log in, and which did not begin after the last change on the way in. */
export interface LostWayIn {
  readonly slug: string;
  readonly start: Exclude<FlowStart, { readonly kind: 'begins' }>;
}

/** Asks whether the way in begins, before the first change on it is sent and after the last. It asks at no other time. */
export class LoginCheck {
  readonly #flows: WayIn['flows'];
  readonly #ask: (slug: string) => Promise<FlowStart>;
  readonly #left: Set<Address>;
  #begun: Promise<WayIn['flows']> | undefined;
  #isWhole = true;
  #lost: readonly LostWayIn[] = [];

  constructor({ changes, wayIn }: Plan, ask: (slug: string) => Promise<FlowStart>) {
    this.#flows = wayIn?.flows ?? [];
    this.#ask = ask;
    const onWay = changes.filter(isOnWayIn);
    this.#left = new Set(onWay.map(({ resource }) => resource.address));
  }

  get lost(): readonly LostWayIn[] {
    return this.#lost;
  }

  /** Called before a change is sent. */
  async before(address: Address): Promise<void> {
    if (!this.#left.has(address)) return;
    this.#begun ??= this.#beginning();
    await this.#begun;
  }

  /** Called with the outcome of each change. */
  async after(outcome: Outcome): Promise<void> {
    if (!this.#left.delete(outcome.change.resource.address)) return;
    if (isMissing(outcome)) this.#isWhole = false;
    if (this.#left.size === 0 && this.#begun) this.#lost = await this.#lostOf(await this.#begun);
  }

  /** The flows that begin. */
  async #beginning(): Promise<WayIn['flows']> {
    const found: WayIn['flows'][number][] = [];
    for (const flow of this.#flows)
      if (flow.before !== undefined && (await this.#ask(flow.before)).kind === 'begins') found.push(flow);
    return found;
  }

  async #lostOf(flows: WayIn['flows']): Promise<LostWayIn[]> {
    const lost: LostWayIn[] = [];
    for (const { before = '', after } of flows) {
      // Where a change failed, people may still go in as before.
      const slugs = new Set(this.#isWhole ? [after ?? before] : [before, after ?? before]);
      const starts: FlowStart[] = [];
      for (const slug of slugs) starts.push(await this.#ask(slug));
      if (starts.some(({ kind }) => kind === 'begins')) continue;
      const start = starts.find(({ kind }) => kind === 'unknown') ?? starts[0];
      if (start && start.kind !== 'begins') lost.push({ slug: after ?? before, start });
    }
    return lost;
  }
}
