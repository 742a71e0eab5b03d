/** The kind of file at a path, after links are followed. */
export type FileKind = 'file' | 'folder' | 'other' | 'absent';

export interface FolderEntry {
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
}

/** Read access to the file system. Paths are relative to the working directory, or absolute. */
export interface Files {
  kindOf(path: string): Promise<FileKind>;
  /** The absolute path with all links resolved, which is the same for all names of a file. Rejects if the path does not exist. */
  realPath(path: string): Promise<string>;
  /** Reads at most `maxBytes` from the start of a file. Rejects if the file cannot be read. */
  read(path: string, maxBytes: number): Promise<Uint8Array>;
  /** The entries of a folder, in any order. Rejects if the folder cannot be read. */
  entriesIn(folder: string): Promise<FolderEntry[]>;
  /** The files below a folder that match a glob, in any order. `listFolder` can exclude a folder by returning no entries for it. */
  glob(
    folder: string,
    pattern: string,
    listFolder: (subfolder: string) => Promise<readonly FolderEntry[]>,
  ): Promise<string[]>;
  readStandardInput(maxBytes: number): Promise<Uint8Array>;
}

export const standardInput = '-';
export const shownStandardInput = '<stdin>';

/** File access that can also read texts before they are written to disk. The paths of these texts are relative to the working directory. */
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
