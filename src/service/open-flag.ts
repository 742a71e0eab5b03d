import { isJsonObject, type JsonValue } from '../base/json.ts';
import { kinds } from '../kinds/all.ts';
import type { OpenFlag } from '../kinds/children.ts';
import type { ReadContext } from './client.ts';
import { retrieve } from './retrieve.ts';

export function findOpenFlag(): OpenFlag | undefined {
  return kinds.flatMap(({ access }) => access?.openFlag ?? [])[0];
}

/** Reads the field that contains the flag. Returns undefined if the field cannot be read. */
export async function readFlagField(
  { list, field }: OpenFlag,
  context: ReadContext,
): Promise<JsonValue | undefined> {
  const kind = kinds.find((one) => one.list === list);
  if (kind?.single === undefined) throw new Error(`${list} has no record with a fixed name`);
  const reading = await retrieve({ kind, name: kind.single }, context);
  return reading?.proof === 'exists' ? reading.held.fields[field] : undefined;
}

/** Whether the service has the flag and the flag is off. Returns false if the flag cannot be read. */
export async function isOpenFlagOff(context: ReadContext): Promise<boolean> {
  const flag = findOpenFlag();
  const flags = flag && (await readFlagField(flag, context));
  return flag !== undefined && flags !== undefined && isJsonObject(flags) && flags[flag.key] === false;
}
