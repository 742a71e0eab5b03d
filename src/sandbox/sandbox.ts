import type { SandboxSeed, SeedToken } from '../generated/sandbox-seed.ts';
import { isJsonObject, parseJson, type JsonObject } from '../base/json.ts';
import type { ResourceType } from '../kinds/all.ts';
import { Applications } from './application.ts';
import { readFields } from './fields.ts';
import { Groups } from './group.ts';
import { digest } from './ids.ts';
import type { Asker, Created, SandboxKind, SandboxList } from './kind.ts';
import type { Listed } from './listed.ts';
import { Providers } from './provider.ts';
import { typeName } from './python.ts';
import { Query } from './query.ts';
import { html, json, type SandboxResponse } from './response.ts';
import { rightsOf } from './rights.ts';
import { configuration, listOptions, version } from './self.ts';
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
  readonly #kinds: Readonly<Record<ResourceType, SandboxKind>>;
  readonly #users: Users;
  readonly #lists: readonly SandboxList[];
  readonly #askers = new Map<string, Asker<User>>();
  #requests = 0;

  /** The applications and users of the seed are not created here: see seedSandbox. */
  constructor(seed: Pick<SandboxSeed, 'providers' | 'groups' | 'tokens'>) {
    const providers = new Providers(seed.providers ?? []);
    const groups = new Groups(seed.groups ?? []);
    this.#users = new Users(groups);
    this.#kinds = { application: new Applications(providers), user: this.#users };
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
    const answer = this.#answer(request);
    return {
      ...answer,
      headers: { ...answer.headers, 'x-authentik-id': digest(`request ${this.#requests}`, 32) },
    };
  }

  #answer(request: SandboxRequest): SandboxResponse {
    const path = request.path.split('?', 1)[0] ?? '';
    switch (path) {
      case mePath:
        return this.#tell(request, (asker) => asker && this.#users.me(asker.user));
      case versionPath:
        return this.#tell(request, (asker) => asker && version);
      case configurationPath:
        return this.#tell(request, () => configuration);
    }
    for (const [type, kind] of Object.entries(this.#kinds)) {
      if (path === kind.path) return this.#listOrCreate(request, type, kind);
    }
    for (const list of [...Object.values(this.#kinds), ...this.#lists]) {
      if (path === list.path) return this.#list(request, list);
      const name = path.startsWith(list.path) && path.endsWith('/') ? path.slice(list.path.length, -1) : '';
      if (list.names.test(name)) return this.#retrieve(request, name, list);
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

  #retrieve(request: SandboxRequest, name: string, list: SandboxList): SandboxResponse {
    const allow = list.allow.one;
    const asker = this.#askerOf(request);
    if ('refusal' in asker) return json(403, { detail: asker.refusal }, allow);
    const found = list.retrieve(name, asker);
    if (found === 'forbidden') return json(403, { detail: notPermitted }, allow);
    if (request.method !== 'GET') return notAllowed(request, allow);
    return found === 'absent' ? json(404, { detail: 'Not found.' }, allow) : json(200, found, allow);
  }

  #list(request: SandboxRequest, list: SandboxList): SandboxResponse {
    const allow = list.allow.list;
    const asker = this.#askerOf(request);
    if ('refusal' in asker) return json(403, { detail: asker.refusal }, allow);
    if (request.method !== 'GET') return notAllowed(request, allow);
    return listResponse(list.list(new Query(request.path), asker), allow);
  }

  #listOrCreate(request: SandboxRequest, type: string, kind: SandboxKind): SandboxResponse {
    if (request.method === 'GET') return this.#list(request, kind);
    const allow = kind.allow.list;
    const asker = this.#askerOf(request);
    if ('refusal' in asker) return json(403, { detail: asker.refusal }, allow);
    const mayCreate = kind.mayCreate(asker.rights);
    if (request.method === 'OPTIONS') return json(200, listOptions(type, kind, mayCreate), allow);
    if (!mayCreate) return json(403, { detail: notPermitted }, allow);
    if (request.method !== 'POST') return notAllowed(request, allow);
    const mediaType = (request.headers['content-type'] ?? '').split(';', 1)[0] ?? '';
    if (mediaType !== 'application/json') {
      return json(415, { detail: `Unsupported media type "${mediaType}" in request.` }, allow);
    }
    const body = parseJson(request.body);
    if (body === undefined) return json(400, { detail: parseErrorOf(request.body) }, allow);
    if (!isJsonObject(body)) {
      const complaint = `Invalid data. Expected a dictionary, but got ${typeName(body)}.`;
      return json(400, { non_field_errors: [complaint] }, allow);
    }
    const result = created(kind, body, asker);
    if ('crashedOver' in result) return html(405, '', 'GET, HEAD, OPTIONS');
    return 'errors' in result ? json(400, result.errors, allow) : json(201, result.record, allow);
  }

  /** Creates a record from the body of a request, as POST does, but asks for no permission. */
  create(type: ResourceType, body: JsonObject): Created {
    return created(this.#kinds[type], body);
  }

  #askerOf(request: SandboxRequest): Asker<User> | { readonly refusal: string } {
    const [scheme, token] = (request.headers['authorization'] ?? '').split(' ', 2);
    if (scheme !== 'Bearer' || token === undefined) return { refusal: notAuthenticated };
    return this.#askers.get(token) ?? { refusal: 'Token invalid/expired' };
  }
}

function created(kind: SandboxKind, body: JsonObject, asker?: Asker): Created {
  const { values, errors } = readFields(body, kind.fields);
  return Object.keys(errors).length > 0 ? { errors } : kind.create(values, asker);
}

const notAuthenticated = 'Authentication credentials were not provided.';
const notPermitted = 'You do not have permission to perform this action.';

function listResponse(found: Listed, allow: string): SandboxResponse {
  if (found === 'forbidden') return json(403, { detail: notPermitted }, allow);
  if (found === 'no such page') return json(404, { detail: 'Invalid page.' }, allow);
  return 'errors' in found ? json(400, found.errors, allow) : json(200, { ...found }, allow);
}

function notAllowed({ method }: SandboxRequest, allow: string): SandboxResponse {
  return json(405, { detail: `Method "${method}" not allowed.` }, allow);
}

/** As the service says it when the text ends where a value should begin; its other texts are not imitated. */
function parseErrorOf(body: string): string {
  const lines = body.split('\n');
  const column = (lines.at(-1)?.length ?? 0) + 1;
  return `JSON parse error - Expecting value: line ${lines.length} column ${column} (char ${body.length})`;
}
