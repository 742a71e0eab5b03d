import { constants, fstatSync, write } from 'node:fs';
import { open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { descriptorNamed } from './descriptor.ts';
import { foundAt, notReplaced, replaceFile } from './replace-file.ts';

/**
 * Writes a report. An existing file is replaced and keeps its mode. A pipe, a terminal, /dev/null or an open descriptor such as
 * /dev/fd/3 is written to. A link is refused.
 */
export async function writeReport(filename: string, text: string): Promise<void> {
  const descriptor = descriptorNamed(filename);
  if (descriptor !== undefined) {
    const is = fstatSync(descriptor, { bigint: true });
    return is.isFile() || is.isSocket() ? writeToOpen(descriptor, text) : writeInto(filename, text);
  }
  const found = await foundAt(filename);
  if (found?.isFIFO() || found?.isCharacterDevice()) return writeInto(filename, text);
  if (found && !found.isFile()) throw new Error(notReplaced(found));
  await replaceFile(filename, text, found && found.mode & 0o777);
}

/** By its number: opening its path again would begin at the start of the file. */
async function writeToOpen(descriptor: number, text: string): Promise<void> {
  const bytes = Buffer.from(text);
  for (let written = 0; written < bytes.length;)
    written += (await promisify(write)(descriptor, bytes, written)).bytesWritten;
}

async function writeInto(filename: string, text: string): Promise<void> {
  const file = await open(filename, constants.O_WRONLY);
  try {
    await file.writeFile(text);
  } finally {
    await file.close();
  }
}
