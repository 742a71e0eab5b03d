import { posix } from 'node:path';
import { unexpectedDiagnostic, usageDiagnostic, type Diagnostic } from '../base/diagnostic.ts';
import { asError, undefinedOnUsageError, UsageError } from '../base/errors.ts';
import type { Files } from '../base/files.ts';
import type { FinishedJob } from '../run/result.ts';
import { formatNames, formats, isFormat, type ReportFormat } from '../report/formats/all.ts';
import { json } from '../report/formats/json.ts';
import { createStyle } from '../report/formats/lines.ts';
import { markdown, stepSummaryLimit } from '../report/formats/markdown.ts';
import { text } from '../report/formats/text.ts';
import type { Detail, Format, Report } from '../report/report.ts';
import { nonEmpty, type EnvironmentVariables } from '../settings/environment.ts';
import { pathsInRepository } from '../settings/repository.ts';
import type { RunTarget } from '../settings/run-target.ts';
import { isBelow } from '../base/path-rules.ts';
import type { Context } from '../terminal/context.ts';
import { descriptorNamed } from '../terminal/write-file.ts';
import { tryWrite } from './new-files.ts';

interface Wanted {
  readonly format: ReportFormat;
  readonly write: Format;
  readonly filename: string;
}

export interface ReportFlags {
  readonly output: string;
  readonly report?: readonly string[];
  /** The key that identifies the comment on a pull request. By default, the key is derived from the flags. */
  readonly commentKey?: string;
}

/** The files that a command reads and writes, other than its reports. */
interface CommandFiles {
  readonly plan?: string | undefined;
  /** A folder that the command reads. */
  readonly baseline?: string | undefined;
  /** The files that the command reads, if they are given on the command line. */
  readonly inputs?: readonly string[];
  /** Finds the files that the command would have read, for a command that ended before its input files were known. */
  readonly find?: () => Promise<readonly string[]>;
}

interface ReportRequest {
  readonly flags: ReportFlags;
  readonly wanted: readonly Wanted[];
  readonly asked: CommandFiles;
  readonly context: Context;
}

/** Writes the outputs that `--output` and `--report FORMAT=FILE` ask for. */
export class Reports {
  readonly #of: ReportRequest;
  /** Whether a report on standard output replaces the text. Annotations are printed in addition to the text. */
  readonly replaceText: boolean;
  /** The outputs that are refused because they would overwrite an input. The set is undefined until the inputs are known. */
  #refused: ReadonlyMap<string, string> | undefined;

  private constructor(of: ReportRequest) {
    this.#of = of;
    this.replaceText = of.wanted.some(
      ({ format, filename }) => format !== 'github' && isStandardOutput(filename),
    );
  }

  /** Parses the values of `--report`. Rejects with a UsageError for an unknown format, or if two outputs are the same file. */
  static async parse(flags: ReportFlags, context: Context, asked: CommandFiles = {}): Promise<Reports> {
    const { output, report = [] } = flags;
    const wanted = report.map((value) => {
      const [, format = '', filename] = /^([^=]*)=(.+)$/s.exec(value) ?? [];
      if (isFormat(format) && filename !== undefined) return { format, filename };
      throw new UsageError(
        `--report cannot be ${JSON.stringify(value)}`,
        `Write --report FORMAT=FILE. The formats are: ${formatNames.join(', ')}.`,
      );
    });
    const targets = [...wanted.map(({ filename }) => filename), ...summaryOf(wanted, context.env)];
    const places = await Promise.all(targets.map((target) => fileIdentity(target, context.files)));
    const apart = 'Write each report to a different file.';
    const twice = targets.find((_, index) => places.indexOf(places[index] ?? '') !== index);
    if (twice !== undefined) throw new UsageError(`two reports would be written to ${twice}`, apart);
    const printed = wanted[places.indexOf('-')];
    if (printed && output !== 'text')
      throw new UsageError(
        `standard output cannot hold both -o ${output} and --report ${printed.format}=${printed.filename}`,
        `Name a file for the report, or leave out -o ${output}.`,
      );
    if (asked.plan !== undefined && places.includes(await fileIdentity(asked.plan, context.files)))
      throw new UsageError(`a report would overwrite the plan in ${asked.plan}`, apart);
    // Formats are loaded before any record is created, so that created records can always be reported.
    const loaded = wanted.map(async (each) => ({ ...each, write: await formats[each.format]() }));
    const request = { flags, wanted: await Promise.all(loaded), context, asked };
    const [refused] = await refusedOutputs(request, asked.inputs ?? []);
    if (refused !== undefined) throw overwriteError(...refused);
    return new Reports(request);
  }

  /** Prints the result of a command as JSON or text. Text is left out if a report to standard output replaces it. */
  print(report: Report, detail?: Detail): void {
    const { flags, context } = this.#of;
    const { stdout } = context;
    if (flags.output === 'json') stdout.write(json(report));
    else if (!this.replaceText) stdout.write(text(report, { style: createStyle(stdout), detail }));
  }

  /** Excludes outputs that would overwrite one of these inputs from `write`, and reports these outputs. */
  readonly refuse = async (inputs: readonly string[]): Promise<readonly Diagnostic[]> => {
    const refused = await refusedOutputs(this.#of, inputs);
    this.#refused = refused;
    return Array.from(refused, (entry) => usageDiagnostic(overwriteError(...entry)));
  };

  /** Writes every report; returns whether all were written. Runs with the same target use the same comment key. */
  async write(report: Report, target?: RunTarget): Promise<boolean> {
    const { flags, wanted, context } = this.#of;
    let isWritten = true;
    const isKnown = this.#refused !== undefined;
    const refused = this.#refused ?? (await this.#foundRefused());
    const attempt = async (filename: string, put: () => Promise<void> | void): Promise<void> => {
      const reason = refused.get(filename);
      const putUnlessRefused = async (): Promise<void> => {
        if (reason !== undefined) throw new Error(`It is a file ${reason}. Name another file.`);
        await put();
      };
      // Refused outputs have already been reported if the inputs of the run were known.
      const isDone =
        !(isKnown && reason !== undefined) &&
        (await tryWrite(filename, 'the report cannot be written to', putUnlessRefused, context));
      isWritten &&= isDone;
    };
    const pathInRepository = await pathsInRepository(context.env, context.files);
    const targetKey = target && { ...target, config: pathInRepository(target.config) };
    const commentKey = flags.commentKey === undefined ? targetKey : { key: flags.commentKey };
    const setting = { pathInRepository, commentKey };
    for (const { format, write, filename } of wanted) {
      await attempt(filename, () => {
        const written = write(report, setting);
        return isStandardOutput(filename)
          ? context.stdout.write(written)
          : context.writeReport(filename, written);
      });
      for (const summary of summaryOf([{ format }], context.env))
        await attempt(summary, () =>
          context.appendFile(summary, markdown(report, { ...setting, limit: stepSummaryLimit })),
        );
    }
    return isWritten;
  }

  /** The refused outputs of a run that ended before its inputs were known. If the inputs remain unknown, every output that exists is refused. */
  async #foundRefused(): Promise<ReadonlyMap<string, string>> {
    const { find } = this.#of.asked;
    const inputs = find ? await undefinedOnUsageError(find) : [];
    if (inputs) return await refusedOutputs(this.#of, inputs);
    const { files } = this.#of.context;
    const there = outputsOf(this.#of).map(async (output): Promise<[string, string][]> =>
      (await files.kindOf(output).catch(() => 'file')) === 'file'
        ? [[output, 'which this run may read']]
        : [],
    );
    return new Map((await Promise.all(there)).flat());
  }
}

function outputsOf({ wanted, asked: { plan }, context: { env } }: ReportRequest): readonly string[] {
  return [
    ...wanted.map(({ filename }) => filename).filter((filename) => !isStandardOutput(filename)),
    ...(plan === undefined ? [] : [plan]),
    ...summaryOf(wanted, env),
  ];
}

/** The outputs that would overwrite one of the inputs, or a file of the baseline, each with the reason. */
async function refusedOutputs(
  request: ReportRequest,
  inputs: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { files } = request.context;
  const { baseline } = request.asked;
  const outputs = outputsOf(request);
  const read = outputs.length === 0 ? [] : await Promise.all(inputs.map((path) => fileIdentity(path, files)));
  const identities = await Promise.all(outputs.map((output) => fileIdentity(output, files)));
  const folder = baseline === undefined ? undefined : await fileIdentity(baseline, files);
  const kinds = await Promise.all(outputs.map((output) => files.kindOf(output).catch(() => 'absent')));
  const refused = outputs.flatMap((output, index): [string, string][] => {
    const identity = identities[index] ?? '';
    if (read.includes(identity)) return [[output, 'which this run reads']];
    const isInBaseline = folder !== undefined && isBelow(identity, folder) && kinds[index] === 'file';
    return isInBaseline ? [[output, 'which is in the folder of the baseline']] : [];
  });
  return new Map(refused);
}

function overwriteError(output: string, reason: string): UsageError {
  const summary = `an output would overwrite ${output}, ${reason}`;
  return new UsageError(summary, 'Name another file for the output.');
}

/** The file for GitHub's summary. Returns undefined if there is no such file, or no report in GitHub's format was requested. */
function summaryOf(wanted: readonly Pick<Wanted, 'format'>[], env: EnvironmentVariables): string[] {
  const summary = nonEmpty(env['GITHUB_STEP_SUMMARY']);
  return summary !== undefined && wanted.some(({ format }) => format === 'github') ? [summary] : [];
}

/** Identifies a file, even if it does not exist: two names of the same file have the same identity. */
async function fileIdentity(filename: string, files: Pick<Files, 'realPath'>): Promise<string> {
  if (isStandardOutput(filename)) return '-';
  const real = (path: string): Promise<string | undefined> => files.realPath(path).catch(() => undefined);
  const folder = posix.dirname(filename);
  return (await real(filename)) ?? posix.join((await real(folder)) ?? folder, posix.basename(filename));
}

function isStandardOutput(filename: string): boolean {
  return descriptorNamed(filename) === 1;
}

/** Runs a command. Returns an error as `thrown`, because reports are written after an error too. */
export async function catchError<Result>(
  run: () => Promise<FinishedJob<Result>>,
): Promise<FinishedJob<Result> & { readonly thrown?: Error }> {
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
