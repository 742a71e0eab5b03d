import { wantedChildren } from '../kinds/access.ts';
import type { Kind } from '../kinds/kind.ts';
import type { Change } from '../plan/plan.ts';
import type { Pacing } from '../service/pacing.ts';
import { maxConsecutiveFailures } from '../service/retries.ts';
import type { OutcomeKind, StopReason } from './outcome.ts';
import type { RunControl } from './settle.ts';

interface StopsOptions {
  readonly pacing: Pick<Pacing, 'outage' | 'isTokenRefused'>;
  readonly signal?: AbortSignal | undefined;
  readonly fault: AbortSignal;
}

/** Decides whether the run, or all changes of one kind, must stop. A stop is final. */
export class RunStops {
  readonly #options: StopsOptions;
  readonly #kinds = new Map<Kind, StopReason>();
  /** The number of consecutive denials; a single denial stops nothing, because permissions can be limited to single records. */
  readonly #denials = new Map<Kind, number>();
  #run: StopReason | undefined;
  #areBindingsDenied = false;
  #hasEnded = false;
  #consecutiveDoubts = 0;
  #countedOutages = 0;

  constructor(options: StopsOptions) {
    this.#options = options;
  }

  /** Returns why a change must not start, or undefined if the change may start. */
  why(change: Change): StopReason | undefined {
    const { fault, signal, pacing } = this.#options;
    if (fault.aborted) return 'error';
    if (signal?.aborted) return 'interrupted';
    // A token that was refused while planning is tried again, so that the report contains the answer.
    if (pacing.isTokenRefused && this.#hasEnded) return 'token_refused';
    if (pacing.outage.waitedMs !== undefined) return 'away';
    const { resource, action } = change;
    if (action !== 'create' && (this.#denials.get(resource.kind) ?? 0) >= maxConsecutiveFailures.writes)
      return 'denials';
    return this.#run ?? this.stopReasonOfKind(change);
  }

  /** A denied create does not stop updates of the same kind, because permissions can be limited to single records. */
  stopReasonOfKind({ resource, action }: Change): StopReason | undefined {
    const reason = this.#kinds.get(resource.kind);
    const isBound = (): boolean => wantedChildren(resource).some(({ wanted }) => wanted.length > 0);
    if (this.#areBindingsDenied && action === 'create' && isBound()) return 'access_denied';
    return action !== 'create' && reason === 'denied' ? undefined : reason;
  }

  stopRun(reason: StopReason): void {
    this.#run ??= reason;
  }

  controlOf(change: Change, sending: RunControl['sending']): RunControl {
    const { kind } = change.resource;
    return {
      sending,
      stop: (scope, proof) => {
        if (scope === 'bindings') this.#areBindingsDenied = true;
        else if (scope !== 'type') this.stopRun(scope === 'pause' ? 'pause' : 'no_way');
        // A read-only service rejects updates too, so this reason also stops updates.
        else if (proof === 'read_only') this.#kinds.set(kind, 'read_only');
        else if (!this.#kinds.has(kind)) this.#kinds.set(kind, 'denied');
      },
      mayBegin: () => this.why(change) === undefined,
      mayRetry: () => this.stopReasonOfKind(change) === undefined,
    };
  }

  /** Counts failures, but failures in the same outage only once. `outages` is the number of outages that had ended when the change started. */
  count(change: Change, outcome: OutcomeKind, outages: number): void {
    this.#hasEnded = true;
    this.#countDenials(change, outcome);
    const { endedOutages } = this.#options.pacing.outage;
    // The change ended because its kind was stopped, so this is not another failure.
    if (outcome === 'not_attempted' && this.stopReasonOfKind(change) !== undefined) return;
    const isClear = outcome !== 'unknown' && outcome !== 'unfinished' && outcome !== 'not_attempted';
    if (isClear) this.#consecutiveDoubts = 0;
    else if (endedOutages === outages || endedOutages > this.#countedOutages) this.#consecutiveDoubts += 1;
    this.#countedOutages = endedOutages;
    if (this.#consecutiveDoubts >= maxConsecutiveFailures.writes) this.stopRun('doubts');
  }

  #countDenials({ resource: { kind }, action }: Change, outcome: OutcomeKind): void {
    if (action === 'create') return;
    if (outcome === 'denied') this.#denials.set(kind, (this.#denials.get(kind) ?? 0) + 1);
    else if (outcome === 'updated' || outcome === 'deleted') this.#denials.delete(kind);
  }
}
