import { diagnosticFor, type Diagnostic } from '../diagnostic.ts';
import { sourceFile, type SourceFile } from '../source.ts';
import type { Files } from '../files.ts';
import { standardInput } from './find-manifests.ts';

/** Reads one manifest as strict UTF-8. A byte-order mark is dropped, so that places stay right. */
export async function readManifest(filename: string, files: Files): Promise<SourceFile | Diagnostic> {
  const shown = filename === standardInput ? '<stdin>' : filename;
  let bytes: Uint8Array;
  try {
    bytes = await (filename === standardInput ? files.readStandardInput() : files.read(filename));
  } catch (error) {
    return diagnosticFor(shown, {
      code: 'file-unreadable',
      summary: 'this file cannot be read',
      detail: error instanceof Error ? error.message : String(error),
    });
  }
  try {
    return sourceFile(shown, new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return diagnosticFor(shown, {
      code: 'not-utf-8',
      summary: 'this file is not valid UTF-8',
      detail: 'Save it as UTF-8.',
    });
  }
}
