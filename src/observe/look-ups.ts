import type { Address } from '../base/diagnostic.ts';
import type { Kind } from '../kinds/kind.ts';
import { formerName, isToBeDeleted } from '../kinds/lifecycle.ts';
import { type Resource, lookUpTargetOf } from '../kinds/resource.ts';
import { isAnswered, isTimeout } from '../service/answer.ts';
import type { LookUpResult, ReadContext } from '../service/client.ts';
import { maxConsecutiveFailures } from '../service/retries.ts';
import { ignorableFailure, retrieve } from '../service/retrieve.ts';
import type { InconclusiveRead } from '../service/readable-kinds.ts';
import type { Observation } from './observation.ts';
import type { FailedRead } from './read-children.ts';

interface LookUpOptions extends ReadContext {
  /** For an absent resource whose title exactly one record has, the name of this record. */
  readonly namesakes: ReadonlyMap<Resource, string>;
  readonly onDone: () => void;
}

/** Looks up resources one by one, and decides whether a failed look-up ends the run. */
export class LookUps {
  readonly observed: Map<Address, Observation> = new Map<Address, Observation>();
  readonly failures: FailedRead[] = [];
  readonly #options: LookUpOptions;
  #isStopped = false;
  #isResponsive = false;
  #consecutiveFailures = 0;
  /** Look-ups that ended with a 404 without `detail`: later answers may show whether such a 404 means "absent". */
  readonly #doubtful: { readonly resource: Resource; readonly reading: LookUpResult }[] = [];
  readonly #unread = new Map<Kind, number>();

  constructor(options: LookUpOptions) {
    this.#options = options;
  }

  async all(resources: readonly Resource[]): Promise<void> {
    const { pacing, signal } = this.#options;
    await pacing.forEach(resources, async (resource) => {
      if (!this.#isStopped && !signal?.aborted) await this.#lookUp(resource);
    });
    await this.#settleDoubtful();
  }

  async #lookUp(resource: Resource): Promise<void> {
    const { client, signal } = this.#options;
    const { kind } = resource;
    const unreadable = client.readable.unreadable.get(kind);
    if (unreadable) return this.#markUnknown(resource, unreadable);
    const reading = await retrieve(lookUpTargetOf(resource), this.#options);
    // The run was interrupted before the request was sent, or the requested pause was too long.
    if (reading === undefined || (reading.proof === 'nothing' && signal?.aborted)) this.#isStopped = true;
    else if (kind.lookUp.isDocumented && reading.answer.form !== undefined && reading.proof !== 'absent')
      await this.#deferDoubtful(resource, reading);
    else {
      const unread = await ignorableFailure(kind, reading, this.#options);
      if (unread) this.#markUnknown(resource, unread);
      else this.#record(resource, reading);
    }
  }

  async #deferDoubtful(resource: Resource, reading: LookUpResult): Promise<void> {
    const { client, pacing, signal } = this.#options;
    this.#doubtful.push({ resource, reading });
    if (this.#doubtful.length < maxConsecutiveFailures.lookUps) return;
    await client.evidence.learnAbsentForm({ pacing, signal });
    if (client.evidence.proofOf(reading.answer) === 'fault') this.#isStopped = true;
  }

  /** Judges each 404 without `detail` again, with the evidence of the whole run. */
  async #settleDoubtful(): Promise<void> {
    const { client, pacing, signal } = this.#options;
    if (this.#doubtful.length === 0 || signal?.aborted) return;
    await client.evidence.learnAbsentForm({ pacing, signal });
    await pacing.forEach(this.#doubtful, async ({ resource, reading }) => {
      const proof = client.evidence.proofOf(reading.answer);
      if (proof === 'absent' || proof === 'fault') return this.#record(resource, { ...reading, proof });
      const again = await retrieve(lookUpTargetOf(resource), this.#options);
      return this.#record(resource, again ?? reading);
    });
  }

  #markUnknown({ kind, address }: Resource, unread: InconclusiveRead): void {
    this.#options.onDone();
    this.observed.set(address, { presence: 'unknown', unread });
    const count = (this.#unread.get(kind) ?? 0) + 1;
    this.#unread.set(kind, count);
    if (count >= maxConsecutiveFailures.lookUps) this.#options.client.readable.unreadable.set(kind, unread);
  }

  #record(resource: Resource, reading: LookUpResult): void {
    const { client, namesakes, onDone } = this.#options;
    const { address } = resource;
    onDone();
    this.#isResponsive ||= isAnswered(reading.answer);
    if (reading.answer.ids) {
      this.observed.set(address, { presence: 'unknown', ids: reading.answer.ids });
      return;
    }
    switch (reading.proof) {
      case 'exists':
        this.#consecutiveFailures = 0;
        this.observed.set(address, { presence: 'present', held: reading.held });
        return;
      case 'absent':
        this.#consecutiveFailures = 0;
        this.observed.set(
          address,
          needsProofOfAbsence(resource) && !client.evidence.isCertainlyAbsent(reading.answer)
            ? { presence: 'unknown', unread: { proof: 'fault', answer: reading.answer } }
            : absentObservation(namesakes.get(resource)),
        );
        return;
      case 'denied':
      case 'nothing':
      case 'fault':
        this.failures.push({ resource, proof: reading.proof, answer: reading.answer });
        this.#consecutiveFailures += 1;
        if (reading.stop !== undefined || this.#consecutiveFailures >= maxConsecutiveFailures.lookUps)
          this.#isStopped = true;
        // The service has not answered any request yet, so further look-ups would probably time out too.
        if (isTimeout(reading.answer) && !this.#isResponsive) this.#isStopped = true;
    }
  }
}

/** Whether no later create would show that a record counted as absent by mistake. */
function needsProofOfAbsence(resource: Resource): boolean {
  return isToBeDeleted(resource) || formerName(resource) !== undefined;
}

export function absentObservation(namesake: string | undefined): Observation {
  return { presence: 'absent', ...(namesake !== undefined && { namesake }) };
}
