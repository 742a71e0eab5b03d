import type { JsonObject } from '../base/json.ts';
import type { SandboxSeed, SeedToken } from '../generated/sandbox-seed.ts';
import { addFreshRecords, answers } from './recorded.ts';
import { emptyWorld } from './all.ts';
import { Executor } from './executor.ts';
import {
  bodyOf,
  fieldsOf,
  crashResponse,
  htmlResponse,
  jsonResponse,
  methodNotAllowed,
  readOnly,
  type SandboxRequest,
  type SandboxResponse,
} from './http.ts';
import type { RequestedChange, SandboxKind, World } from './kind.ts';
import { listRecords } from './lists.ts';
import { insertSeed, type RejectedEntry } from './insert-seed.ts';
import { accessCheck } from './policies.ts';
import { pageOf, Query } from './query.ts';
import { defaultRelease, type SandboxRelease } from './release.ts';
import {
  Requesters,
  notAuthenticated,
  isInExtent,
  rightFor,
  viewableRecord,
  type Requester,
} from './rights.ts';
import type { Row } from './rows.ts';
import { optionsAnswer, currentUserAnswer, versionAnswer } from './self.ts';
import { deleteRow, dependentsOf } from './uses.ts';

export class Sandbox {
  readonly world: World;
  readonly #executor: Executor;
  readonly #askers = new Requesters();
  #requests = 0;

  readonly refused: readonly RejectedEntry[];

  /** `isPlanted` decides which lists contain the records of a new service. */
  constructor(
    seed: SandboxSeed,
    release: SandboxRelease = defaultRelease,
    isPlanted: (path: string) => boolean = () => false,
  ) {
    this.world = emptyWorld(release, seed);
    this.#executor = new Executor(this.world);
    addFreshRecords(this.world, isPlanted);
    this.refused = insertSeed(this.world);
    for (const token of seed.tokens ?? []) this.issue(token);
  }

  issue(token: SeedToken): void {
    const { userForToken: ofToken } = this.world.kind('/core/users/');
    if (ofToken) this.#askers.issue(token, ofToken);
  }

  revoke(token: string): void {
    this.#askers.revoke(token);
  }

  handle(request: SandboxRequest): SandboxResponse {
    this.#requests += 1;
    const { headers, ...answer } = undocumentedRefusal(request, this.world.seed) ?? this.#answer(request);
    const { json: type, vary } = this.world.rules;
    return {
      ...answer,
      headers: {
        ...headers,
        ...(headers['content-type'] === 'application/json' && { 'content-type': type }),
        vary,
        'x-authentik-id': this.#requests.toString(16).padStart(32, '0'),
      },
    };
  }

  #answer(request: SandboxRequest): SandboxResponse {
    const [, path = ''] = /^\/api\/v3([^?]*)/.exec(request.path) ?? [];
    switch (path) {
      case '/core/users/me/':
        return this.#show(request, (asker) => asker && currentUserAnswer(asker.user, this.world));
      case '/admin/version/':
        return this.#show(request, (asker) => asker && versionAnswer(this.world.rules));
      case '/root/config/':
        return this.#show(
          request,
          () => answers().configuration[this.world.rules.isFrom2025 ? '2025.12' : '2023.10'],
        );
    }
    const [, record, below] = /^(.+\/)(used_by|setup_urls)\/$/.exec(path) ?? [];
    if (record !== undefined && below !== undefined) return this.#below(request, record, below);
    const checked = /^\/core\/applications\/([^/]+)\/check_access\/$/.exec(path)?.[1];
    if (checked !== undefined)
      return this.#show(
        request,
        (asker, query) => asker && (accessCheck(this.world, checked, asker.user, query) ?? 'Not found.'),
      );
    const slug = /^\/flows\/executor\/([^/]+)\/$/.exec(path)?.[1];
    if (slug !== undefined) return this.#executor.answer(request, slug, fieldsOf(request));
    const list = this.world.kindAt(path);
    if (list?.single !== undefined) return this.#atRecord(request, list, list.single);
    if (list !== undefined) return this.#atList(request, list);
    const item = this.#recordAt(path);
    if (item?.kind.otherLists?.has(item.name))
      return this.#show(request, (asker, query) => asker && this.#emptyList(item.kind, query));
    if (item?.kind.key.form.test(item.name)) return this.#atRecord(request, item.kind, item.name);
    // At an unknown path, the service answers a POST with 405.
    return request.method === 'POST' ? htmlResponse(405, '', readOnly) : htmlResponse(404, '<!DOCTYPE html>');
  }

  #recordAt(path: string): { readonly kind: SandboxKind; readonly name: string } | undefined {
    const [, list = '', name = ''] = /^(.*\/)?([^/]*)\/$/.exec(path) ?? [];
    const kind = this.world.kindAt(list);
    return kind && { kind, name };
  }

  /** Answers a GET that needs no permissions. `body` returns undefined if a token is needed, and a string for a 404. */
  #show(
    request: SandboxRequest,
    body: (asker: Requester | undefined, query: Query) => JsonObject | string | undefined,
  ): SandboxResponse {
    const asker = this.#askers.of(request);
    if ('refusal' in asker && asker.refusal !== notAuthenticated)
      return jsonResponse(403, { detail: asker.refusal }, readOnly);
    const shown = body('refusal' in asker ? undefined : asker, new Query(request.path));
    if (shown === undefined) return jsonResponse(403, { detail: notAuthenticated }, readOnly);
    if (request.method !== 'GET') return methodNotAllowed(request, readOnly);
    return typeof shown === 'string'
      ? jsonResponse(404, { detail: shown }, readOnly)
      : jsonResponse(200, shown, readOnly);
  }

  #atList(request: SandboxRequest, kind: SandboxKind): SandboxResponse {
    const { method } = request;
    const allow = kind.allow.list;
    const asker = this.#askers.of(request);
    if ('refusal' in asker) return jsonResponse(403, { detail: asker.refusal }, allow);
    if (method === 'GET') return this.#list(request, kind, asker);
    if (!kind.facts.can.includes('create')) return methodNotAllowed(request, allow);
    const mayCreate = asker.rights.extentOf('add', kind.list) === 'all';
    if (method === 'OPTIONS') return jsonResponse(200, optionsAnswer(kind, mayCreate), allow);
    if (!mayCreate) return jsonResponse(403, { detail: notPermitted }, allow);
    if (method !== 'POST') return methodNotAllowed(request, allow);
    return this.#write(request, kind, asker);
  }

  #list(request: SandboxRequest, kind: SandboxKind, asker: Requester): SandboxResponse {
    const allow = kind.allow.list;
    const { rules } = this.world;
    const query = new Query(request.path);
    const found = kind.listFor?.(query, asker) ?? listRecords(kind, query, asker, rules);
    if (found === 'forbidden') return jsonResponse(403, { detail: notPermitted }, allow);
    if (found === 'no such page') return jsonResponse(404, { detail: 'Invalid page.' }, allow);
    if (found === 'crashed') return crashResponse(request);
    if ('errors' in found) return jsonResponse(400, found.errors, allow);
    return jsonResponse(200, { ...found, ...(rules.isFrom2025 && autocompleteOf(kind)) }, allow);
  }

  /** A list below another list is always empty in the sandbox. */
  #emptyList(kind: SandboxKind, query: Query): JsonObject | string {
    const found = pageOf(query, [], this.world.rules);
    return found ? { pagination: found.pagination, results: [], ...autocompleteOf(kind) } : 'Invalid page.';
  }

  /** Answers a request for the dependents or the URLs of a visible record. */
  #below(request: SandboxRequest, path: string, below: string): SandboxResponse {
    const { kind, name = '' } = this.#recordAt(path) ?? {};
    if (!kind?.key.form.test(name)) return htmlResponse(404, '<!DOCTYPE html>');
    const found = this.#atRecord({ ...request, path, method: 'GET' }, kind, name);
    const asker = this.#askers.of(request);
    const row = 'refusal' in asker ? 'forbidden' : viewableRecord(kind, name, asker);
    if (found.status !== 200 || typeof row === 'string') return found;
    if (request.method !== 'GET') return methodNotAllowed(request, readOnly);
    if (below === 'used_by') return jsonResponse(200, dependentsOf(this.world, kind, row), readOnly);
    const urls = kind.urls?.(row, `http://${request.headers['host'] ?? 'localhost'}`);
    return urls ? jsonResponse(200, urls, readOnly) : htmlResponse(404, '<!DOCTYPE html>');
  }

  #atRecord(request: SandboxRequest, kind: SandboxKind, name: string): SandboxResponse {
    const { rules } = this.world;
    const { method } = request;
    const allow = kind.allow.one;
    const forbidden = jsonResponse(403, { detail: notPermitted }, allow);
    const asker = this.#askers.of(request);
    if ('refusal' in asker) {
      const isUser = asker.refusal === notAuthenticated && rules.isFrom2025;
      return isUser ? forbidden : jsonResponse(403, { detail: asker.refusal }, allow);
    }
    const found = viewableRecord(kind, name, asker);
    if (found === 'forbidden') return forbidden;
    const right = kind.allow.one.split(', ').includes(method) ? rightFor.get(method) : undefined;
    const reach = right && asker.rights.extentOf(right, kind.list);
    // 2023.10 checks the general right before it looks for the record.
    if (reach !== undefined && reach !== 'all' && !rules.isFrom2025) return forbidden;
    if (reach === undefined && method !== 'GET') return methodNotAllowed(request, allow);
    if (found === 'absent') {
      const detail = rules.isFrom2025 ? `No ${kind.title} matches the given query.` : 'Not found.';
      return jsonResponse(404, { detail }, allow);
    }
    if (reach !== undefined && !isInExtent(reach, kind, found)) return forbidden;
    if (reach !== undefined) return this.#write(request, kind, asker, found);
    return kind.isUnreadable?.(found)
      ? crashResponse(request)
      : jsonResponse(200, kind.record(found, asker, new Query(request.path)), allow);
  }

  #write(request: SandboxRequest, kind: SandboxKind, asker: Requester, existing?: Row): SandboxResponse {
    const { method } = request;
    const allow = existing ? kind.allow.one : kind.allow.list;
    if (existing && method === 'DELETE') {
      this.remove(kind, existing);
      return { status: 204, headers: { allow }, body: '' };
    }
    const body = bodyOf(request, allow, this.world.rules);
    if ('refusal' in body) return body.refusal;
    const change: RequestedChange | undefined = existing && { existing, partial: method === 'PATCH' };
    const result = kind.save(body.fields, asker, change);
    if ('crashedOver' in result) return crashResponse(request);
    if ('errors' in result) return jsonResponse(400, result.errors, allow);
    return jsonResponse(existing ? 200 : 201, result.record, allow);
  }

  /** Deletes a record, the records that need it, and the tokens of deleted users. */
  remove(kind: SandboxKind, found: Row): void {
    this.#askers.forget(new Set(deleteRow(this.world, kind, found)));
  }
}

function autocompleteOf(kind: SandboxKind): JsonObject {
  return { autocomplete: answers().autocomplete[kind.path] ?? {} };
}

const notPermitted = 'You do not have permission to perform this action.';

const operations: readonly { readonly method: string; readonly path: RegExp }[] = [
  { method: 'POST', path: /^\/api\/v3\/core\/(?:applications|users)\/$/ },
  { method: 'GET', path: /^\/api\/v3\/core\/applications\/[^/]+\/$/ },
];

/** Refuses all requests except the three documented operations, if the seed has `documented_only`. */
function undocumentedRefusal(
  request: SandboxRequest,
  { documented_only: isLimited }: SandboxSeed,
): SandboxResponse | undefined {
  if (!isLimited) return undefined;
  const path = request.path.split('?', 1)[0] ?? '';
  const here = operations.filter((one) => one.path.test(path));
  if (here.some(({ method }) => method === request.method)) return undefined;
  const allow = [...here.map(({ method }) => method), 'OPTIONS'].join(', ');
  return here.length > 0 ? methodNotAllowed(request, allow) : htmlResponse(404, '<!DOCTYPE html>');
}
