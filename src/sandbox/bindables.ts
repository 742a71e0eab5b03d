import { textOf, type JsonValue } from '../base/json.ts';
import { memoizePerKey } from '../base/memoize.ts';
import type { SandboxKind, World } from './kind.ts';
import type { Row } from './rows.ts';

/** The field with the id to which policies are bound, if this id differs from the record's own id. */
export const bindableId = 'policybindingmodel_ptr_id';

export function bindableIdOf(world: World, pk: string): string {
  for (const kind of world.kinds()) {
    const row = kind.rows.at(pk);
    if (row && isBindable(kind)) return textOf(row.fields[bindableId] ?? row.pk);
  }
  return pk;
}

export function bindableAt(world: World, id: JsonValue): Row | undefined {
  for (const kind of world.kinds()) {
    if (!isBindable(kind)) continue;
    const [row] = kind.rows.with(bindableId, id);
    const found = row ?? kind.rows.at(textOf(id));
    if (found && (found.fields[bindableId] ?? found.pk) === id) return found;
  }
  return undefined;
}

const isBindable = memoizePerKey(
  ({ facts: { fields, id } }: SandboxKind) =>
    bindableId in fields ||
    id?.name === 'pbm_uuid' ||
    ['pbm_uuid', 'policy_engine_mode'].some((name) => name in fields),
);
