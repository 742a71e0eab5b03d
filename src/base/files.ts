/** The type of a path, after following links. */
export type FileKind = 'file' | 'folder' | 'other' | 'absent';

export interface Entry {
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
}

/** Read access to the file system. Paths are relative to the working directory, or absolute. */
export interface Files {
  /** Rejects if the type cannot be determined. */
  kindOf(path: string): Promise<FileKind>;
  /** The absolute path without links: the same for two names of one file. Rejects if the path does not exist. */
  realPath(path: string): Promise<string>;
  /** The first `maxBytes` of a file. Rejects if it cannot be read. */
  read(path: string, maxBytes: number): Promise<Uint8Array>;
  /** The entries of a folder, in any order. Rejects if the folder cannot be read. */
  entriesIn(folder: string): Promise<Entry[]>;
  /**
   * The files below a folder that match a glob, in any order, relative to the folder. `listFolder` may return an empty list to
   * exclude a folder.
   */
  glob(
    folder: string,
    pattern: string,
    listFolder: (subfolder: string) => Promise<readonly Entry[]>,
  ): Promise<string[]>;
  /** Standard input up to its end, at most `maxBytes`. */
  readStandardInput(maxBytes: number): Promise<Uint8Array>;
}

/** The name of standard input on a command line. */
export const standardInput = '-';
export const shownStandardInput = '<stdin>';

/** Files overlaid with texts that are not written yet, by path relative to the working directory. */
export function overlayFiles(files: Files, texts: ReadonlyMap<string, string>): Files {
  return {
    ...files,
    kindOf: async (path) => (texts.has(path) ? 'file' : files.kindOf(path)),
    realPath: async (path) =>
      texts.has(path) ? `${await files.realPath('.')}/${path}` : files.realPath(path),
    read: async (path, maxBytes) => {
      const text = texts.get(path);
      return text === undefined ? files.read(path, maxBytes) : new TextEncoder().encode(text);
    },
  };
}
