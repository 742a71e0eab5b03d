import { diagnosticFor, type Diagnostic } from '../diagnostic.ts';
import type { Files } from '../files.ts';

export const standardInput = '-';

export interface FoundManifests {
  /** Without duplicates, in code-unit order. */
  readonly filenames: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Turns the paths of a command line (files, folders, globs, `-`) into the manifests to read. */
export async function findManifests(paths: readonly string[], files: Files): Promise<FoundManifests> {
  const found = new Set<string>();
  const diagnostics: Diagnostic[] = [];
  for (const path of paths) {
    const expanded = await expand(path, files);
    if (Array.isArray(expanded)) for (const filename of expanded) found.add(normalised(filename));
    else diagnostics.push(expanded);
  }
  return { filenames: [...found].toSorted(), diagnostics };
}

async function expand(path: string, files: Files): Promise<string[] | Diagnostic> {
  if (path === standardInput) return [standardInput];
  const kind = await files.kindOf(path);
  switch (kind) {
    case 'file':
      return [path];
    case 'folder': {
      const below = await files.filesBelow(path);
      return below.length > 0 ? below : nothingThere(path, 'no *.yaml or *.yml file is in this folder');
    }
    case 'other':
      return diagnosticFor(path, {
        code: 'file-unreadable',
        summary: 'this is neither a file nor a folder',
        detail: 'Name a YAML file, a folder of them, a glob, or - for standard input.',
      });
    case 'absent': {
      if (!/[*?[\]{}!()]/.test(path)) {
        return diagnosticFor(path, {
          code: 'file-not-found',
          summary: 'no such file or folder',
          detail: 'Check the path; it is taken from the folder in which the command runs.',
        });
      }
      const matched = await files.glob(path);
      return matched.length > 0 ? matched : nothingThere(path, 'no file matches this pattern');
    }
  }
}

function nothingThere(path: string, summary: string): Diagnostic {
  return diagnosticFor(path, {
    code: 'no-manifests',
    summary,
    detail: 'A run without manifests would do nothing, so it is refused.',
  });
}

function normalised(filename: string): string {
  return filename.replaceAll('\\', '/').replace(/^(\.\/)+(?=.)/, '');
}
