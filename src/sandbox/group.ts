import { textOf, type JsonObject, type JsonValue } from '../base/json.ts';
import type { SeedGroup } from '../generated/sandbox-seed.ts';
import { userUid } from './ids.ts';
import type { Asker, SandboxList, Shown } from './kind.ts';
import { exactly, listed, searched, seen, those, type Listed } from './listed.ts';
import type { Query } from './query.ts';
import type { Rules } from './release.ts';
import type { Reach, Rights } from './rights.ts';
import { Rows, type Row } from './rows.ts';

/** A group, and the users in it in the order in which they came. */
interface Group extends Row {
  readonly pk: string;
  /** How many groups are before it. */
  readonly place: number;
  readonly members: Set<Row>;
}

/** The groups, and who is in each. */
export class Groups implements SandboxList {
  readonly path = '/api/v3/core/groups/';
  readonly title = 'Group';
  readonly allow = { list: 'GET, POST, HEAD, OPTIONS', one: 'GET, PUT, PATCH, DELETE, HEAD, OPTIONS' };
  readonly names: RegExp = /^[^/.]+$/;
  readonly #rules: Rules;
  readonly #rows = new Rows<Group>();
  readonly #byPk = new Map<string, Group>();

  constructor(seed: readonly SeedGroup[], rules: Rules) {
    this.#rules = rules;
    for (const { pk, num_pk = 0, name, is_superuser = false } of seed) {
      const place = this.#byPk.size;
      const fields = { name, num_pk, is_superuser };
      const group = { pk: pk.toLowerCase(), fields, place, members: new Set<Row>() };
      this.#byPk.set(group.pk, group);
      this.#rows.add(group);
    }
  }

  has(pk: string): boolean {
    return this.#byPk.has(pk);
  }

  placeOf(pk: JsonValue): number {
    return this.#byPk.get(textOf(pk))?.place ?? -1;
  }

  /** Puts a user into these groups. */
  join(user: Row, pks: readonly string[]): void {
    for (const pk of pks) this.#byPk.get(pk)?.members.add(user);
  }

  viewed({ viewGroups }: Rights): Reach {
    return viewGroups;
  }

  /** Takes a user out of these groups. */
  leave(user: Row, pks: readonly string[]): void {
    for (const pk of pks) this.#byPk.get(pk)?.members.delete(user);
  }

  list(query: Query, { rights }: Asker): Listed {
    if (rights.viewGroups === 'none') return 'forbidden';
    const found = those(this.#rows.inOrder(query, 'name'), [
      seen(rights.viewGroups, nameOf),
      ...exactly(query, ['name']),
      searched(query, (group) => [nameOf(group)]),
    ]);
    const withUsers = !this.#rules.isLate || query.isTrue('include_users', true);
    return listed(query, found, (group) => this.#record(group, withUsers), this.#rules);
  }

  at(id: string): Shown | undefined {
    const group = this.#byPk.get(id);
    return group && { name: nameOf(group), record: () => this.#record(group, true) };
  }

  #record({ pk, fields, members }: Group, withUsers: boolean): JsonObject {
    const users = [...members];
    return {
      pk,
      ...fields,
      ...(this.#rules.isLate
        ? { parents: [], parents_obj: null, children: [], children_obj: null, inherited_roles_obj: null }
        : { parent: null, parent_name: null }),
      users: users.map((user) => user.pk),
      users_obj: withUsers ? users.map(memberOf) : null,
      attributes: {},
      roles: [],
      roles_obj: [],
    };
  }

  /** A group as a user's record has it. */
  ofUser(pk: string): JsonObject {
    const { num_pk = 0, name = '', is_superuser = false } = this.#byPk.get(pk)?.fields ?? {};
    return {
      pk,
      num_pk,
      name,
      is_superuser,
      ...(!this.#rules.isLate && { parent: null }),
      attributes: {},
    };
  }
}

function nameOf({ fields }: Group): string {
  return textOf(fields['name']);
}

function memberOf({ pk, fields }: Row): JsonObject {
  const {
    username = '',
    name = '',
    is_active = true,
    last_login = null,
    email = '',
    attributes = {},
  } = fields;
  return { pk, username, name, is_active, last_login, email, attributes, uid: userUid(pk) };
}
