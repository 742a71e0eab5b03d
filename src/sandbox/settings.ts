import { isJsonObject, type JsonValue } from '../base/json.ts';
import { factsOf } from '../kinds/facts.ts';
import { answers } from './answers.ts';
import { emptyOf, factsIn } from './field-facts.ts';
import { mapping } from './fields.ts';
import type { World, WrittenKind } from './kind.ts';
import { tableFrom } from './table.ts';

const path = '/admin/settings/';
const single = 'settings';
const accessFlag = 'core_default_app_access';

/** The settings, of which there is one record. Flags are kept as they are sent, known to the release or not, all of them at once. */
export function settingsKind(world: World): WrittenKind {
  const kind = tableFrom(world, {
    path,
    list: 'settings',
    identity: 'avatars',
    single,
    fields: { flags: { read: mapping } },
    shown: ({ fields }) => ({ flags: fields['flags'] ?? flagsOf(world) }),
  });
  kind.writing.plant({ pk: single, ...answers().settings });
  return kind;
}

/** The flags that the release has, as nobody has set them. */
function flagsOf(world: World): JsonValue {
  const { fields = {} } = factsIn(world, path).fields['flags'] ?? {};
  return Object.fromEntries(
    Object.entries(fields).map(([name, facts]) => [name, name === accessFlag || emptyOf(facts)]),
  );
}

/** Whether everybody may open what nothing is bound to. Releases without the flag keep it, and go on as before. */
export function opensUnbound(world: World): boolean {
  if (factsOf(world.release, path)?.fields['flags']?.fields?.[accessFlag] === undefined) return true;
  const flags = world.at(path).at(single)?.fields['flags'] ?? null;
  return !isJsonObject(flags) || flags[accessFlag] !== false;
}
