import { unexpectedDiagnostic, usageDiagnostic } from '../base/diagnostic.ts';
import { asError, reasonOf, UsageError } from '../base/errors.ts';
import type { Files } from '../base/files.ts';
import type { Ran } from '../run/result.ts';
import { formatNames, formats, isFormat, type ReportFormat } from '../report/formats/all.ts';
import { markdown } from '../report/formats/markdown.ts';
import type { Format, Report } from '../report/report.ts';
import { stepSummaryLimit } from '../report/formats/markdown-comment.ts';
import { inline } from '../report/printable.ts';
import { nonEmpty } from '../settings/environment.ts';
import { pathsInRepository } from '../settings/repository.ts';
import type { Roll } from '../settings/roll.ts';
import type { Context } from '../terminal/context.ts';
import { descriptorNamed } from '../terminal/descriptor.ts';

interface Wanted {
  readonly format: ReportFormat;
  readonly write: Format;
  readonly filename: string;
}

export interface ReportFlags {
  /** What standard output is to hold. */
  readonly output: string;
  readonly report?: readonly string[];
  /** What tells the comment of this roll from those of others, in place of what follows from the flags. */
  readonly commentKey?: string;
}

/** Reports to write, as `--report FORMAT=FILE` asks for them. */
export class Reports {
  readonly #wanted: readonly Wanted[];
  /** Whether a report takes the place of the text on standard output; annotations stand beside it. */
  readonly replaceText: boolean;
  readonly #commentKey: ReportFlags['commentKey'];

  private constructor(wanted: readonly Wanted[], commentKey: ReportFlags['commentKey']) {
    this.#wanted = wanted;
    this.replaceText = wanted.some(
      ({ format, filename }) => format !== 'github' && isStandardOutput(filename),
    );
    this.#commentKey = commentKey;
  }

  /** Reads the values of `--report`; rejects with a UsageError that names the formats. `plan` is where the command saves a plan. */
  static async asked({ output, report = [], commentKey }: ReportFlags, plan?: string): Promise<Reports> {
    const wanted = report.map((value) => {
      const [, format = '', filename] = /^([^=]*)=(.+)$/s.exec(value) ?? [];
      if (isFormat(format) && filename !== undefined) return { format, filename };
      throw new UsageError(
        `--report cannot be ${JSON.stringify(value)}`,
        `Write it as FORMAT=FILE. The formats are: ${formatNames.join(', ')}.`,
      );
    });
    const targets = wanted.map(({ filename }) => (isStandardOutput(filename) ? '-' : filename));
    const twice = targets.find((filename, index) => targets.indexOf(filename) !== index);
    if (twice !== undefined)
      throw new UsageError(`two reports would be written to ${twice}`, 'Give each a place of its own.');
    const printed = wanted[targets.indexOf('-')];
    if (printed && output !== 'text')
      throw new UsageError(
        `standard output cannot hold both -o ${output} and --report ${printed.format}=${printed.filename}`,
        `Name a file for the report, or leave out -o ${output}.`,
      );
    if (plan !== undefined && targets.includes(plan))
      throw new UsageError(
        `a report would take the place of the plan in ${plan}`,
        'Give each a place of its own.',
      );
    // Loaded before anything is created, so that nothing can keep what was created from being told.
    return new Reports(
      await Promise.all(wanted.map(async (each) => ({ ...each, write: await formats[each.format]() }))),
      commentKey,
    );
  }

  /**
   * Writes every report, to its file or to standard output; says on stderr which could not be written, and whether all were.
   * Of the same roll, each run has the same key of its comment.
   */
  async write(report: Report, context: Context, roll?: Roll): Promise<boolean> {
    let written = true;
    const attempt = async (target: string, put: () => Promise<void> | void): Promise<void> => {
      const what = 'the report cannot be written';
      if (!(await wasPut(target, what, report.filenames, put, context))) written = false;
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
      const summary = nonEmpty(context.env['GITHUB_STEP_SUMMARY']);
      if (format === 'github' && summary !== undefined)
        await attempt(summary, () =>
          context.appendFile(summary, markdown(report, { ...setting, limit: stepSummaryLimit })),
        );
    }
    return written;
  }
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

/** Writes to a target, unless it is one of the files that were read; says on stderr why it could not, and whether it could. */
export async function wasPut(
  target: string,
  what: string,
  filenames: readonly string[],
  put: () => Promise<void> | void,
  { files, stderr }: Context,
): Promise<boolean> {
  try {
    if (await wasRead(target, filenames, files))
      throw new Error('It is one of the manifests that were read. Name another file.');
    await put();
    return true;
  } catch (error) {
    stderr.write(`error: ${what} to ${inline(target)}\n    ${inline(reasonOf(error))}\n`);
    return false;
  }
}

/** Whether a file that is to be written is one of those that were read: to replace it would lose what somebody wrote. */
async function wasRead(
  target: string,
  filenames: readonly string[],
  files: Pick<Files, 'realPath'>,
): Promise<boolean> {
  const realPathOf = (path: string): Promise<string | undefined> =>
    files.realPath(path).catch(() => undefined);
  const real = await realPathOf(target);
  if (real === undefined) return false; // nothing is there
  const read = await Promise.all(filenames.map((filename) => realPathOf(filename)));
  return read.includes(real);
}
