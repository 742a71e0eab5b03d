import type { SandboxSeed, SeedToken } from '../generated/sandbox-seed.ts';
import { isJsonObject, parseJson, type JsonObject } from '../base/json.ts';
import type { ResourceType } from '../kinds/all.ts';
import { Applications } from './application.ts';
import { autocomplete } from './autocomplete.ts';
import { readFields } from './fields.ts';
import { Groups } from './group.ts';
import { digest } from './ids.ts';
import { earlierComplaint, laterComplaint } from './json-complaints.ts';
import type { Asker, Held, SandboxKind, SandboxList, Shown, Taken } from './kind.ts';
import { Providers } from './provider.ts';
import { typeName } from './python.ts';
import { Query } from './query.ts';
import { defaultRelease, rulesOf, type Rules, type SandboxRelease } from './release.ts';
import { html, json, jsonType, type SandboxResponse } from './response.ts';
import { reaches, rightsOf } from './rights.ts';
import { configurationOf, listOptions, versionOf } from './self.ts';
import { Users, type User } from './user.ts';

/** A request as it reaches the service. */
export interface SandboxRequest {
  readonly method: string;
  /** With the query, if any. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

const mePath = '/api/v3/core/users/me/';
const configurationPath = '/api/v3/root/config/';
const versionPath = '/api/v3/admin/version/';

/**
 * The service in memory: a state machine without files, network, clock or random numbers. The same requests in the same order
 * always get the same answers.
 */
export class Sandbox {
  readonly #rules: Rules;
  readonly #kinds: Readonly<Record<ResourceType, SandboxKind>>;
  readonly #users: Users;
  readonly #lists: readonly SandboxList[];
  readonly #askers = new Map<string, Asker<User>>();
  #requests = 0;

  /** The applications and users of the seed are not created here: see seedSandbox. */
  constructor(
    seed: Pick<SandboxSeed, 'providers' | 'groups' | 'roles' | 'tokens'>,
    release: SandboxRelease = defaultRelease,
  ) {
    const rules = rulesOf[release];
    this.#rules = rules;
    const providers = new Providers(seed.providers ?? [], rules);
    const groups = new Groups(seed.groups ?? [], rules);
    this.#users = new Users(groups, seed.roles ?? [], rules);
    this.#kinds = { application: new Applications(providers, rules), user: this.#users };
    this.#lists = [groups, providers];
    for (const token of seed.tokens ?? []) this.issue(token);
  }

  /** Takes a token from now on, in place of one of the same text. Its user is created, where there is none of that name. */
  issue(token: SeedToken): void {
    const rights = rightsOf(token);
    const user = this.#users.ofToken(token.username ?? 'sandbox', rights.superuser);
    this.#askers.set(token.token, { user, rights });
  }

  /** Takes a token no longer. */
  revoke(token: string): void {
    this.#askers.delete(token);
  }

  handle(request: SandboxRequest): SandboxResponse {
    this.#requests += 1;
    const { headers, ...answer } = this.#answer(request);
    const { json: type, vary } = this.#rules;
    return {
      ...answer,
      headers: {
        ...headers,
        ...(headers['content-type'] === jsonType && { 'content-type': type }),
        vary,
        'x-authentik-id': digest(`request ${this.#requests}`, 32),
      },
    };
  }

  #answer(request: SandboxRequest): SandboxResponse {
    const path = request.path.split('?', 1)[0] ?? '';
    switch (path) {
      case mePath:
        return this.#tell(request, (asker) => asker && this.#users.me(asker.user));
      case versionPath:
        return this.#tell(request, (asker) => asker && versionOf(this.#rules));
      case configurationPath:
        return this.#tell(request, () => configurationOf(this.#rules));
    }
    for (const kind of Object.values(this.#kinds)) {
      if (path === kind.path) return this.#listOrCreate(request, kind);
      const name = nameIn(path, kind);
      if (name !== undefined) return this.#showOrChange(request, name, kind);
    }
    for (const list of this.#lists) {
      if (path === list.path) return this.#list(request, list);
      const name = nameIn(path, list);
      if (name !== undefined) return this.#show(request, name, list);
    }
    // Without a route, a POST is refused for its method before anything is looked for.
    return request.method === 'POST' ? html(405, '', 'GET, HEAD, OPTIONS') : html(404, '<!DOCTYPE html>');
  }

  /** Answers requests that need no permission; without a token, only those that need none either. */
  #tell(
    request: SandboxRequest,
    record: (asker: Asker<User> | undefined) => JsonObject | undefined,
  ): SandboxResponse {
    const allow = 'GET, HEAD, OPTIONS';
    const asker = this.#askerOf(request);
    if ('refusal' in asker && asker.refusal !== notAuthenticated)
      return json(403, { detail: asker.refusal }, allow);
    const told = record('refusal' in asker ? undefined : asker);
    if (told === undefined) return json(403, { detail: notAuthenticated }, allow);
    return request.method === 'GET' ? json(200, told, allow) : notAllowed(request, allow);
  }

  #show(request: SandboxRequest, name: string, list: SandboxList): SandboxResponse {
    const allow = list.allow.one;
    const asker = this.#askerOf(request);
    if ('refusal' in asker) return this.#refusedOne(asker.refusal, allow);
    const found = foundBy(list, name, asker);
    if (found === 'forbidden') return json(403, { detail: notPermitted }, allow);
    if (request.method !== 'GET') return notAllowed(request, allow);
    if (found === 'absent') return this.#absent(list);
    return found.isUnreadable === true ? crashed(request) : json(200, found.record(asker), allow);
  }

  #showOrChange(request: SandboxRequest, name: string, kind: SandboxKind): SandboxResponse {
    const { method } = request;
    if (method !== 'PATCH' && method !== 'PUT' && method !== 'DELETE') return this.#show(request, name, kind);
    const allow = kind.allow.one;
    const asker = this.#askerOf(request);
    if ('refusal' in asker) return this.#refusedOne(asker.refusal, allow);
    const mayDelete = kind.mayDelete(asker.rights) ? 'all' : 'none';
    const reach = method === 'DELETE' ? mayDelete : kind.changed(asker.rights);
    const found = foundBy(kind, name, asker);
    // At first, a right to all of them was asked for before anything was looked for.
    if (found === 'forbidden' || (!this.#rules.changesSingleOnes && reach !== 'all'))
      return json(403, { detail: notPermitted }, allow);
    if (found === 'absent') return this.#absent(kind);
    if (!reaches(reach, found.name)) return json(403, { detail: notPermitted }, allow);
    if (method === 'DELETE') {
      this.#delete(found);
      return { status: 204, headers: { allow }, body: '' };
    }
    const body = this.#bodyOf(request);
    if ('refusal' in body) return json(body.status, body.refusal, allow);
    const result = changed(kind, found, body.fields, method === 'PATCH', asker);
    return takenResponse(request, 200, result, allow);
  }

  /** Refuses somebody without a good token what they ask of a single record. */
  #refusedOne(refusal: string, allow: string): SandboxResponse {
    const isUser = refusal === notAuthenticated && this.#rules.anonymousIsUser;
    return json(403, { detail: isUser ? notPermitted : refusal }, allow);
  }

  #absent({ title, allow }: SandboxList): SandboxResponse {
    const detail = this.#rules.isLate ? `No ${title} matches the given query.` : 'Not found.';
    return json(404, { detail }, allow.one);
  }

  #list(request: SandboxRequest, list: SandboxList): SandboxResponse {
    const allow = list.allow.list;
    const asker = this.#askerOf(request);
    if ('refusal' in asker) return json(403, { detail: asker.refusal }, allow);
    if (request.method !== 'GET') return notAllowed(request, allow);
    const found = list.list(new Query(request.path), asker);
    if (found === 'forbidden') return json(403, { detail: notPermitted }, allow);
    if (found === 'no such page') return json(404, { detail: 'Invalid page.' }, allow);
    if (found === 'crashed') return crashed(request);
    if ('errors' in found) return json(400, found.errors, allow);
    const more = this.#rules.isLate ? { autocomplete: autocomplete[list.title] } : {};
    return json(200, { ...found, ...more }, allow);
  }

  #listOrCreate(request: SandboxRequest, kind: SandboxKind): SandboxResponse {
    if (request.method === 'GET') return this.#list(request, kind);
    const allow = kind.allow.list;
    const asker = this.#askerOf(request);
    if ('refusal' in asker) return json(403, { detail: asker.refusal }, allow);
    const mayCreate = kind.mayCreate(asker.rights);
    if (request.method === 'OPTIONS') return json(200, listOptions(kind, mayCreate), allow);
    if (!mayCreate) return json(403, { detail: notPermitted }, allow);
    if (request.method !== 'POST') return notAllowed(request, allow);
    const body = this.#bodyOf(request);
    if ('refusal' in body) return json(body.status, body.refusal, allow);
    return takenResponse(request, 201, created(kind, body.fields, asker), allow);
  }

  /** The fields that a request sends, or why it is refused before they are looked at. */
  #bodyOf({
    headers,
    body,
  }: SandboxRequest):
    | { readonly fields: JsonObject }
    | { readonly status: number; readonly refusal: JsonObject } {
    const mediaType = (headers['content-type'] ?? '').split(';', 1)[0] ?? '';
    if (mediaType !== 'application/json')
      return { status: 415, refusal: { detail: `Unsupported media type "${mediaType}" in request.` } };
    const complaint = (this.#rules.isLate ? laterComplaint : earlierComplaint)(body);
    if (complaint !== undefined)
      return { status: 400, refusal: { detail: `JSON parse error - ${complaint}` } };
    const fields = parseJson(body) ?? null;
    if (isJsonObject(fields)) return { fields };
    const wrongType = `Invalid data. Expected a dictionary, but got ${typeName(fields)}.`;
    return { status: 400, refusal: { non_field_errors: [wrongType] } };
  }

  // What somebody else does, for whom no permission is asked. A record goes by its slug or username.

  /** Creates a record from the body of a request, as POST does. */
  create(type: ResourceType, body: JsonObject): Taken {
    return created(this.#kinds[type], body);
  }

  /** Changes a record by the body of a request, as PATCH does. Nothing comes of it where there is no such record. */
  change(type: ResourceType, name: string, body: JsonObject): Taken | undefined {
    const kind = this.#kinds[type];
    const found = kind.named(name);
    return found && changed(kind, found, body, true);
  }

  /** Deletes a record, and with a user its tokens. Whether there was one. */
  delete(type: ResourceType, name: string): boolean {
    const found = this.#kinds[type].named(name);
    if (found !== undefined) this.#delete(found);
    return found !== undefined;
  }

  /** A record as the service shows it to who may see it; nothing where there is none. */
  record(type: ResourceType, name: string): JsonObject | undefined {
    return this.#kinds[type].named(name)?.record();
  }

  #delete(found: Held): void {
    found.delete();
    for (const [token, { user }] of this.#askers) if (user === found.row) this.#askers.delete(token);
  }

  #askerOf(request: SandboxRequest): Asker<User> | { readonly refusal: string } {
    const [scheme, token] = (request.headers['authorization'] ?? '').split(' ', 2);
    if (scheme !== 'Bearer' || token === undefined) return { refusal: notAuthenticated };
    return this.#askers.get(token) ?? { refusal: 'Token invalid/expired' };
  }
}

function nameIn(path: string, { path: start, names }: SandboxList): string | undefined {
  const name = path.startsWith(start) && path.endsWith('/') ? path.slice(start.length, -1) : '';
  return names.test(name) ? name : undefined;
}

function foundBy<One extends Shown>(
  list: SandboxList<One>,
  name: string,
  { rights }: Asker,
): One | 'absent' | 'forbidden' {
  const visible = list.viewed(rights);
  if (visible === 'none') return 'forbidden';
  const found = list.at(name);
  return found !== undefined && reaches(visible, found.name) ? found : 'absent';
}

function created(kind: SandboxKind, body: JsonObject, asker?: Asker): Taken {
  const { values, errors } = readFields(body, kind.fields);
  return Object.keys(errors).length > 0 ? { errors } : kind.create(values, asker);
}

function changed(kind: SandboxKind, held: Held, body: JsonObject, partial: boolean, asker?: Asker): Taken {
  const { values, errors } = readFields(body, kind.fields, { own: held.row, partial });
  return Object.keys(errors).length > 0 ? { errors } : held.change(values, asker);
}

function takenResponse(
  request: SandboxRequest,
  status: number,
  result: Taken,
  allow: string,
): SandboxResponse {
  if ('crashedOver' in result) return crashed(request);
  return 'errors' in result ? json(400, result.errors, allow) : json(status, result.record, allow);
}

const notAuthenticated = 'Authentication credentials were not provided.';
const notPermitted = 'You do not have permission to perform this action.';

/** The page that tells of a crash can be had by GET alone. */
function crashed({ method }: SandboxRequest): SandboxResponse {
  return method === 'GET' ? html(500, '<!DOCTYPE html>') : html(405, '', 'GET, HEAD, OPTIONS');
}

function notAllowed({ method }: SandboxRequest, allow: string): SandboxResponse {
  return json(405, { detail: `Method "${method}" not allowed.` }, allow);
}
