/** What stands at a path, links followed. */
export type FileKind = 'file' | 'folder' | 'other' | 'absent';

/** What a folder holds under a name, links not followed. */
export interface Entry {
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
}

/** The file system as far as rollcall reads it. Paths are relative to the working directory, or absolute. */
export interface Files {
  /** Rejects when that cannot be found out. */
  kindOf(path: string): Promise<FileKind>;
  /** The absolute path without links: the same for two names of one file. Rejects when there is none. */
  realPath(path: string): Promise<string>;
  /** At the most so many bytes of a file. Rejects when it cannot be read. */
  read(path: string, maxBytes: number): Promise<Uint8Array>;
  /** What is in a folder, in any order. Rejects when the folder cannot be read. */
  entriesIn(folder: string): Promise<Entry[]>;
  /**
   * The files below a folder that match a glob, in any order. `look` lists a folder, and may list nothing to keep it from being
   * searched. All paths are relative to the folder.
   */
  glob(
    folder: string,
    pattern: string,
    look: (below: string) => Promise<readonly Entry[]>,
  ): Promise<string[]>;
  /** Standard input to its end, or to so many bytes. */
  readStandardInput(maxBytes: number): Promise<Uint8Array>;
}

/** How a command line names standard input. */
export const standardInput = '-';
/** How it is named where something is said of what it holds. */
export const shownStandardInput = '<stdin>';

/** Files, with texts among them that are in no file yet, by their paths in the working directory. */
export function withTexts(files: Files, texts: ReadonlyMap<string, string>): Files {
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
