import type { SandboxSeed, SeedToken } from '../generated/sandbox-seed.ts';
import { isJsonObject, parseJson, type JsonObject } from '../base/json.ts';
import type { ResourceType } from '../kinds/all.ts';
import { applications } from './application.ts';
import { readFields } from './fields.ts';
import { digest } from './ids.ts';
import type { Created, SandboxKind } from './kind.ts';
import { typeName } from './python.ts';
import { html, json, type SandboxResponse } from './response.ts';
import { configuration, listOptions, meRecord } from './self.ts';
import { users } from './user.ts';

/** A request as it reaches the service. */
interface SandboxRequest {
  readonly method: string;
  /** With the query, if any. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

const mePath = '/api/v3/core/users/me/';
const configurationPath = '/api/v3/root/config/';

/**
 * The service in memory: a state machine without files, network, clock or random numbers. The same requests in the same order
 * always get the same answers.
 */
export class Sandbox {
  readonly #kinds: Readonly<Record<ResourceType, SandboxKind>>;
  readonly #tokens: ReadonlyMap<string, SeedToken>;
  #requests = 0;

  /** The applications and users of the seed are not created here: see seedSandbox. */
  constructor(seed: Pick<SandboxSeed, 'providers' | 'groups' | 'tokens'>) {
    const providers = new Map(seed.providers?.map((provider) => [provider.pk, provider]));
    const groups = new Map(seed.groups?.map((group) => [group.pk.toLowerCase(), group]));
    this.#kinds = {
      application: applications(providers),
      user: users(groups),
    };
    this.#tokens = new Map(seed.tokens?.map((token) => [token.token, token]));
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
    if (path === mePath) return this.#tell(request, (token) => token && meRecord(token));
    if (path === configurationPath) return this.#tell(request, () => configuration);
    for (const [type, kind] of Object.entries(this.#kinds)) {
      if (path === kind.path) return this.#list(request, type, kind);
      const name = path.startsWith(kind.path) && path.endsWith('/') ? path.slice(kind.path.length, -1) : '';
      if (kind.retrieve?.names.test(name)) return this.#retrieve(request, name, kind.retrieve);
    }
    // Without a route, a POST is refused for its method before anything is looked for.
    return request.method === 'POST' ? html(405, '', 'GET, HEAD, OPTIONS') : html(404, '<!DOCTYPE html>');
  }

  /** Answers requests that need no permission; without a token, only those that need none either. */
  #tell(
    request: SandboxRequest,
    record: (token: SeedToken | undefined) => JsonObject | undefined,
  ): SandboxResponse {
    const allow = 'GET, HEAD, OPTIONS';
    const token = this.#tokenOf(request);
    if ('refusal' in token && token.refusal !== notAuthenticated)
      return json(403, { detail: token.refusal }, allow);
    const told = record('refusal' in token ? undefined : token);
    if (told === undefined) return json(403, { detail: notAuthenticated }, allow);
    return request.method === 'GET' ? json(200, told, allow) : notAllowed(request, allow);
  }

  #retrieve(
    request: SandboxRequest,
    name: string,
    { record }: NonNullable<SandboxKind['retrieve']>,
  ): SandboxResponse {
    const allow = 'GET, PUT, PATCH, DELETE, HEAD, OPTIONS';
    const token = this.#tokenOf(request);
    if ('refusal' in token) return json(403, { detail: token.refusal }, allow);
    const found = record(name, token);
    if (found === 'forbidden') return json(403, { detail: notPermitted }, allow);
    if (request.method !== 'GET') return notAllowed(request, allow);
    return found === 'absent' ? json(404, { detail: 'Not found.' }, allow) : json(200, found, allow);
  }

  #list(request: SandboxRequest, type: string, kind: SandboxKind): SandboxResponse {
    const allow = 'GET, POST, HEAD, OPTIONS';
    const token = this.#tokenOf(request);
    if ('refusal' in token) return json(403, { detail: token.refusal }, allow);
    const mayCreate = kind.mayCreate(token);
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
    const result = created(kind, body, token.username);
    if ('crashedOver' in result) return html(405, '', 'GET, HEAD, OPTIONS');
    return 'errors' in result ? json(400, result.errors, allow) : json(201, result.record, allow);
  }

  /** Creates a record from the body of a request, as POST does, but asks for no permission. */
  create(type: ResourceType, body: JsonObject): Created {
    return created(this.#kinds[type], body);
  }

  #tokenOf(request: SandboxRequest): SeedToken | { readonly refusal: string } {
    const [scheme, token] = (request.headers['authorization'] ?? '').split(' ', 2);
    if (scheme !== 'Bearer' || token === undefined) return { refusal: notAuthenticated };
    return this.#tokens.get(token) ?? { refusal: 'Token invalid/expired' };
  }
}

function created(kind: SandboxKind, body: JsonObject, username = ''): Created {
  const { values, errors } = readFields(body, kind.fields);
  return Object.keys(errors).length > 0 ? { errors } : kind.create(values, username);
}

const notAuthenticated = 'Authentication credentials were not provided.';
const notPermitted = 'You do not have permission to perform this action.';

function notAllowed({ method }: SandboxRequest, allow: string): SandboxResponse {
  return json(405, { detail: `Method "${method}" not allowed.` }, allow);
}

/** As the service says it when the text ends where a value should begin; its other texts are not imitated. */
function parseErrorOf(body: string): string {
  const lines = body.split('\n');
  const column = (lines.at(-1)?.length ?? 0) + 1;
  return `JSON parse error - Expecting value: line ${lines.length} column ${column} (char ${body.length})`;
}
