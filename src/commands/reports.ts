import { posix } from 'node:path';
import { diagnosticFor, unexpectedDiagnostic, usageDiagnostic, type Diagnostic } from '../base/diagnostic.ts';
import { asError, reasonOf, unlessUsage, UsageError } from '../base/errors.ts';
import type { Files } from '../base/files.ts';
import type { Ran } from '../run/result.ts';
import { formatNames, formats, isFormat, type ReportFormat } from '../report/formats/all.ts';
import { markdown, stepSummaryLimit } from '../report/formats/markdown.ts';
import type { Format, Report } from '../report/report.ts';
import { inline } from '../report/printable.ts';
import { nonEmpty, type Environment } from '../settings/environment.ts';
import { pathsInRepository } from '../settings/repository.ts';
import type { Roll } from '../settings/roll.ts';
import type { Context } from '../terminal/context.ts';
import { descriptorNamed } from '../terminal/write-file.ts';

interface Wanted {
  readonly format: ReportFormat;
  readonly write: Format;
  readonly filename: string;
}

export interface ReportFlags {
  /** What standard output is to hold. */
  readonly output: string;
  readonly report?: readonly string[];
  /** What distinguishes the comment of this roll from those of others, in place of what follows from the flags. */
  readonly commentKey?: string;
}

/** What a command knows of its outputs beside its reports. */
interface Asked {
  /** Where it saves a plan. */
  readonly plan?: string | undefined;
  /** What it reads, as far as the command line says. */
  readonly inputs?: readonly string[];
  /** Finds what it reads, where it ended before that was known. */
  readonly find?: () => Promise<readonly string[]>;
}

/** Reports to write, as `--report FORMAT=FILE` asks for them. */
export class Reports {
  readonly #wanted: readonly Wanted[];
  /** Whether a report takes the place of the text on standard output; annotations stand beside it. */
  readonly replaceText: boolean;
  readonly #commentKey: ReportFlags['commentKey'];
  readonly #context: Pick<Context, 'env' | 'files'>;
  readonly #asked: Asked;
  /** The outputs that would take the place of what is read; none as long as that is not known. */
  #refused: ReadonlySet<string> | undefined;

  private constructor(
    wanted: readonly Wanted[],
    commentKey: ReportFlags['commentKey'],
    asked: Asked,
    context: Pick<Context, 'env' | 'files'>,
  ) {
    this.#wanted = wanted;
    this.replaceText = wanted.some(
      ({ format, filename }) => format !== 'github' && isStandardOutput(filename),
    );
    this.#commentKey = commentKey;
    this.#asked = asked;
    this.#context = context;
  }

  /** Reads the values of `--report`; rejects with a UsageError that names the formats, or outputs that are one file. */
  static async asked(
    { output, report = [], commentKey }: ReportFlags,
    context: Pick<Context, 'env' | 'files'>,
    asked: Asked = {},
  ): Promise<Reports> {
    const wanted = report.map((value) => {
      const [, format = '', filename] = /^([^=]*)=(.+)$/s.exec(value) ?? [];
      if (isFormat(format) && filename !== undefined) return { format, filename };
      throw new UsageError(
        `--report cannot be ${JSON.stringify(value)}`,
        `Write it as FORMAT=FILE. The formats are: ${formatNames.join(', ')}.`,
      );
    });
    const isSummed = wanted.some(({ format }) => format === 'github');
    const targets = [...wanted.map(({ filename }) => filename), ...(isSummed ? summaryIn(context.env) : [])];
    const places = await Promise.all(targets.map((target) => placeOf(target, context.files)));
    const twice = targets.find((_, index) => places.indexOf(places[index] ?? '') !== index);
    if (twice !== undefined)
      throw new UsageError(`two reports would be written to ${twice}`, 'Give each a place of its own.');
    const printed = wanted[places.indexOf('-')];
    if (printed && output !== 'text')
      throw new UsageError(
        `standard output cannot hold both -o ${output} and --report ${printed.format}=${printed.filename}`,
        `Name a file for the report, or leave out -o ${output}.`,
      );
    if (asked.plan !== undefined && places.includes(await placeOf(asked.plan, context.files)))
      throw new UsageError(
        `a report would take the place of the plan in ${asked.plan}`,
        'Give each a place of its own.',
      );
    // Loaded before anything is created, so that nothing can keep what was created from being reported.
    const loaded = wanted.map(async (each) => ({ ...each, write: await formats[each.format]() }));
    const reports = new Reports(await Promise.all(loaded), commentKey, asked, context);
    const [clash] = await reports.refuse(asked.inputs ?? []);
    if (clash) throw new UsageError(clash.summary, clash.detail);
    reports.#refused = undefined;
    return reports;
  }

  /** Says which outputs would take the place of these files, which are read; no such report is written. */
  readonly refuse = async (inputs: readonly string[]): Promise<readonly Diagnostic[]> => {
    const { files } = this.#context;
    const refused: string[] = [];
    if (this.#outputs.length > 0) {
      const read = new Set(await Promise.all(inputs.map((path) => placeOf(path, files))));
      for (const output of this.#outputs) if (read.has(await placeOf(output, files))) refused.push(output);
    }
    this.#refused = new Set(refused);
    return refused.map((output) =>
      diagnosticFor(undefined, {
        code: 'invalid-usage',
        summary: `an output would take the place of ${output}, which this run reads`,
        detail: 'Name another file for it.',
      }),
    );
  };

  /**
   * Writes every report, to its file or to standard output; says on stderr which could not be written, and whether all were.
   * Of the same roll, each run has the same key of its comment.
   */
  async write(report: Report, context: Context, roll?: Roll): Promise<boolean> {
    let written = true;
    const isKnown = this.#refused !== undefined;
    const refused = this.#refused ?? (await this.#foundRefused());
    const attempt = async (target: string, put: () => Promise<void> | void): Promise<void> => {
      const putUnlessRefused = async (): Promise<void> => {
        if (refused.has(target)) throw new Error('This run reads it, or may. Name another file.');
        await put();
      };
      const isDone =
        isKnown && refused.has(target)
          ? false
          : await couldWrite(target, 'the report cannot be written', putUnlessRefused, context);
      written &&= isDone;
    };
    const pathInRepository = await pathsInRepository(context.env, context.files);
    const ofRoll = roll && { ...roll, config: pathInRepository(roll.config) };
    const key = this.#commentKey;
    const commentKey = key === undefined ? ofRoll : { key };
    const setting = { ...context, pathInRepository, ...(commentKey && { commentKey }) };
    for (const { format, write, filename } of this.#wanted) {
      await attempt(filename, () => {
        const text = write(report, setting);
        return isStandardOutput(filename) ? context.stdout.write(text) : context.writeReport(filename, text);
      });
      for (const summary of format === 'github' ? summaryIn(context.env) : [])
        await attempt(summary, () =>
          context.appendFile(summary, markdown(report, { ...setting, limit: stepSummaryLimit })),
        );
    }
    return written;
  }

  /** What is refused where a run ended before it was known what it reads: what is there, if that is not known either. */
  async #foundRefused(): Promise<ReadonlySet<string>> {
    const { find } = this.#asked;
    const inputs = find ? await unlessUsage(find) : [];
    if (inputs) await this.refuse(inputs);
    if (this.#refused) return this.#refused;
    const { files } = this.#context;
    const there = this.#outputs.map(async (output) =>
      (await files.kindOf(output).catch(() => 'file')) === 'file' ? [output] : [],
    );
    return new Set((await Promise.all(there)).flat());
  }

  /** All files that are written. */
  get #outputs(): readonly string[] {
    const { plan } = this.#asked;
    const isSummed = this.#wanted.some(({ format }) => format === 'github');
    return [
      ...this.#wanted.map(({ filename }) => filename).filter((filename) => !isStandardOutput(filename)),
      ...(plan === undefined ? [] : [plan]),
      ...(isSummed ? summaryIn(this.#context.env) : []),
    ];
  }
}

/** The file of GitHub's summary, where there is one. */
function summaryIn(env: Environment): string[] {
  const summary = nonEmpty(env['GITHUB_STEP_SUMMARY']);
  return summary === undefined ? [] : [summary];
}

/** What is the same for two names of one file, whether it is there or not. */
async function placeOf(filename: string, files: Pick<Files, 'realPath'>): Promise<string> {
  if (isStandardOutput(filename)) return '-';
  const real = (path: string): Promise<string | undefined> => files.realPath(path).catch(() => undefined);
  const folder = posix.dirname(filename);
  return (await real(filename)) ?? posix.join((await real(folder)) ?? folder, posix.basename(filename));
}

function isStandardOutput(filename: string): boolean {
  return descriptorNamed(filename) === 1;
}

/** How a command ends; an error is one more way to end, for reports are written then too. It is `thrown` after that. */
export async function endedWell<Result>(
  run: () => Promise<Ran<Result>>,
): Promise<Ran<Result> & { readonly thrown?: Error }> {
  try {
    return await run();
  } catch (error) {
    const thrown = asError(error);
    const known = { filenames: [], thrown };
    return thrown instanceof UsageError
      ? { ...known, ending: 'invalid', diagnostics: [usageDiagnostic(thrown)] }
      : { ...known, ending: 'failed', diagnostics: [unexpectedDiagnostic(thrown)] };
  }
}

/** Writes to a target; says on stderr why it could not, and whether it could. */
export async function couldWrite(
  target: string,
  what: string,
  put: () => Promise<void> | void,
  { stderr }: Pick<Context, 'stderr'>,
): Promise<boolean> {
  try {
    await put();
    return true;
  } catch (error) {
    stderr.write(`error: ${what} to ${inline(target)}\n    ${inline(reasonOf(error))}\n`);
    return false;
  }
}
