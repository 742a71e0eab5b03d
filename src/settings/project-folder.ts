import { posix } from 'node:path';
import { diagnosticAt, type Diagnostic } from '../base/diagnostic.ts';
import { standardInput, type Files } from '../base/files.ts';
import { beside, globFolder, isBelow } from '../base/path-rules.ts';
import type { SourceFile } from '../base/source.ts';
import type { Places } from '../yaml/places.ts';

/** A list of paths in rollcall.yaml, and where it stands there. */
interface PathList {
  readonly path: readonly string[];
  readonly written: readonly string[];
}

/**
 * What rollcall.yaml names must lie below its folder, links followed. Otherwise a pull request that changes this file could
 * have any file of the machine that runs the pipeline read, and quoted in a message.
 */
export async function refuseOutside(
  { path, written }: PathList,
  places: Places,
  file: SourceFile,
  files: Files,
): Promise<Diagnostic[]> {
  const found: Diagnostic[] = [];
  for (const [index, entry] of written.entries()) {
    if (entry !== standardInput && (await liesInside(entry, file.filename, files))) continue;
    found.push(
      diagnosticAt(file, places.ofValue([...path, index]), {
        code: 'outside-project',
        summary: 'this is not below the folder of this file',
        detail: 'Move it there, or name it on the command line.',
      }),
    );
  }
  return found;
}

/** Whether a path that a file names lies below the folder of that file, links followed. */
export async function liesInside(entry: string, filename: string, files: Files): Promise<boolean> {
  const root = await files.realPath(filename.replace(/[^/]*$/, '') || '.');
  // What cannot be looked at is not known to lie there: a link to itself, or a pipe, which has no real path.
  return isInside(beside(filename, entry), entry, root, files).catch(() => false);
}

async function isInside(whole: string, entry: string, root: string, files: Files): Promise<boolean> {
  const stem = (await files.kindOf(whole)) === 'absent' ? (globFolder(whole) ?? whole) || '.' : whole;
  if ((await files.kindOf(stem)) !== 'absent') return isBelow(await files.realPath(stem), root);
  // That it is not there is reported by the search; here only where it would be.
  return isBelow(posix.resolve(root, entry), root);
}
