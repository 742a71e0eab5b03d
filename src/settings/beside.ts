import { standardInput } from '../base/files.ts';

/** A path that a file names, from the folder of that file, as the working directory sees it; `-` is no more than a name there. */
export function beside(filename: string, path: string): string {
  if (path.startsWith('/')) return path;
  const whole = filename.replace(/[^/]*$/, '') + path;
  return whole === standardInput ? `./${whole}` : whole;
}
