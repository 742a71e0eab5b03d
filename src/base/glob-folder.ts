const magic = /[*?[\]{}!()]/;

/** The folder that all files lie in which a glob can match, with a slash at its end or empty; none where the path is no glob. */
export function globFolder(path: string): string | undefined {
  const at = path.search(magic);
  return at === -1 ? undefined : path.slice(0, path.lastIndexOf('/', at) + 1);
}
