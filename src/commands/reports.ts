import { diagnosticFor } from '../base/diagnostic.ts';
import { reasonOf, UsageError } from '../base/errors.ts';
import type { Ending } from '../base/exit-code.ts';
import type { Ended } from '../run/result.ts';
import { stepSummaryLimit, type Limit } from '../report/formats/markdown-comment.ts';
import { inline } from '../report/printable.ts';
import { nonEmpty } from '../settings/environment.ts';
import type { Context } from '../run/context.ts';
import { descriptorNamed } from '../terminal/descriptor.ts';
import { wasRead } from './was-read.ts';

/** The formats of a command: each a function that renders what came of it. */
type Formats<Result> = Readonly<Record<string, (result: Result, toolVersion: string) => string>>;

/** Reports to write, as `--report FORMAT=FILE` asks for them. */
export class Reports<Result extends { readonly filenames: readonly string[] }> {
  readonly #wanted: readonly { readonly format: string; readonly filename: string }[];
  readonly #formats: Formats<Result>;
  readonly #comment: (result: Result, limit: Limit) => string;

  /**
   * Reads the values of `--report`, or throws a UsageError that names the formats. `comment` renders Markdown;
   * `plan` is where the command saves a plan.
   */
  constructor(
    values: readonly string[] | undefined,
    formats: Formats<Result>,
    comment: (result: Result, limit: Limit) => string,
    plan?: string,
  ) {
    this.#formats = formats;
    this.#comment = comment;
    this.#wanted = (values ?? []).map((value) => {
      const [, format = '', filename] = /^([^=]*)=(.+)$/s.exec(value) ?? [];
      if (Object.hasOwn(formats, format) && filename !== undefined) return { format, filename };
      throw new UsageError(
        `--report cannot be ${JSON.stringify(value)}`,
        `Write it as FORMAT=FILE. The formats are: ${Object.keys(formats).join(', ')}.`,
      );
    });
    const targets = this.#wanted.map(({ filename }) => (isStandardOutput(filename) ? '-' : filename));
    const twice = targets.find((filename, index) => targets.indexOf(filename) !== index);
    if (twice !== undefined)
      throw new UsageError(`two reports would be written to ${twice}`, 'Give each a place of its own.');
    if (plan !== undefined && targets.includes(plan))
      throw new UsageError(
        `a report would take the place of the plan in ${plan}`,
        'Give each a place of its own.',
      );
  }

  /** Writes every report, to its file or to standard output; says on stderr which could not be written, and whether all were. */
  async write(result: Result, context: Context): Promise<boolean> {
    let written = true;
    const attempt = async (target: string, write: () => Promise<void> | void): Promise<void> => {
      try {
        if (await wasRead(target, result.filenames, context.files))
          throw new Error('It is one of the manifests that were read. Name another file.');
        await write();
      } catch (error) {
        written = false;
        context.stderr.write(
          `error: the report cannot be written to ${inline(target)}\n    ${inline(reasonOf(error))}\n`,
        );
      }
    };
    for (const { format, filename } of this.#wanted) {
      const text = this.#formats[format]?.(result, context.toolVersion) ?? '';
      await attempt(filename, () =>
        isStandardOutput(filename) ? context.stdout.write(text) : context.writeReport(filename, text),
      );
      const summary = nonEmpty(context.env['GITHUB_STEP_SUMMARY']);
      if (format === 'github' && summary !== undefined)
        await attempt(summary, () => context.appendFile(summary, this.#comment(result, stepSummaryLimit)));
    }
    return written;
  }
}

function isStandardOutput(filename: string): boolean {
  return descriptorNamed(filename) === 1;
}

/** How a command ends; a UsageError is one more way to end, for reports are written then too. */
export async function endedWell<Outcome extends Ended<unknown> & { readonly ending: Ending }>(
  run: () => Promise<Outcome>,
): Promise<Outcome | (Ended<never> & { readonly ending: Ending; readonly usageError: UsageError })> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const { message, hint } = error;
    const diagnostic = diagnosticFor(undefined, { code: 'invalid-usage', summary: message, detail: hint });
    return { ending: 'invalid', diagnostics: [diagnostic], filenames: [], usageError: error };
  }
}
