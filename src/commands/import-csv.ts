import { delimiters } from '../adopt/choices.ts';
import { manifestOfTable } from '../adopt/csv.ts';
import { schemaComment } from '../adopt/write-manifest.ts';
import { UsageError } from '../base/errors.ts';
import type { Ending } from '../base/exit-code.ts';
import { standardInput, type Files } from '../base/files.ts';
import { didYouMean } from '../base/suggestion.ts';
import { defaultKinds, type ResourceType } from '../kinds/all.ts';
import type { Kind } from '../kinds/kind.ts';
import { createStyle, diagnosticsText } from '../report/formats/lines.ts';
import { hasErrors } from '../run/check.ts';
import type { Context } from '../terminal/context.ts';
import { schemaPathOf, writeNewFiles } from './new-files.ts';

export interface ImportCsvOptions {
  readonly kind?: string;
  readonly out?: string;
  readonly delimiter?: string;
}

/** `rollcall import csv`: writes the rows of a table as a manifest, to standard output or to a new file. */
export async function importCsv(
  filename: string,
  { kind: list, out, delimiter = 'comma' }: ImportCsvOptions,
  { files, stdout, stderr, createPrivateFiles }: Context,
): Promise<Ending> {
  const kind = kindOfList(list);
  const between = delimiters[delimiter] ?? delimiter;
  const { text, diagnostics } = await manifestOfTable(filename, kind, between, files);
  stderr.write(diagnosticsText(diagnostics, createStyle(stderr)));
  if (hasErrors(diagnostics)) {
    stderr.write('\nNothing was written.\n');
    return 'invalid';
  }
  const path = out === undefined || out === standardInput ? undefined : await fileFor(kind, out, files);
  const whole = schemaComment(schemaPathOf(path)) + text;
  if (path !== undefined)
    return (await writeNewFiles(new Map([[path, whole]]), { createPrivateFiles, stderr }))
      ? 'done'
      : 'failed';
  stdout.write(whole);
  return 'done';
}

/** Throws a UsageError for a list with several types, because a row of a table does not name its type. */
function kindOfList(list: string | undefined): Kind<ResourceType> {
  const inTables = defaultKinds.filter(({ variant }) => variant === undefined);
  const found = inTables.find((kind) => kind.list === list);
  if (found) return found;
  const known = inTables.map((kind) => kind.list);
  const wrong = list === undefined ? 'no --kind is given' : `--kind cannot be ${JSON.stringify(list)}`;
  const meant = list === undefined ? undefined : didYouMean(list, known);
  throw new UsageError(wrong, meant ?? `Choose the kind of the rows: ${known.join(', ')}.`);
}

/** The file to write. If `out` is a folder, the file in it is named after the list. */
async function fileFor({ list }: Kind, out: string, files: Files): Promise<string> {
  const isFolder = out.endsWith('/') || (await files.kindOf(out)) === 'folder';
  return isFolder ? `${out.replace(/\/+$/, '')}/${list}.yaml` : out;
}
