import { diagnosticFor, type Diagnostic } from '../base/diagnostic.ts';
import type { Ending } from '../base/exit-code.ts';
import type { Files } from '../base/files.ts';
import { delimiters } from '../adopt/choices.ts';
import { declarationOf, errorsOf, resourcesOf } from '../adopt/csv.ts';
import type { Kind } from '../kinds/kind.ts';
import { namesNeed } from '../kinds/name-of-one.ts';
import { declaredNames } from '../kinds/named.ts';
import { writeManifest } from '../adopt/write-manifest.ts';
import { createStyle, diagnosticsText } from '../report/formats/lines.ts';
import type { Context } from '../terminal/context.ts';
import { readText } from '../yaml/read-text.ts';
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
  const file = await readText(filename, files);
  const { resources, diagnostics } =
    'code' in file
      ? { resources: [], diagnostics: [file] }
      : resourcesOf(file, delimiters[delimiter] ?? delimiter);
  const [first] = resources;
  const path = out !== undefined && first ? await fileFor(first.kind, out, files) : undefined;
  const { text } = writeManifest(resources.map(declarationOf), schemaFrom(path));
  const last = isValid(diagnostics) ? await errorsOf(text, files) : [];
  const found = [...diagnostics, ...last.map((error) => ofManifest(error, filename))];
  stderr.write(diagnosticsText(found, createStyle(stderr)));
  if (!isValid(found)) {
    stderr.write('\nNothing was written.\n');
    return 'invalid';
  }
  if (resources.some((resource) => declaredNames(resource).length > 0))
    stderr.write(`Names stand in it in place of ids: plan and apply need the capability ${namesNeed}.\n`);
  if (path !== undefined) return writeNew(new Map([[path, text]]), context);
  stdout.write(text);
  return 'done';
}

/** What is wrong with the manifest as a whole: each row has passed its checks. */
function ofManifest({ code, summary, detail }: Diagnostic, filename: string): Diagnostic {
  return diagnosticFor(filename, {
    code,
    summary: `its manifest would not be valid: ${summary}`,
    detail,
  });
}

function isValid(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.every(({ severity }) => severity !== 'error');
}

/** The file that is meant: in a folder, it is called after what it declares. */
async function fileFor({ list }: Kind, out: string, files: Files): Promise<string> {
  const isFolder = out.endsWith('/') || (await files.kindOf(out)) === 'folder';
  return isFolder ? `${out.replace(/\/+$/, '')}/${list}.yaml` : out;
}
