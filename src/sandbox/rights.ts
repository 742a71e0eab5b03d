import { isJsonList, textOf, type JsonValue } from '../base/json.ts';
import type { Problem } from '../base/diagnostic.ts';
import { lazy } from '../base/memoize.ts';
import { didYouMean } from '../base/suggestion.ts';
import type { SeedToken } from '../generated/sandbox-seed.ts';
import { rightLists } from './families.ts';
import type { SandboxRequest } from './http.ts';
import { canonicalPk } from './ids.ts';
import type { Row, Rows } from './rows.ts';

export interface Requester {
  readonly user: Row;
  readonly rights: Rights;
}

export type RightExtent = 'all' | 'none' | ReadonlySet<string>;

/** The right `open` depends on policies, even for superusers. */
const verbs = ['view', 'add', 'change', 'delete', 'open', 'enable_superuser'] as const;
export type Right = (typeof verbs)[number];

/** The right that a method requires in addition to `view`. */
export const rightFor: ReadonlyMap<string, Right> = new Map([
  ['PATCH', 'change'],
  ['PUT', 'change'],
  ['DELETE', 'delete'],
]);

export interface Rights {
  readonly superuser: boolean;
  /** The records of a list, such as `users`, to which a right applies. */
  readonly extentOf: (right: Right, list: string) => RightExtent;
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

  forget(users: ReadonlySet<Row>): void {
    for (const [token, { user }] of this.#known) if (users.has(user)) this.#known.delete(token);
  }

  /** The sender of a request, or why the service rejects the token. */
  of({ headers }: SandboxRequest): Requester | { readonly refusal: string } {
    const [scheme, token] = (headers['authorization'] ?? '').split(' ', 2);
    if (scheme !== 'Bearer' || token === undefined) return { refusal: notAuthenticated };
    return this.#known.get(token) ?? { refusal: 'Token invalid/expired' };
  }
}

const rightNames = lazy(() => verbs.flatMap((verb) => rightLists.map((list) => `${verb}_${list}`)));

/** The problem with a right in the `rights` of a token: the sandbox would grant a right that it does not know. */
export function rightProblem(name: string, extent: JsonValue): Problem | undefined {
  if (!rightNames().includes(name))
    return {
      code: 'unknown-field',
      summary: `there is no right \`${name}\``,
      detail: didYouMean(name, rightNames()) ?? 'Write rights such as `view_stages` or `change_event_rules`.',
    };
  if (typeof extent === 'boolean' || isJsonList(extent) || extent === 'all' || extent === 'none')
    return undefined;
  return {
    code: 'wrong-type',
    summary: `\`${name}\` must be all, none or a list of names`,
    detail: 'It can also be true or false.',
  };
}

/** Rights that the seed does not mention are granted. */
function rightsOf(token: SeedToken): Rights {
  const superuser = token.superuser === true;
  const allowed = new Map(
    Object.entries({ ...token.rights, ...token }).map(([right, said]) => [right, extentFrom(said)]),
  );
  return {
    superuser,
    extentOf: (right, list) =>
      superuser && right !== 'open' ? 'all' : (allowed.get(`${right}_${list}`) ?? 'all'),
  };
}

function extentFrom(right: JsonValue): RightExtent {
  if (right === false || right === 'none') return 'none';
  return isJsonList(right) ? new Set(right.map(textOf)) : 'all';
}

export interface GuardedKind {
  readonly list: string;
  readonly identity: string;
  /** The field whose value is the last part of a record's path, and the form of its values. */
  readonly key: { readonly field: string; readonly form: RegExp };
  readonly rows: Rows;
  /** Whether a row belongs to the kind, if the table also has rows of other kinds. */
  readonly includes?: (row: Row) => boolean;
}

export function isInExtent(reach: RightExtent, { identity }: GuardedKind, { fields }: Row): boolean {
  return reach === 'all' || (reach !== 'none' && reach.has(textOf(fields[identity])));
}

export function viewableRecord(
  kind: GuardedKind,
  name: string,
  { rights }: Requester,
): Row | 'absent' | 'forbidden' {
  const visible = rights.extentOf('view', kind.list);
  if (visible === 'none') return 'forbidden';
  const { key, rows } = kind;
  const found = key.field === 'pk' ? rows.at(canonicalPk(name)) : rows.with(key.field, name)[0];
  if (found === undefined || kind.includes?.(found) === false) return 'absent';
  return isInExtent(visible, kind, found) ? found : 'absent';
}
