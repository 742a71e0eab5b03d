import { delimiters } from '../adopt/choices.ts';
import { manifestOfTable } from '../adopt/csv.ts';
import { schemaComment } from '../adopt/write-manifest.ts';
import type { Ending } from '../base/exit-code.ts';
import type { Files } from '../base/files.ts';
import type { Kind } from '../kinds/kind.ts';
import { createStyle, diagnosticsText } from '../report/formats/lines.ts';
import { hasErrors } from '../run/check.ts';
import type { Context } from '../terminal/context.ts';
import { schemaFrom, writeNew } from './new-manifests.ts';

export interface ImportCsvOptions {
  /** A file that is not there yet, or a folder for it. */
  readonly out?: string;
  readonly delimiter?: string;
}

/** `rollcall import csv`: writes a manifest of the rows of a table, to standard output or to a new file. */
export async function importCsv(
  filename: string,
  { out, delimiter = 'comma' }: ImportCsvOptions,
  context: Context,
): Promise<Ending> {
  const { files, stdout, stderr } = context;
  const { kind, text, diagnostics } = await manifestOfTable(
    filename,
    delimiters[delimiter] ?? delimiter,
    files,
  );
  stderr.write(diagnosticsText(diagnostics, createStyle(stderr)));
  if (hasErrors(diagnostics)) {
    stderr.write('\nNothing was written.\n');
    return 'invalid';
  }
  const path = out !== undefined && kind ? await fileFor(kind, out, files) : undefined;
  const whole = schemaComment(schemaFrom(path)) + text;
  if (path !== undefined) return writeNew(new Map([[path, whole]]), context);
  stdout.write(whole);
  return 'done';
}

/** The file that is meant: in a folder, it is called after what it declares. */
async function fileFor({ list }: Kind, out: string, files: Files): Promise<string> {
  const isFolder = out.endsWith('/') || (await files.kindOf(out)) === 'folder';
  return isFolder ? `${out.replace(/\/+$/, '')}/${list}.yaml` : out;
}
