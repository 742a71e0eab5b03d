import { isJsonObject, type JsonValue } from '../base/json.ts';
import { openFlag, settings } from '../kinds/settings.ts';
import type { ReadContext } from './client.ts';
import { retrieve } from './retrieve.ts';

/** Whether the flag is off. Returns false if the flag cannot be read. */
export async function isOpenFlagOff(context: ReadContext): Promise<boolean> {
  const flags = await readFlags(context);
  return isJsonObject(flags) && flags[openFlag.key] === false;
}

/** Reads the field that contains the flag. Returns undefined if the field cannot be read. */
export async function readFlags(context: ReadContext): Promise<JsonValue | undefined> {
  const reading = await retrieve({ kind: settings, name: settings.single ?? '' }, context);
  return reading?.proof === 'exists' ? reading.held.fields[openFlag.field] : undefined;
}
