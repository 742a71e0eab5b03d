import { UsageError } from '../errors.ts';
import type { Context } from './context.ts';

/** A report to write, as `--report FORMAT=FILE` asks for it. */
interface WantedReport<Format> {
  readonly format: Format;
  /** `-` for standard output. */
  readonly filename: string;
}

/** Reads the values of `--report`, or throws a UsageError that names the formats. */
export function wantedReports<Format extends string>(
  values: readonly string[],
  formats: readonly Format[],
): WantedReport<Format>[] {
  return values.map((value) => {
    const [, written, filename] = /^([^=]*)=(.+)$/s.exec(value) ?? [];
    const format = formats.find((known) => known === written);
    if (format !== undefined && filename !== undefined) return { format, filename };
    throw new UsageError(
      `--report cannot be ${JSON.stringify(value)}`,
      `Write it as FORMAT=FILE. The formats are: ${formats.join(', ')}.`,
    );
  });
}

/** Writes a report to its file, or to standard output. */
export async function writeReport(filename: string, text: string, context: Context): Promise<void> {
  if (filename === '-') {
    context.stdout.write(text);
    return;
  }
  try {
    await context.writeFile(filename, text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`the report cannot be written to ${filename}`, why, { cause: error });
  }
}
