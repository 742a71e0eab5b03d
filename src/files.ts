/** The file system as the manifest stage sees it. Paths are relative to the working directory, or absolute. */
export interface Files {
  kindOf(path: string): Promise<'file' | 'folder' | 'other' | 'absent'>;
  /** Rejects when the file cannot be read. */
  read(path: string): Promise<Uint8Array>;
  /** The files that match a glob, or every `*.yaml` and `*.yml` below a folder; in any order. */
  glob(pattern: string): Promise<string[]>;
  filesBelow(folder: string): Promise<string[]>;
  /** Reads standard input to its end. */
  readStandardInput(): Promise<Uint8Array>;
}
