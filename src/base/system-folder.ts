/** Where the system shows itself in files: nobody wrote those, and some tell of secrets, such as the environment of a process. */
const systemFolders = ['/proc', '/sys', '/dev'] as const;

/** The folder of the system that a real path lies in. */
export function systemFolderOf(realPath: string): string | undefined {
  return systemFolders.find((folder) => isBelow(realPath, folder));
}

/** Whether a real path is that of a folder, or lies below it. */
export function isBelow(realPath: string, folder: string): boolean {
  return `${realPath}/`.startsWith(`${folder.replace(/\/+$/, '')}/`);
}
