import { posix } from 'node:path';
import { failureReason } from '../base/errors.ts';
import { printableLine } from '../report/printable.ts';
import type { Context } from '../terminal/context.ts';

const schema = 'node_modules/rollcall/schemas/manifest.schema.json';

/** The path from a manifest to the installed schema, for editors. */
export function schemaPathOf(filename: string | undefined): string {
  const isBelow = filename !== undefined && !/^(?:\.\.)?\//.test(posix.normalize(filename));
  return isBelow ? posix.relative(posix.dirname(filename), schema) : schema;
}

/** Calls `write`. If `write` fails, reports the failure on stderr. Returns whether `write` succeeded. */
export async function tryWrite(
  target: string,
  failure: string,
  write: () => Promise<void> | void,
  { stderr }: Pick<Context, 'stderr'>,
): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    stderr.write(`error: ${failure} ${printableLine(target)}\n    ${printableLine(failureReason(error))}\n`);
    return false;
  }
}

/** Writes either all or none of the texts to new files that only the owner can read, and reports the result. */
export async function writeNewFiles(
  texts: ReadonlyMap<string, string>,
  { createPrivateFiles, stderr }: Pick<Context, 'createPrivateFiles' | 'stderr'>,
  advice: string = 'Choose a new name.',
  isQuiet: boolean = false,
): Promise<boolean> {
  let taken: readonly string[] = [];
  const create = async (): Promise<void> => {
    taken = await createPrivateFiles(texts);
  };
  const target = texts.size === 1 ? [...texts.keys()].join('') : 'the manifests';
  if (!(await tryWrite(target, 'cannot write', create, { stderr }))) return false;
  for (const filename of taken) stderr.write(`error: ${printableLine(filename)} exists already\n`);
  if (taken.length > 0) stderr.write(`    Nothing was written. ${advice}\n`);
  else if (!isQuiet) for (const filename of texts.keys()) stderr.write(`wrote  ${printableLine(filename)}\n`);
  return taken.length === 0;
}
