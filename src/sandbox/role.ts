import type { JsonObject } from '../base/json.ts';
import { byPk, everyMethod, type SandboxKind, type World } from './kind.ts';
import { Rows, type Row } from './rows.ts';

/** The roles that users and groups can have. They are only read here. */
export function roleKind({ seed: { roles = [] } }: World): SandboxKind {
  return {
    title: 'Role',
    list: 'roles',
    path: '/api/v3/rbac/roles/',
    allow: everyMethod,
    key: byPk,
    identity: 'name',
    ordering: 'name',
    exact: [],
    searched: ({ fields }) => [fields['name']],
    rows: new Rows(roles.map(({ pk, name }) => ({ pk: pk.toLowerCase(), fields: { name } }))),
    record: roleRecord,
  };
}

/** A role, by itself and as users and groups show it. */
export function roleRecord({ pk, fields }: Row): JsonObject {
  return { pk, ...fields };
}
