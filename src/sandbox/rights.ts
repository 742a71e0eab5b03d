import { isJsonList, textOf, type JsonValue } from '../base/json.ts';
import type { SeedToken } from '../generated/sandbox-seed.ts';
import type { SandboxRequest } from './http.ts';
import { canonicalPk } from './ids.ts';
import type { Row, Rows } from './rows.ts';

/** Whose token came with a request, and what it may do. */
export interface Requester {
  readonly user: Row;
  readonly rights: Rights;
}

/** What a right extends to: every record, none, or single ones by their names. */
export type Reach = 'all' | 'none' | ReadonlySet<string>;

/** What can be allowed. To open is what policies let a user do, and that somebody is a superuser does not matter to them. */
export type Right = 'view' | 'add' | 'change' | 'delete' | 'open' | 'enable_superuser';

/** What a method takes a right for, beside the one to view. */
export const rightFor: ReadonlyMap<string, Right> = new Map([
  ['PATCH', 'change'],
  ['PUT', 'change'],
  ['DELETE', 'delete'],
]);

export interface Rights {
  readonly superuser: boolean;
  /** What a right extends to among `applications`, `users`, … */
  readonly reach: (right: Right, list: string) => Reach;
}

export const notAuthenticated = 'Authentication credentials were not provided.';

export class Requesters {
  readonly #known = new Map<string, Requester>();

  issue(token: SeedToken, userOf: (username: string, isSuperuser: boolean) => Row): void {
    const rights = rightsOf(token);
    this.#known.set(token.token, { user: userOf(token.username ?? 'sandbox', rights.superuser), rights });
  }

  revoke(token: string): void {
    this.#known.delete(token);
  }

  /** A user who is gone has no token. */
  forget(users: ReadonlySet<Row>): void {
    for (const [token, { user }] of this.#known) if (users.has(user)) this.#known.delete(token);
  }

  /** Who sent a request, or why the service takes nobody for that. */
  of({ headers }: SandboxRequest): Requester | { readonly refusal: string } {
    const [scheme, token] = (headers['authorization'] ?? '').split(' ', 2);
    if (scheme !== 'Bearer' || token === undefined) return { refusal: notAuthenticated };
    return this.#known.get(token) ?? { refusal: 'Token invalid/expired' };
  }
}

/** The rights of a token of the seed; what it does not say it may. */
function rightsOf(token: SeedToken): Rights {
  const superuser = token.superuser === true;
  const allowed = new Map(
    Object.entries({ ...token.rights, ...token }).map(([right, said]) => [right, reachOf(said)]),
  );
  return {
    superuser,
    reach: (right, list) =>
      superuser && right !== 'open' ? 'all' : (allowed.get(`${right}_${list}`) ?? 'all'),
  };
}

function reachOf(said: JsonValue): Reach {
  if (said === false || said === 'none') return 'none';
  return isJsonList(said) ? new Set(said.map(textOf)) : 'all';
}

/** What rights have to know of a kind. */
export interface Guarded {
  /** How seeds and rights call it: `applications`, as in `view_applications`. */
  readonly list: string;
  /** The field by which people, and rights on single records, name one. */
  readonly identity: string;
  /** What the path of a single record ends in, and which texts the service takes for one. */
  readonly key: { readonly field: string; readonly form: RegExp };
  readonly rows: Rows;
  /** Which of the rows are of it, where others are among them. */
  readonly has?: (row: Row) => boolean;
}

export function reaches(reach: Reach, { identity }: Guarded, { fields }: Row): boolean {
  return reach === 'all' || (reach !== 'none' && reach.has(textOf(fields[identity])));
}

/** The record that a path ends in, as far as somebody may view it. */
export function viewed(kind: Guarded, name: string, { rights }: Requester): Row | 'absent' | 'forbidden' {
  const visible = rights.reach('view', kind.list);
  if (visible === 'none') return 'forbidden';
  const { key, rows } = kind;
  const found = key.field === 'pk' ? rows.at(canonicalPk(name)) : rows.with(key.field, name)[0];
  if (found === undefined || kind.has?.(found) === false) return 'absent';
  return reaches(visible, kind, found) ? found : 'absent';
}
