import { isJsonObject, type JsonValue } from '../base/json.ts';
import { factsOf } from '../kinds/facts.ts';
import { answers } from './recorded.ts';
import { emptyValue, factsIn } from './field-facts.ts';
import { readMapping } from './fields.ts';
import type { World } from './kind.ts';
import type { TableRow } from './table.ts';

const path = '/admin/settings/';
const single = 'settings';
const accessFlag = 'core_default_app_access';

/** The record with the settings. This record stores `flags` as sent, including unknown flags. */
export function settingsRow(world: World): TableRow {
  return {
    identity: 'avatars',
    single,
    fields: { flags: { read: readMapping } },
    shown: ({ fields }) => ({ flags: fields['flags'] ?? flagsOf(world) }),
    first: { pk: single, ...answers().settings },
  };
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
