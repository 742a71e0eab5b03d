import type { Files } from '../base/files.ts';

/** Whether a file that is to be written is one of those that were read: to replace it would lose what somebody wrote. */
export async function wasRead(
  target: string,
  filenames: readonly string[],
  files: Pick<Files, 'realPath'>,
): Promise<boolean> {
  const realPathOf = (path: string): Promise<string | undefined> =>
    files.realPath(path).catch(() => undefined);
  const real = await realPathOf(target);
  if (real === undefined) return false; // nothing is there
  const read = await Promise.all(filenames.map((filename) => realPathOf(filename)));
  return read.includes(real);
}
