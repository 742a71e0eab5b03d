import { diagnosticAt, diagnosticFor, type Diagnostic } from '../base/diagnostic.ts';
import { failureReason } from '../base/errors.ts';
import { shownStandardInput, standardInput, type Files } from '../base/files.ts';
import { isLinkOutside, linkLeadsOutside, systemFolderOf } from '../base/path-rules.ts';
import { sourceFile, withoutQuotableLines, type SourceFile } from '../base/source.ts';

/** No handwritten manifest is larger. */
const maxFileBytes: number = 16 * 1024 * 1024;

/** With this limit, even the largest run can have ten lines for each resource. */
const maxLines = 1_000_000;

interface ReadTextOptions {
  /** Real paths of files that are never read, because they contain rollcall's own secrets. */
  readonly secretFiles?: ReadonlySet<string>;
  readonly maxBytes?: number;
  /** Whether to follow a link to a target outside both its own folder and the working directory. */
  readonly linksOutside?: 'followed' | 'refused';
}

/** Reads a file or standard input as strict UTF-8. A byte-order mark is dropped, so that positions stay correct. */
export async function readText(
  filename: string,
  files: Files,
  {
    secretFiles = new Set(),
    maxBytes = maxFileBytes,
    linksOutside: outside = 'followed',
  }: ReadTextOptions = {},
): Promise<SourceFile | Diagnostic> {
  const isInput = filename === standardInput;
  const shown = isInput ? shownStandardInput : filename;
  const refuse = (code: Diagnostic['code'], summary: string, detail: string): Diagnostic =>
    diagnosticFor(shown, { code, summary, detail });
  let bytes: Uint8Array;
  try {
    const kind = isInput ? 'file' : await files.kindOf(filename);
    if (kind === 'absent') return refuse('file-not-found', 'no such file', 'Check the path.');
    if (kind !== 'file') return refuse('file-unreadable', 'this is not a file', 'Name a file.');
    const realPath = isInput ? '' : await files.realPath(filename);
    const systemFolder = systemFolderOf(realPath);
    if (systemFolder !== undefined)
      return refuse(
        'forbidden-file',
        `nothing in ${systemFolder} is read`,
        'That folder shows the state of the system, including secrets. Name an ordinary file.',
      );
    if (secretFiles.has(realPath))
      return refuse(
        'forbidden-file',
        'this file contains a secret of rollcall itself',
        'The token and the key of the client certificate are for rollcall alone. Name another file.',
      );
    if (outside === 'refused' && !isInput && (await isLinkOutside(filename, files)))
      return diagnosticFor(shown, linkLeadsOutside);
    bytes = await (isInput ? files.readStandardInput(maxBytes + 1) : files.read(filename, maxBytes + 1));
  } catch (error) {
    return refuse('file-unreadable', 'this file cannot be read', failureReason(error));
  }
  if (bytes.length > maxBytes) {
    const maxMebibytes = maxBytes === maxFileBytes ? '16 MiB' : `${maxBytes / 1024} KiB`;
    return refuse(
      'file-too-large',
      `this file is larger than ${maxMebibytes}`,
      'Split it into several files.',
    );
  }
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff))
    return refuse('not-utf-8', 'this file is UTF-16', 'Save it as UTF-8.');
  if (countNewlines(bytes) > maxLines) {
    const summary = `this file has more than ${maxLines} lines`;
    return refuse('file-too-large', summary, 'Split it into several files.');
  }
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return refuse('not-utf-8', 'this file is not valid UTF-8', 'Save it as UTF-8.');
  }
  const file = sourceFile(shown, text);
  const nul = text.indexOf('\0');
  if (nul === -1) return file;
  // A line with a NUL is probably binary, so it is not quoted.
  return diagnosticAt(withoutQuotableLines(file), [nul, nul + 1], {
    code: 'not-utf-8',
    summary: 'this file contains a NUL',
    detail: 'Check that this is a text file, saved as UTF-8.',
  });
}

function countNewlines(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) count += 1;
  return count;
}
