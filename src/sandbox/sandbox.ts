import type { SandboxSeed, SeedToken } from '../generated/sandbox-seed.ts';
import { isJsonObject, parseJson, textOf, type JsonObject, type JsonValue } from '../base/json.ts';
import { readFields, type Field, type FieldErrors } from './fields.ts';
import { digest } from './ids.ts';
import { typeName } from './python.ts';
import { applicationRecord, userRecord, type StoredApplication, type Surroundings } from './records.ts';
import { applicationFields, isUnstorable, userFields } from './request-rules.ts';
import { html, json, type SandboxResponse } from './response.ts';
import { configuration, listOptions, meRecord } from './self.ts';

/** A request as it reaches the service. */
export interface SandboxRequest {
  readonly method: string;
  /** With the query, if any. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

/** The new record, or what is wrong with each field, or that it broke down over a field. */
export type Created =
  | { readonly record: JsonObject }
  | { readonly errors: FieldErrors }
  | { readonly crashedOver: string };

const applicationsPath = '/api/v3/core/applications/';
const usersPath = '/api/v3/core/users/';
const mePath = '/api/v3/core/users/me/';
const configurationPath = '/api/v3/root/config/';
const slugForm = /^[-a-zA-Z0-9_]+$/;

/**
 * The service in memory: a state machine without input, output, clock or chance.
 * The same requests in the same order get the same answers, to the letter.
 */
export class Sandbox {
  readonly #applications = new Map<string, StoredApplication>();
  /** The service has a user for anonymous requests. It shows only in that its name is refused. */
  readonly #users = new Set(['AnonymousUser']);
  readonly #mainOf = new Map<JsonValue, StoredApplication>();
  readonly #backchannelOf = new Map<JsonValue, StoredApplication>();
  readonly #around: Surroundings;
  readonly #tokens: ReadonlyMap<string, SeedToken>;
  readonly #applicationFields: Readonly<Record<string, Field>>;
  readonly #userFields: Readonly<Record<string, Field>>;
  #requests = 0;

  /** The applications and users of the seed are not created here: see seedSandbox. */
  constructor(seed: Pick<SandboxSeed, 'providers' | 'groups' | 'tokens'>) {
    const providers = new Map(seed.providers?.map((provider) => [provider.pk, provider]));
    const groups = new Map(seed.groups?.map((group) => [group.pk.toLowerCase(), group]));
    this.#around = { providers, groups, mainOf: this.#mainOf, backchannelOf: this.#backchannelOf };
    this.#tokens = new Map(seed.tokens?.map((token) => [token.token, token]));
    this.#applicationFields = applicationFields({
      slugTaken: (slug) => this.#applications.has(slug),
      providerExists: (pk) => providers.has(pk),
      providerTaken: (pk) => this.#mainOf.has(pk),
    });
    this.#userFields = userFields({
      usernameTaken: (username) => this.#users.has(username),
      groupExists: (pk) => groups.has(pk),
    });
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
      case applicationsPath:
        return this.#list(request, 'application', (body, username) => this.createApplication(body, username));
      case usersPath:
        return this.#list(request, 'user', (body) => this.createUser(body));
      case mePath:
        return this.#tell(request, (token) => token && meRecord(token));
      case configurationPath:
        return this.#tell(request, () => configuration);
      default:
        break;
    }
    if (path.startsWith(applicationsPath) && path.endsWith('/')) {
      const slug = path.slice(applicationsPath.length, -1);
      if (slugForm.test(slug)) return this.#retrieve(request, slug);
    }
    // Without a route, a POST is refused for its method before anything is looked for.
    return request.method === 'POST' ? html(405, '', 'GET, HEAD, OPTIONS') : html(404, '<!DOCTYPE html>');
  }

  /** Answers what has nothing to do with permissions; to one without a token, if there is something to tell him. */
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

  #retrieve(request: SandboxRequest, slug: string): SandboxResponse {
    const allow = 'GET, PUT, PATCH, DELETE, HEAD, OPTIONS';
    const token = this.#tokenOf(request);
    if ('refusal' in token) return json(403, { detail: token.refusal }, allow);
    const visible = token.view_applications ?? 'all';
    if (visible === 'none') return json(403, { detail: notPermitted }, allow);
    if (request.method !== 'GET') return notAllowed(request, allow);
    const application =
      visible === 'all' || visible.includes(slug) ? this.#applications.get(slug) : undefined;
    if (application === undefined) return json(404, { detail: 'Not found.' }, allow);
    return json(200, applicationRecord(application, token.username ?? '', this.#around), allow);
  }

  #list(
    request: SandboxRequest,
    type: 'application' | 'user',
    createFrom: (body: JsonObject, username: string) => Created,
  ): SandboxResponse {
    const allow = 'GET, POST, HEAD, OPTIONS';
    const token = this.#tokenOf(request);
    if ('refusal' in token) return json(403, { detail: token.refusal }, allow);
    const mayCreate = token[`add_${type}s`] !== false;
    if (request.method === 'OPTIONS') return json(200, listOptions(type, mayCreate), allow);
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
    const result = createFrom(body, token.username ?? '');
    if ('crashedOver' in result) return html(405, '', 'GET, HEAD, OPTIONS');
    return 'errors' in result ? json(400, result.errors, allow) : json(201, result.record, allow);
  }

  /** Creates an application from the body of a request, as POST does, but asks for no permission. */
  createApplication(body: JsonObject, username = ''): Created {
    const { values, errors } = readFields(body, this.#applicationFields);
    if (Object.keys(errors).length > 0) return { errors };
    const { backchannel_providers, ...fields } = values;
    const backchannelProviders = backchannel_providers as readonly JsonValue[]; // as they were read: a list of ids
    const application = { fields, backchannelProviders };
    for (const pk of backchannelProviders) {
      const former = this.#backchannelOf.get(pk);
      if (former) former.backchannelProviders = former.backchannelProviders.filter((other) => other !== pk);
      this.#backchannelOf.set(pk, application);
    }
    const main = fields['provider'] ?? null;
    if (main !== null) this.#mainOf.set(main, application);
    this.#applications.set(textOf(fields['slug']), application);
    return { record: applicationRecord(application, username, this.#around) };
  }

  /** Creates a user from the body of a request, as POST does, but asks for no permission. */
  createUser(body: JsonObject): Created {
    const { values, errors } = readFields(body, this.#userFields);
    if (Object.keys(errors).length > 0) return { errors };
    if (isUnstorable(values['attributes'] ?? null)) return { crashedOver: 'attributes' };
    const pk = this.#users.size;
    this.#users.add(textOf(values['username']));
    return { record: userRecord(pk, values, this.#around) };
  }

  #tokenOf(request: SandboxRequest): SeedToken | { readonly refusal: string } {
    const [scheme, token] = (request.headers['authorization'] ?? '').split(' ', 2);
    if (scheme !== 'Bearer' || token === undefined) return { refusal: notAuthenticated };
    return this.#tokens.get(token) ?? { refusal: 'Token invalid/expired' };
  }
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
