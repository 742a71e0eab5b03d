import { delimiters } from '../adopt/choices.ts';
import { plainMapping, type Mapping } from '../adopt/csv-columns.ts';
import { declarationOf, manifestOfTable, tableOf } from '../adopt/csv.ts';
import { mergeTable, type MergedEntry } from '../adopt/merge-table.ts';
import { schemaComment } from '../adopt/write-manifest.ts';
import { reasonOf, UsageError } from '../base/errors.ts';
import type { Ending } from '../base/exit-code.ts';
import { withTexts, type Files } from '../base/files.ts';
import type { Kind } from '../kinds/kind.ts';
import { loadManifests } from '../manifest/load-manifests.ts';
import { createStyle, diagnosticsText } from '../report/formats/lines.ts';
import { inline } from '../report/printable.ts';
import { hasErrors } from '../run/check.ts';
import type { Context } from '../terminal/context.ts';
import { readText } from '../yaml/read-text.ts';
import { limitOf } from './flags.ts';
import { schemaFrom, writeNew } from './new-manifests.ts';

export interface ImportCsvOptions {
  /** A file that is not there yet, or a folder for it. */
  readonly out?: string;
  /** A manifest that is there: what differs is written into it. */
  readonly into?: string;
  /** How many of its entries the table may lack. */
  readonly maxGone?: string;
  readonly delimiter?: string;
  /** Which field a column is, as NAME=FIELD. */
  readonly column?: readonly string[];
  readonly ignore?: readonly string[];
}

/** `rollcall import csv`: writes a manifest of the rows of a table, to standard output, to a new file, or into one that is there. */
export async function importCsv(
  filename: string,
  options: ImportCsvOptions,
  context: Context,
): Promise<Ending> {
  const { out, into, delimiter: named = 'comma' } = options;
  const { files, stdout, stderr } = context;
  const delimiter = delimiters[named] ?? named;
  const mapping = mappingOf(options);
  if (into !== undefined && out !== undefined)
    throw new UsageError(
      '--out writes a new file, and --into one that is there',
      'Leave out one of the two.',
    );
  if (into !== undefined) return importInto(into, filename, delimiter, mapping, options, context);
  const { kind, text, diagnostics } = await manifestOfTable(filename, delimiter, files, mapping);
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

function mappingOf({ column = [], ignore = [] }: ImportCsvOptions): Mapping {
  const fields = column.map((written): [string, string] => {
    const at = written.lastIndexOf('=');
    if (at > 0 && at < written.length - 1) return [written.slice(0, at), written.slice(at + 1)];
    throw new UsageError(
      `--column cannot be ${JSON.stringify(written)}`,
      'Write the name of the column and the field, such as: --column "Last name"=name.',
    );
  });
  return { ...plainMapping, fields: new Map(fields), ignored: new Set(ignore) };
}

/** Writes what differs into a manifest that is there, which is checked as a whole before. */
async function importInto(
  into: string,
  table: string,
  delimiter: string,
  mapping: Mapping,
  { maxGone }: ImportCsvOptions,
  { files, stderr, writeReport }: Context,
): Promise<Ending> {
  const most = limitOf('--max-gone', maxGone);
  const refuse = (words: string, detail: string, ending: Ending = 'invalid'): Ending => {
    stderr.write(`error: ${inline(words)}\n    ${inline(detail)}\n\nNothing was written.\n`);
    return ending;
  };
  const { resources, diagnostics } = await tableOf(table, delimiter, files, mapping);
  const file = await readText(into, files);
  const found = [...diagnostics, ...('code' in file ? [file] : [])];
  stderr.write(diagnosticsText(found, createStyle(stderr)));
  const kind = resources[0]?.kind;
  if (hasErrors(found) || 'code' in file || kind === undefined) {
    stderr.write('\nNothing was written.\n');
    return 'invalid';
  }
  const rows = resources.map((resource) => ({ name: resource.name, fields: declarationOf(resource).fields }));
  const merged = mergeTable(file.text, kind, rows);
  if (merged.kind === 'refused') return refuse(`${into}: ${merged.why}`, 'Run rollcall validate on it.');
  const gone = merged.entries.filter((entry) => entry.kind === 'gone').length;
  if (gone > (most ?? merged.there / 2))
    return refuse(
      `${gone} of the ${merged.there} ${kind.list} in ${into} are not in the table`,
      `They would no longer be able to log in. Is all of the table there? If so, say: --max-gone ${gone}.`,
    );
  const changed = withTexts(files, new Map([[into, merged.text]]));
  const after = await loadManifests([into], { files: changed, secrets: 'assumed', keep: () => false });
  const errors = after.diagnostics.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) {
    stderr.write(
      `${diagnosticsText(errors, createStyle(stderr))}\nNothing was written: it would not be valid.\n`,
    );
    return 'invalid';
  }
  for (const entry of merged.entries) stderr.write(`${entryWords(entry)}\n`);
  if (merged.text === file.text) {
    stderr.write(`Nothing differs: ${inline(into)} stays as it is.\n`);
    return 'done';
  }
  try {
    await writeReport(into, merged.text);
  } catch (error) {
    return refuse(`cannot write ${into}`, reasonOf(error), 'failed');
  }
  stderr.write(`wrote  ${inline(into)}\n`);
  return 'done';
}

const words: Readonly<Record<MergedEntry['kind'], string>> = {
  new: 'is new',
  gone: 'is not in the table, and can no longer log in',
  back: 'is in the table again, and can log in again',
  changed: 'has changed in',
  left: 'keeps what comes from a variable, the environment or a file:',
  missing: 'is not in the table, and stays as it is',
};

function entryWords({ name, kind, fields }: MergedEntry): string {
  const which = kind === 'changed' || kind === 'left' ? ` ${fields.join(', ')}` : '';
  return inline(`${name} ${words[kind]}${which}`);
}

/** The file that is meant: in a folder, it is called after what it declares. */
async function fileFor({ list }: Kind, out: string, files: Files): Promise<string> {
  const isFolder = out.endsWith('/') || (await files.kindOf(out)) === 'folder';
  return isFolder ? `${out.replace(/\/+$/, '')}/${list}.yaml` : out;
}
