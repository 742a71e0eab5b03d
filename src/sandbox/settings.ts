import { isJsonObject, type JsonValue } from '../base/json.ts';
import { factsOf } from '../kinds/facts.ts';
import { answers } from './answers.ts';
import { emptyValue, factsIn } from './field-facts.ts';
import { readMapping } from './fields.ts';
import type { World, WritableKind } from './kind.ts';
import { writableKindFrom } from './table.ts';

const path = '/admin/settings/';
const single = 'settings';
const accessFlag = 'core_default_app_access';

/** The record with the settings. This record stores `flags` as sent, including unknown flags. */
export function settingsKind(world: World): WritableKind {
  const kind = writableKindFrom(world, {
    path,
    identity: 'avatars',
    single,
    fields: { flags: { read: readMapping } },
    shown: ({ fields }) => ({ flags: fields['flags'] ?? flagsOf(world) }),
  });
  kind.writing.insert({ pk: single, ...answers().settings });
  return kind;
}

function flagsOf(world: World): JsonValue {
  const { fields = {} } = factsIn(world, path).fields['flags'] ?? {};
  return Object.fromEntries(
    Object.entries(fields).map(([name, facts]) => [name, name === accessFlag || emptyValue(facts)]),
  );
}

/** Whether everybody may open records without bindings. Releases without the flag store and ignore its value. */
export function admitsWithoutBindings(world: World): boolean {
  if (factsOf(world.release, path)?.fields['flags']?.fields?.[accessFlag] === undefined) return true;
  const flags = world.at(path).at(single)?.fields['flags'] ?? null;
  return !isJsonObject(flags) || flags[accessFlag] !== false;
}
