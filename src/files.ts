/** What stands at a path, links followed. */
export type FileKind = 'file' | 'folder' | 'other' | 'absent';

/** The file system as far as rollcall reads it. Paths are relative to the working directory, or absolute. */
export interface Files {
  /** Rejects when it cannot be told. */
  kindOf(path: string): Promise<FileKind>;
  /** The absolute path without links: the same for two names of one file. Rejects when there is none. */
  realPath(path: string): Promise<string>;
  /** At the most so many bytes of a file. Rejects when it cannot be read. */
  read(path: string, maxBytes: number): Promise<Uint8Array>;
  /** The names in a folder, in any order. Rejects when the folder cannot be read. */
  namesIn(folder: string): Promise<string[]>;
  /** The files that match a glob, in any order. */
  glob(pattern: string): Promise<string[]>;
  /** Standard input to its end, or to so many bytes. */
  readStandardInput(maxBytes: number): Promise<Uint8Array>;
}

/** How a command line names standard input. */
export const standardInput = '-';
