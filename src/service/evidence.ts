import { classifyRecordAnswer, type Answer } from './answer.ts';
import { isOwnDenial } from './denial.ts';
import type { Pacing } from './pacing.ts';
import { unusedSlug, probedKind } from './probe.ts';
import type { TokenUserReading } from './read-self.ts';
import { retryUntilProven } from './retries.ts';
import type { HttpRequest, Transport } from './transport.ts';
import { whatAnswersProve, type ReadProof } from './what-answers-prove.ts';

interface EvidenceRequests {
  readonly self: (signal?: AbortSignal) => Promise<TokenUserReading>;
  readonly send: Transport;
}

interface AskOptions {
  readonly pacing: Pacing;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The facts about the service that documented look-ups have shown in this run: whether its API exists, whether it accepts the
 * token, and which form of 404 means "absent". For a fact that no look-up has shown, extra requests are sent.
 */
export class ServiceEvidence {
  readonly #requests: EvidenceRequests;
  #isApiSeen = false;
  #isTokenAccepted = false;
  /** The form of a 404 without `detail` that means "absent" in this service. The value `detail` means that no such form exists. */
  #absentForm: string | undefined;
  /** Whether a record was found between the two answers that showed the form, so that these answers came from the service. */
  #isAbsentFormCertain = false;
  /** An application that a look-up or a list of this run has shown. */
  #foundName: string | undefined;
  #isAbsenceRefuted = false;
  #absentRecordAnswer: Promise<Answer | undefined> | undefined;
  #isAnonymousDenied: Promise<boolean> | undefined;

  constructor(requests: EvidenceRequests) {
    this.#requests = requests;
  }

  noteFound(name: string): void {
    this.#foundName = name;
  }

  /** Records the answer to a documented look-up that sent the token. */
  note(answer: Answer): void {
    const { kind, body, status } = answer;
    if (kind === 'found' || kind === 'not_found') this.#isTokenAccepted = true;
    const isRefusal = status === 400 && body !== undefined;
    if (kind === 'found' || kind === 'not_found' || isRefusal || isOwnDenial(answer)) this.#isApiSeen = true;
    // The service itself answers with `detail`, so any other form of 404 comes from a proxy.
    if (kind !== 'not_found') return;
    if (this.#absentForm !== undefined && this.#absentForm !== 'detail') this.refuteAbsence();
    this.#absentForm = 'detail';
  }

  /** Notes that a record counted as absent although it exists. */
  refuteAbsence(): void {
    this.#isAbsenceRefuted = true;
  }

  /** Returns true once after an answer has shown that a record that counted as absent may exist. */
  takeRefutedAbsence(): boolean {
    const isRefuted = this.#isAbsenceRefuted;
    this.#isAbsenceRefuted = false;
    return isRefuted;
  }

  proofOf({ kind, form }: Answer): ReadProof {
    const { read } = whatAnswersProve[kind];
    if (form === undefined || this.#absentForm === undefined) return read;
    // While the service restarts, a proxy may answer 404, which must not count as "absent".
    return form === this.#absentForm ? 'absent' : 'nothing';
  }

  /** Whether an answer that counts as "absent" also justifies leaving a record alone that may exist. */
  isCertainlyAbsent({ form }: Answer): boolean {
    return form === undefined || this.#isAbsentFormCertain;
  }

  /** Finds out whether a 404 without `detail` means "absent", for later calls of `proofOf`. */
  async learnAbsentForm(options: AskOptions): Promise<void> {
    if (this.#absentForm !== undefined) return;
    const nobody = await this.#askForAbsentRecord(options);
    if (nobody?.form === undefined || this.#absentForm !== undefined) return;
    const foundName = this.#foundName;
    if (foundName === undefined) {
      if (!this.#isApiSeen && !(await this.#isDeniedWithoutToken(options))) return;
    } else {
      // While a service is away, a proxy may answer every look-up with the same 404.
      const found = await this.#ask({ name: foundName }, options);
      if (found?.form === nobody.form) this.#absentForm ??= 'detail';
      if (found?.kind !== 'found') return;
    }
    // A proxy may send such a 404 for a moment, so a second answer must have the same form.
    const again = await this.#ask({}, options);
    if (again?.form !== nobody.form || this.#absentForm !== undefined) return;
    this.#absentForm = nobody.form;
    this.#isAbsentFormCertain = foundName !== undefined;
  }

  async isApiThere(options: AskOptions): Promise<boolean> {
    if (this.#isApiSeen) return true;
    await this.#askForAbsentRecord(options);
    if (!this.#isApiSeen) await this.learnAbsentForm(options);
    return this.#isApiSeen || (this.#absentForm !== undefined && this.#absentForm !== 'detail');
  }

  /**
   * Whether the service refuses every request with this token. An answered look-up shows that the token is accepted. Without
   * such an answer, the token counts as refused if the request for its user was denied. A token may expire during a run.
   */
  async isTokenRefused(options: AskOptions, mayHaveExpired: boolean): Promise<boolean> {
    if (this.#isTokenAccepted) return mayHaveExpired && (await this.#ask({}, options))?.kind === 'denied';
    const { pacing, signal } = options;
    const self = await retryUntilProven(() => this.#requests.self(signal), pacing);
    if (self?.proof === 'exists') return false;
    const nobody = await this.#askForAbsentRecord(options);
    if (nobody?.form !== undefined) await this.learnAbsentForm(options);
    if (nobody?.kind === 'denied') return true;
    const isAnswered = nobody !== undefined && ['exists', 'absent'].includes(this.proofOf(nobody));
    return !isAnswered && self?.proof === 'denied';
  }

  #askForAbsentRecord(options: AskOptions): Promise<Answer | undefined> {
    this.#absentRecordAnswer ??= this.#ask({}, options);
    return this.#absentRecordAnswer;
  }

  async #isDeniedWithoutToken(options: AskOptions): Promise<boolean> {
    this.#isAnonymousDenied ??= this.#ask({ isAnonymous: true }, options).then(
      (answer) => answer !== undefined && isOwnDenial(answer),
    );
    return this.#isAnonymousDenied;
  }

  async #ask(
    { name = unusedSlug, ...sender }: Pick<HttpRequest, 'isAnonymous'> & { readonly name?: string },
    { pacing, signal }: AskOptions,
  ): Promise<Answer | undefined> {
    const reading = await retryUntilProven(async () => {
      const path = probedKind.lookUp.path(name);
      const exchange = await this.#requests.send({ method: 'GET', path, ...sender }, signal);
      const answer = classifyRecordAnswer(exchange, probedKind, name);
      return { answer, proof: isInconclusive(answer) ? 'nothing' : whatAnswersProve[answer.kind].read };
    }, pacing);
    if (reading && !sender.isAnonymous) this.note(reading.answer);
    return reading?.answer;
  }
}

/** Whether the answer is missing or does not come from the service, so that a retry may help. */
function isInconclusive({ kind }: Answer): boolean {
  return kind === 'unexplained_refusal' || whatAnswersProve[kind].read === 'nothing';
}
