import { UsageError } from '../errors.ts';
import { stepSummaryLimit, type Limit } from '../report/markdown.ts';
import { inline } from '../report/escape.ts';
import { nonEmpty } from '../settings/environment.ts';
import type { Context } from './context.ts';

/** The formats of a command: each a function that renders what came of it. */
type Formats<Result> = Readonly<Record<string, (result: Result, toolVersion: string) => string>>;

/** Reports to write, as `--report FORMAT=FILE` asks for them. */
export class Reports<Result> {
  readonly #wanted: readonly { readonly format: string; readonly filename: string }[];
  readonly #formats: Formats<Result>;
  readonly #comment: (result: Result, limit: Limit) => string;

  /** Reads the values of `--report`, or throws a UsageError that names the formats. `comment` renders Markdown. */
  constructor(
    values: readonly string[] | undefined,
    formats: Formats<Result>,
    comment: (result: Result, limit: Limit) => string,
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
  }

  /** Writes every report, to its file or to standard output; says on stderr which could not be written, and whether all were. */
  async write(result: Result, context: Context): Promise<boolean> {
    let written = true;
    const attempt = async (target: string, write: () => Promise<void> | void): Promise<void> => {
      try {
        await write();
      } catch (error) {
        written = false;
        const why = error instanceof Error ? error.message : String(error);
        context.stderr.write(
          `error: the report cannot be written to ${inline(target)}\n    ${inline(why)}\n`,
        );
      }
    };
    for (const { format, filename } of this.#wanted) {
      const text = this.#formats[format]?.(result, context.toolVersion) ?? '';
      await attempt(filename, () =>
        filename === '-' ? context.stdout.write(text) : context.writeFile(filename, text),
      );
      const summary = nonEmpty(context.env['GITHUB_STEP_SUMMARY']);
      if (format === 'github' && summary !== undefined)
        await attempt(summary, () => context.appendFile(summary, this.#comment(result, stepSummaryLimit)));
    }
    return written;
  }
}
