import type { Address } from '../base/diagnostic.ts';
import type { Kind } from '../kinds/kind.ts';
import type { Resource } from '../kinds/resource.ts';
import { soughtOf } from '../kinds/sought.ts';
import { isAnswered, timedOut } from '../service/answer.ts';
import type { Client, Reading } from '../service/client.ts';
import type { Pacing } from '../service/pacing.ts';
import { maxConsecutiveFailures } from '../service/retries.ts';
import { unreadOptionally, retrieve } from '../service/retrieve.ts';
import type { InconclusiveRead } from '../service/readable-kinds.ts';
import type { Observation } from './observation.ts';
import type { FailedRead } from './read-children.ts';

interface LookUpOptions {
  readonly client: Client;
  readonly pacing: Pacing;
  readonly signal?: AbortSignal | undefined;
  /** The name of the only other record with the same title, if a list showed one. */
  readonly namesakes: ReadonlyMap<Resource, string>;
  readonly onDone: () => void;
}

/** Looks up resources one by one, and decides whether a failure ends the others. */
export class LookUps {
  readonly observed: Map<Address, Observation> = new Map<Address, Observation>();
  readonly failures: FailedRead[] = [];
  readonly #options: LookUpOptions;
  #isStopped = false;
  #hasAnswered = false;
  #failuresInARow = 0;
  /** 404s without `detail`, whose meaning other answers of the run may show. */
  readonly #doubtful: { readonly resource: Resource; readonly reading: Reading }[] = [];
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
    const { client, pacing, signal } = this.#options;
    const { kind } = resource;
    if (!client.readable.canRead(kind)) {
      this.#leaveUnknown(resource, client.readable.unreadable.get(kind));
      return;
    }
    const reading = await retrieve(soughtOf(resource), client, pacing, signal);
    // After an interruption, or a pause that is too long, the resource stays unread.
    if (reading === undefined || (reading.proof === 'nothing' && signal?.aborted)) this.#isStopped = true;
    else if (kind.lookUp.isDocumented && reading.answer.form !== undefined && reading.proof !== 'absent')
      await this.#putOff(resource, reading);
    else {
      const unread = await unreadOptionally(kind, reading, client, pacing, signal);
      if (unread) this.#leaveUnknown(resource, unread);
      else this.#take(resource, reading);
    }
  }

  async #putOff(resource: Resource, reading: Reading): Promise<void> {
    const { client, pacing, signal } = this.#options;
    this.#doubtful.push({ resource, reading });
    if (this.#doubtful.length < maxConsecutiveFailures.lookUps) return;
    await client.evidence.learnAbsence({ pacing, signal });
    if (client.evidence.proofOf(reading.answer) === 'fault') this.#isStopped = true;
  }

  /** Judges each 404 without `detail` again, with all evidence of the run. */
  async #settleDoubtful(): Promise<void> {
    const { client, pacing, signal } = this.#options;
    if (this.#doubtful.length === 0 || signal?.aborted) return;
    await client.evidence.learnAbsence({ pacing, signal });
    await pacing.forEach(this.#doubtful, async ({ resource, reading }) => {
      const proof = client.evidence.proofOf(reading.answer);
      if (proof === 'absent' || proof === 'fault') return this.#take(resource, { ...reading, proof });
      const again = await retrieve(soughtOf(resource), client, pacing, signal);
      return this.#take(resource, again ?? reading);
    });
  }

  #leaveUnknown({ kind, address }: Resource, unread: InconclusiveRead | undefined): void {
    this.#options.onDone();
    this.observed.set(address, { presence: 'unknown', ...(unread && { unread }) });
    const count = (this.#unread.get(kind) ?? 0) + 1;
    this.#unread.set(kind, count);
    if (unread && count >= maxConsecutiveFailures.lookUps)
      this.#options.client.readable.markUnreadable(kind, unread);
  }

  #take(resource: Resource, reading: Reading): void {
    const { namesakes, onDone } = this.#options;
    const { address } = resource;
    onDone();
    this.#hasAnswered ||= isAnswered(reading.answer);
    if (reading.answer.ids) {
      this.observed.set(address, { presence: 'unknown', ids: reading.answer.ids });
      return;
    }
    switch (reading.proof) {
      case 'exists':
        this.#failuresInARow = 0;
        this.observed.set(address, { presence: 'present', held: reading.held });
        return;
      case 'absent':
        this.#failuresInARow = 0;
        this.observed.set(address, absentObservation(namesakes.get(resource)));
        return;
      case 'denied':
      case 'nothing':
      case 'fault':
        this.failures.push({ resource, proof: reading.proof, answer: reading.answer });
        this.#failuresInARow += 1;
        if (reading.stop !== undefined || this.#failuresInARow >= maxConsecutiveFailures.lookUps)
          this.#isStopped = true;
        // If the first reads time out, stop: the service is not answering.
        if (timedOut(reading.answer) && !this.#hasAnswered) this.#isStopped = true;
    }
  }
}

export function absentObservation(namesake: string | undefined): Observation {
  return { presence: 'absent', ...(namesake !== undefined && { namesake }) };
}
