import type { SandboxSeed, SeedToken } from '../generated/sandbox-seed.ts';
import { isJsonObject, parseJson, textOf, type JsonObject, type JsonValue } from '../json.ts';
import {
  choice,
  dateTime,
  flag,
  groupId,
  mapping,
  nullable,
  providerId,
  pythonType,
  readFields,
  setOf,
  text,
  type Field,
  type FieldErrors,
} from './fields.ts';
import { digest } from './ids.ts';
import { applicationRecord, userRecord, type StoredApplication, type Surroundings } from './records.ts';
import { html, json, type SandboxResponse } from './response.ts';

/** A request as it reaches the service. */
export interface SandboxRequest {
  readonly method: string;
  /** With the query, if any. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

/** The new record, or what is wrong with each field. */
export type Created = { readonly record: JsonObject } | { readonly errors: FieldErrors };

const applicationsPath = '/api/v3/core/applications/';
const usersPath = '/api/v3/core/users/';
const slugForm = /^[-a-zA-Z0-9_]+$/;

/**
 * The service in memory: a state machine without input, output, clock or chance.
 * The same requests in the same order get the same answers, to the letter.
 */
export class Sandbox {
  readonly #applications = new Map<string, StoredApplication>();
  readonly #users = new Set<string>();
  readonly #mainProviders = new Set<JsonValue>();
  readonly #around: Surroundings;
  readonly #tokens: ReadonlyMap<string, SeedToken>;
  readonly #applicationFields: Readonly<Record<string, Field>>;
  readonly #userFields: Readonly<Record<string, Field>>;
  #requests = 0;

  /** The applications and users of the seed are not created here: see seedSandbox. */
  constructor(seed: Pick<SandboxSeed, 'providers' | 'groups' | 'tokens'>) {
    const providers = new Map(seed.providers?.map((provider) => [provider.pk, provider]));
    const groups = new Map(seed.groups?.map((group) => [group.pk.toLowerCase(), group]));
    this.#around = { providers, groups };
    this.#tokens = new Map(seed.tokens?.map((token) => [token.token, token]));
    const provider = providerId((pk) => providers.has(pk));
    this.#applicationFields = {
      name: { read: text() },
      slug: { read: text({ maxLength: 50, check: (slug) => this.#slugError(slug) }) },
      provider: { read: nullable((value) => this.#freeProvider(provider(value))), default: null },
      backchannel_providers: { read: setOf(provider), default: [] },
      open_in_new_tab: { read: flag, default: false },
      meta_launch_url: { read: text({ blank: true, check: urlError }), default: '' },
      meta_description: { read: text({ blank: true }), default: '' },
      meta_publisher: { read: text({ blank: true }), default: '' },
      policy_engine_mode: { read: choice('all', 'any'), default: 'any' },
      group: { read: text({ blank: true }), default: '' },
    };
    this.#userFields = {
      username: { read: text({ maxLength: 150, check: (username) => this.#usernameError(username) }) },
      name: { read: text({ blank: true }) },
      is_active: { read: flag, default: true },
      last_login: { read: dateTime, default: null },
      groups: { read: setOf(groupId((pk) => groups.has(pk))), default: [] },
      email: { read: text({ blank: true, maxLength: 254, check: emailError }), default: '' },
      attributes: { read: mapping, default: {} },
      path: { read: text({ check: pathError }), default: 'users' },
      type: { read: userType, default: 'internal' },
    };
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
    if (path === applicationsPath) {
      return this.#create(request, 'add_applications', (body, username) =>
        this.createApplication(body, username),
      );
    }
    if (path === usersPath) return this.#create(request, 'add_users', (body) => this.createUser(body));
    if (path.startsWith(applicationsPath) && path.endsWith('/')) {
      const slug = path.slice(applicationsPath.length, -1);
      if (slugForm.test(slug)) return this.#retrieve(request, slug);
    }
    // Without a route, a POST is refused for its method before anything is looked for.
    return request.method === 'POST' ? html(405, '', 'GET, HEAD, OPTIONS') : html(404, '<!DOCTYPE html>');
  }

  #retrieve(request: SandboxRequest, slug: string): SandboxResponse {
    const allow = 'GET, PUT, PATCH, DELETE, HEAD, OPTIONS';
    const token = this.#tokenOf(request);
    if ('refusal' in token) return json(403, { detail: token.refusal }, allow);
    const visible = token.view_applications ?? 'all';
    if (visible === 'none') return json(403, { detail: notPermitted }, allow);
    if (request.method !== 'GET')
      return json(405, { detail: `Method "${request.method}" not allowed.` }, allow);
    const application =
      visible === 'all' || visible.includes(slug) ? this.#applications.get(slug) : undefined;
    if (application === undefined) return json(404, { detail: 'Not found.' }, allow);
    return json(200, applicationRecord(application, token.username ?? '', this.#around), allow);
  }

  #create(
    request: SandboxRequest,
    permission: 'add_applications' | 'add_users',
    createFrom: (body: JsonObject, username: string) => Created,
  ): SandboxResponse {
    const allow = 'GET, POST, HEAD, OPTIONS';
    const token = this.#tokenOf(request);
    if ('refusal' in token) return json(403, { detail: token.refusal }, allow);
    if (token[permission] === false) return json(403, { detail: notPermitted }, allow);
    if (request.method !== 'POST')
      return json(405, { detail: `Method "${request.method}" not allowed.` }, allow);
    const mediaType = (request.headers['content-type'] ?? '').split(';', 1)[0] ?? '';
    if (mediaType !== 'application/json') {
      return json(415, { detail: `Unsupported media type "${mediaType}" in request.` }, allow);
    }
    const body = parseJson(request.body);
    if (body === undefined) return json(400, { detail: parseErrorOf(request.body) }, allow);
    if (!isJsonObject(body)) {
      const complaint = `Invalid data. Expected a dictionary, but got ${pythonType(body)}.`;
      return json(400, { non_field_errors: [complaint] }, allow);
    }
    if (crashes(body['attributes'])) return html(405, '', 'GET, HEAD, OPTIONS');
    const result = createFrom(body, token.username ?? '');
    return 'errors' in result ? json(400, result.errors, allow) : json(201, result.record, allow);
  }

  /** Creates an application from the body of a request, as POST does, but asks for no permission. */
  createApplication(body: JsonObject, username = ''): Created {
    const { values, errors } = readFields(body, this.#applicationFields);
    if (Object.keys(errors).length > 0) return { errors };
    const { backchannel_providers, ...fields } = values;
    const backchannelProviders = backchannel_providers as readonly JsonValue[]; // as they were read: a list of ids
    for (const other of this.#applications.values()) {
      other.backchannelProviders = other.backchannelProviders.filter(
        (pk) => !backchannelProviders.includes(pk),
      );
    }
    const application = { fields, backchannelProviders };
    this.#applications.set(textOf(fields['slug']), application);
    const main = fields['provider'] ?? null;
    if (main !== null) this.#mainProviders.add(main);
    return { record: applicationRecord(application, username, this.#around) };
  }

  /** Creates a user from the body of a request, as POST does, but asks for no permission. */
  createUser(body: JsonObject): Created {
    const { values, errors } = readFields(body, this.#userFields);
    if (Object.keys(errors).length > 0) return { errors };
    this.#users.add(textOf(values['username']));
    return { record: userRecord(this.#users.size, values, this.#around) };
  }

  #tokenOf(request: SandboxRequest): SeedToken | { readonly refusal: string } {
    const [scheme, token] = (request.headers['authorization'] ?? '').split(' ', 2);
    if (scheme !== 'Bearer' || token === undefined)
      return { refusal: 'Authentication credentials were not provided.' };
    return this.#tokens.get(token) ?? { refusal: 'Token invalid/expired' };
  }

  #freeProvider(result: ReturnType<Field['read']>): ReturnType<Field['read']> {
    return 'value' in result && this.#mainProviders.has(result.value)
      ? { error: 'Application with this provider already exists.' }
      : result;
  }

  #slugError(slug: string): string | undefined {
    if (!slugForm.test(slug)) {
      return 'Enter a valid "slug" consisting of letters, numbers, underscores or hyphens.';
    }
    return this.#applications.has(slug) ? 'Application with this slug already exists.' : undefined;
  }

  #usernameError(username: string): string | undefined {
    return this.#users.has(username) ? 'This field must be unique.' : undefined;
  }
}

const notPermitted = 'You do not have permission to perform this action.';

function urlError(url: string): string | undefined {
  return /^(https?|ftps?):\/\/\S+$/i.test(url) ? undefined : 'Enter a valid URL.';
}

function emailError(email: string): string | undefined {
  return /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email) ? undefined : 'Enter a valid email address.';
}

function pathError(path: string): string | undefined {
  if (path.startsWith('/') || path.endsWith('/')) return 'No leading or trailing slashes allowed.';
  return path.includes('//') ? 'No empty segments in user path allowed.' : undefined;
}

const anyUserType = choice('internal', 'external', 'service_account', 'internal_service_account');

function userType(value: JsonValue): ReturnType<Field['read']> {
  return value === 'internal_service_account'
    ? { error: 'Setting a user to internal service account is not allowed.' }
    : anyUserType(value);
}

/** The service's database takes neither a NUL nor a lone surrogate inside attributes. */
function crashes(attributes: JsonValue | undefined): boolean {
  return /\\u0000|\\ud[89a-f][0-9a-f]{2}/.test(JSON.stringify(attributes ?? null));
}

/** As the service says it when the text ends where a value should begin; its other texts are not imitated. */
function parseErrorOf(body: string): string {
  const lines = body.split('\n');
  const column = (lines.at(-1)?.length ?? 0) + 1;
  return `JSON parse error - Expecting value: line ${lines.length} column ${column} (char ${body.length})`;
}
