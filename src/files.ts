/** What stands at a path, links followed. */
export type FileKind = 'file' | 'folder' | 'other' | 'absent';

/** The file system as far as rollcall reads it. Paths are relative to the working directory, or absolute. */
export interface Files {
  /** Rejects when it cannot be told. */
  kindOf(path: string): Promise<FileKind>;
  /** The absolute path without links: the same for two names of one file. Rejects when there is none. */
  realPath(path: string): Promise<string>;
  /** Rejects when the file cannot be read. */
  read(path: string): Promise<Uint8Array>;
  /** The names in a folder, in any order. Rejects when the folder cannot be read. */
  namesIn(folder: string): Promise<string[]>;
  /** The files that match a glob, in any order. */
  glob(pattern: string): Promise<string[]>;
  /** Reads standard input to its end. */
  readStandardInput(): Promise<Uint8Array>;
}
