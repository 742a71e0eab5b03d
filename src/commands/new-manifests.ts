import { posix } from 'node:path';
import { failureReason } from '../base/errors.ts';
import type { Ending } from '../base/exit-code.ts';
import { printableLine } from '../report/printable.ts';
import type { Context } from '../terminal/context.ts';

const schema = 'node_modules/rollcall/schemas/manifest.schema.json';

/** The path from a manifest to the installed schema, for editors. */
export function schemaPathFrom(filename: string | undefined): string {
  const isBelow = filename !== undefined && !/^(?:\/|\.\.(?:\/|$))/.test(posix.normalize(filename));
  return isBelow ? posix.relative(posix.dirname(filename), schema) : schema;
}

/** Writes all manifests to new files, or none, and reports the result. */
export async function writeNewFiles(
  texts: ReadonlyMap<string, string>,
  { createPrivateFiles, stderr }: Pick<Context, 'createPrivateFiles' | 'stderr'>,
): Promise<Ending> {
  let taken: readonly string[];
  try {
    taken = await createPrivateFiles(texts);
  } catch (error) {
    const subject = texts.size === 1 ? [...texts.keys()].join('') : 'the manifests';
    stderr.write(
      `error: cannot write ${printableLine(subject)}\n    ${printableLine(failureReason(error))}\n`,
    );
    return 'failed';
  }
  for (const filename of taken) stderr.write(`error: ${printableLine(filename)} exists already\n`);
  if (taken.length > 0) {
    stderr.write('    Nothing was written. Choose a new name.\n');
    return 'failed';
  }
  for (const filename of texts.keys()) stderr.write(`wrote  ${printableLine(filename)}\n`);
  return 'done';
}
