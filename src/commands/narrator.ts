import { destinationLabel } from '../base/destination.ts';
import { listLine, requestLine } from '../report/formats/log-lines.ts';
import { createStyle, diagnosticsText, fitToWidth, type Style } from '../report/formats/lines.ts';
import { text } from '../report/formats/text.ts';
import { printableLine } from '../report/printable.ts';
import { validationReport } from '../report/report.ts';
import { outageWords, retryWords } from '../report/words/answers.ts';
import { laterFieldWords, laterReleaseWords } from '../report/words/doctor.ts';
import { failedReadDiagnostics, haltDiagnostics } from '../report/words/halts.ts';
import { lostLoginDiagnostics } from '../report/words/way-in.ts';
import type { NameFault, UnresolvedName } from '../observe/resolve-names.ts';
import type { RunEvent } from '../run/events.ts';
import type { Halt } from '../run/result.ts';
import type { Job } from '../run/world.ts';
import type { Context } from '../terminal/context.ts';
import { createProgress, type Progress } from '../terminal/progress.ts';
import { UsageError } from '../base/errors.ts';
import { nonEmpty, type EnvironmentVariables } from '../settings/environment.ts';
import type { ServiceFlags } from './flags.ts';

/** Pauses shorter than this are not reported. */
const minMentionedPauseMs = 2000;
/** Many requests may fail within seconds; a remark from time to time is enough. */
const minRemarkIntervalMs = 10_000;

export type NarratedJob = Context & Job;

/** Makes the job of a command. The job reports progress, remarks and problems on stderr. */
export function narratedJob(
  context: Context,
  flags: VerbosityFlags,
  alsoEmit: Job['emit'] = () => {},
): NarratedJob {
  const voice = verbosityOf(flags, context.env);
  const narrator = new Narrator(context, voice);
  return {
    ...context,
    haltWords: haltDiagnostics,
    emitsRequests: voice.log !== undefined,
    emit: (event) => {
      try {
        narrator.narrate(event);
      } finally {
        alsoEmit(event);
      }
    },
  };
}

type VerbosityFlags = Pick<ServiceFlags, 'verbose' | 'quiet'>;

interface Verbosity {
  /** Whether to report only results and errors, without progress, remarks or warnings. */
  readonly quiet: boolean;
  /** The format of the log of requests; undefined if there is no log. */
  readonly log?: 'text' | 'json';
}

function verbosityOf({ verbose, quiet = false }: VerbosityFlags, env: EnvironmentVariables): Verbosity {
  const variable = nonEmpty(env['ROLLCALL_LOG']);
  if (variable === 'json') return { quiet, log: 'json' };
  if (variable === 'debug' || verbose) return { quiet, log: 'text' };
  if (variable === undefined) return { quiet };
  throw new UsageError(`ROLLCALL_LOG cannot be ${JSON.stringify(variable)}`, 'Use debug or json.');
}

class Narrator {
  readonly #context: Context;
  readonly #voice: Verbosity;
  readonly #style: Style;
  #progress: Progress | undefined;
  #nextRemarkAt = 0;
  #isAway = false;
  #saidUntil = 0;

  constructor(context: Context, voice: Verbosity) {
    this.#context = context;
    this.#voice = voice;
    this.#style = createStyle(context.stderr);
  }

  #remark(words: string): void {
    if (!this.#voice.quiet) this.#context.stderr.write(`${fitToWidth(printableLine(words), this.#style)}\n`);
  }

  #endProgress(): void {
    this.#progress?.end();
    this.#progress = undefined;
  }

  narrate(event: RunEvent): void {
    const { stderr, clock } = this.#context;
    const { quiet, log } = this.#voice;
    const style = this.#style;
    switch (event.kind) {
      case 'checked': {
        const { isValid, manifests } = event;
        const shown = manifests.diagnostics.filter(({ severity }) => !quiet || severity === 'error');
        const found = { ...manifests, diagnostics: shown };
        if (!isValid) stderr.write(text(validationReport(found), { style }));
        else if (shown.length > 0) stderr.write(`${diagnosticsText(shown, style)}\n`);
        return;
      }
      case 'warned':
        this.#endProgress();
        if (!quiet) stderr.write(`${diagnosticsText(event.diagnostics, style)}\n`);
        return;
      case 'later_release':
        this.#remark(laterReleaseWords(event.release));
        return;
      case 'later_fields':
        for (const words of laterFieldWords(event.release, event.fields)) this.#remark(words);
        return;
      case 'progress': {
        const { stage, done, total, pace } = event;
        const label = stage === 'creating' ? 'Applying' : 'Looking up';
        if (done > 0) this.#progress?.update(done, total, pace);
        else {
          this.#endProgress();
          // Log lines would disrupt the bar.
          if (!quiet) this.#progress = createProgress(label, this.#context, log === undefined);
        }
        return;
      }
      case 'inventoried':
      case 'planned':
      case 'finished':
        this.#endProgress();
        if ('run' in event) stderr.write(diagnosticsText(lostLoginDiagnostics(event.run), style));
        return;
      case 'halted':
        this.#endProgress();
        stderr.write(haltText(event.halt, style));
        return;
      case 'retry':
        if (clock.now() < this.#nextRemarkAt) return;
        this.#nextRemarkAt = clock.now() + minRemarkIntervalMs;
        this.#remark(retryWords(event.answer));
        return;
      case 'outage':
        this.#isAway = event.news.kind === 'away';
        this.#remark(outageWords(event.news));
        return;
      case 'pause': {
        const { milliseconds, answer, isTooLong } = event;
        if (milliseconds < minMentionedPauseMs || (this.#isAway && !isTooLong)) return;
        // Several concurrent requests report the same pause.
        const until = clock.now() + milliseconds;
        if (until - this.#saidUntil < minMentionedPauseMs) return;
        this.#saidUntil = until;
        const end = isTooLong ? ', which is too long: the run ends' : '';
        const start = answer.retryAfter === undefined ? 'Waiting' : 'The service asks clients to wait';
        this.#remark(`${start} ${Math.ceil(milliseconds / 1000)} s (${answer.status})${end}.`);
        return;
      }
      case 'request':
        if (log) stderr.write(requestLine(event.request, log));
        return;
      case 'listed':
        if (log) stderr.write(listLine(event.news, new Date(clock.now()).toISOString(), log));
        return;
      case 'interrupted':
        stderr.write(`\n${fitToWidth(interruptedWords, style)}\n`);
    }
  }
}

function haltText(halt: Halt, style: Style): string {
  const found = halt.kind === 'unread' ? failedReadDiagnostics(halt.failures) : haltDiagnostics(halt);
  const diagnostics = diagnosticsText(halt.kind === 'not_confirmed' ? [] : found, style);
  const sentence = fitToWidth(haltSentence(halt), style);
  return diagnostics + (diagnostics && sentence && '\n') + sentence;
}

function haltSentence(halt: Halt): string {
  switch (halt.kind) {
    case 'unread': {
      const count = halt.failures.length;
      const cause = `${count === 0 ? '' : `${count} of `}the resources could not be looked up`;
      return noPlanSentence(halt, cause, count === 0 ? 'resource' : undefined);
    }
    case 'unresolved':
      return noPlanSentence(halt, unresolvedCause(halt.names, halt.notRead), 'name');
    case 'too_many':
      return '';
    case 'not_confirmed':
      return 'Not confirmed. Nothing was created or changed.\n';
    case 'refused':
    case 'stale': {
      const again = halt.kind === 'stale' || halt.isStale ? ' Run `rollcall plan` again.' : '';
      return `Nothing was created or changed.${again}\n`;
    }
  }
}

const interruptedWords = 'Interrupted. Finishing the changes under way; interrupt again to stop immediately.';

function unresolvedCause(names: readonly UnresolvedName[], notRead: number): string {
  if (names.length === 0 && notRead === 0) return 'some of the changes are refused';
  const areAll = (isSo: (fault: NameFault) => boolean): boolean =>
    names.length > 0 && names.every(({ fault }) => isSo(fault));
  if (areAll(({ kind }) => kind === 'unread')) return 'the names in the manifests could not be looked up';
  if (areAll(({ kind }) => kind === 'taken')) return 'a new resource has the name of another record';
  if (areAll(({ kind }) => kind === 'torn')) return 'the record to rename was not found or is ambiguous';
  return 'some names or ids in the manifests were not found';
}

/** Says why there is no plan, and how many resources or names were not looked up for that reason. */
function noPlanSentence(
  halt: Extract<Halt, { kind: 'unread' | 'unresolved' }>,
  cause: string,
  noun: string | undefined,
): string {
  const { notRead, interrupted } = halt;
  const more = halt.kind === 'unread' && halt.failures.length === 0 ? '' : ' more';
  const nouns = noun === undefined ? '' : ` ${noun}${notRead === 1 ? '' : 's'}`;
  const verb = notRead === 1 ? 'was' : 'were';
  const notReadSentence = notRead > 0 ? ` ${notRead}${more}${nouns} ${verb} not looked up.` : '';
  const reason = interrupted ? 'interrupted' : cause;
  return `No plan for ${printableLine(destinationLabel(halt))}: ${reason}.${notReadSentence} Nothing was changed.\n`;
}
