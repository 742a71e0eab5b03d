import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Fields, Happening, Json, Key, Type } from './history.ts';

/** A service as its documents describe it: three kinds of record, rights, and what goes wrong on the way. Written without the sandbox. */
export interface Conditions {
  readonly release: '2023.10.7' | '2026.2.2';
  readonly isSuperuser: boolean;
  readonly mayViewUsers: boolean;
  readonly mayAddUsers: boolean;
  /** How likely it is that a request goes wrong, and that somebody else does something before it. */
  readonly trouble: number;
  readonly others: number;
}

interface Stored {
  readonly key: Key;
  readonly pk: string | number;
  fields: Record<string, Json>;
}

interface Answered {
  readonly status: number;
  readonly json?: Json;
  readonly did?: Happening['did'];
  readonly about?: Key;
  readonly showed?: readonly Key[];
}

const identities: Readonly<Record<Type, string>> = { application: 'slug', group: 'name', user: 'username' };
const paths: Readonly<Record<string, Type>> = { applications: 'application', groups: 'group', users: 'user' };
const defaults: Readonly<Record<Type, Fields>> = {
  application: {
    provider: null,
    provider_obj: null,
    backchannel_providers: [],
    backchannel_providers_obj: [],
    open_in_new_tab: false,
    meta_launch_url: '',
    meta_description: '',
    meta_publisher: '',
    policy_engine_mode: 'any',
    group: '',
  },
  group: { is_superuser: false, parent: null, parents: [], attributes: {}, roles: [] },
  user: {
    is_active: true,
    groups: [],
    email: '',
    attributes: {},
    path: 'users',
    type: 'internal',
    last_login: null,
    roles: [],
  },
};
const denied = { status: 403, json: { detail: 'You do not have permission to perform this action.' } };
const missing = { status: 404, json: { detail: 'Not found.' } };

export class Service {
  readonly history: Happening[] = [];
  readonly #conditions: Conditions;
  readonly #chance: () => number;
  readonly #names: readonly Key[];
  readonly #stored = new Map<string, Stored>();
  /** Whose each id is, or was. */
  readonly #keys = new Map<string, Key>();
  readonly #server: Server;
  #next = 100;
  /** The run whose requests come now, and whether anything goes wrong for it. */
  run = 0;
  isCalm = false;

  /** @param names what somebody else may create and change */
  constructor(conditions: Conditions, chance: () => number, names: readonly Key[]) {
    this.#conditions = conditions;
    this.#chance = chance;
    this.#names = names;
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  async listen(): Promise<string> {
    await new Promise<void>((done) => this.#server.listen(0, '127.0.0.1', done));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`; // it listens on a port
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  put(key: Key, fields: Fields): void {
    const [type, name] = parted(key);
    this.#next += 1;
    const pk =
      type === 'user' ? this.#next : `${String(this.#next).padStart(8, '0')}-0000-4000-8000-000000000000`;
    this.#keys.set(String(pk), key);
    this.#stored.set(`${key}#${pk}`, {
      key,
      pk,
      fields: { ...defaults[type], [identities[type]]: name, ...fields },
    });
  }

  all(key: Key): readonly Stored[] {
    return [...this.#stored.values()].filter((stored) => stored.key === key);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const by = this.run;
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const body = text === '' ? undefined : (JSON.parse(text) as Fields); // what rollcall sent
    const { method = '', url = '' } = request;
    if (!this.isCalm && this.#chance() < this.#conditions.others) this.#somebodyElse();
    const trouble = !this.isCalm && this.#chance() < this.#conditions.trouble ? this.#chance() : undefined;
    const event = { by, method, path: url, ...(body && { body }) };
    const note = (happening: Omit<Happening, keyof typeof event>): void => {
      this.history.push({ ...event, ...happening });
    };
    // Before anything is done: a broken connection, a page of what stands in front, a request to slow down.
    if (trouble !== undefined && trouble < 0.45) {
      const about = this.#aboutOf(method, url, body);
      const status = trouble < 0.15 ? undefined : trouble < 0.3 ? 502 : 429;
      note({
        ...(about && { about }),
        ...(status && { status }),
        did: 'nothing',
        isClear: status === 429,
        showed: [],
      });
      if (status === undefined) request.socket.destroy();
      else if (status === 502) reply(response, 502, 'text/html', '<h1>Bad gateway</h1>');
      else response.setHeader('retry-after', '0').writeHead(429).end();
      return;
    }
    const isHalf = trouble !== undefined && trouble > 0.85 && method === 'POST';
    const answered = this.#answer(method, url, body, isHalf);
    const { status, json, did = 'nothing', about = this.#aboutOf(method, url, body), showed = [] } = answered;
    if (trouble === undefined) {
      note({ ...(about && { about }), status, did, isClear: true, showed });
      if (json === undefined) response.writeHead(status).end();
      else reply(response, status, 'application/json', JSON.stringify(json));
      return;
    }
    // After it was done: the answer is lost, cut short, or a crash.
    const crashed = trouble < 0.65 ? undefined : method === 'POST' ? 405 : 500;
    note({ ...(about && { about }), ...(crashed && { status: crashed }), did, isClear: false, showed: [] });
    if (crashed) reply(response, crashed, 'text/html', '');
    else if (trouble < 0.55 || json === undefined) request.socket.destroy();
    else {
      const whole = JSON.stringify(json);
      response.writeHead(status, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(whole),
      });
      response.write(whole.slice(0, whole.length / 2), () => request.socket.destroy());
    }
  }

  #answer(method: string, url: string, body: Fields | undefined, isHalf: boolean): Answered {
    const { pathname, searchParams } = new URL(url, 'http://service');
    const { release, isSuperuser, mayViewUsers, mayAddUsers } = this.#conditions;
    if (pathname === '/api/v3/admin/version/') return { status: 200, json: { version_current: release } };
    if (pathname === '/api/v3/core/users/me/')
      return {
        status: 200,
        json: { user: { pk: 1, username: 'token-user', is_superuser: isSuperuser, groups: [] } },
      };
    const [, list = '', id] = /^\/api\/v3\/core\/(\w+)\/(?:([^/]+)\/)?$/.exec(pathname) ?? [];
    const type = paths[list];
    if (type === undefined) return { status: 404 };
    if (type === 'user' && !mayViewUsers && method !== 'POST') return denied;
    if (method === 'POST' && id === undefined) {
      if (type === 'user' && !mayAddUsers) return denied;
      return this.#create(type, body ?? {}, isHalf);
    }
    if (id === undefined) return this.#list(type, searchParams);
    const name = decodeURIComponent(id);
    const stored = [...this.#stored.values()].find(
      ({ key, pk }) =>
        key.startsWith(`${type}.`) &&
        (type === 'application' ? key === `application.${name}` : String(pk) === name),
    );
    if (stored === undefined) return missing;
    const { key } = stored;
    if (method === 'GET') return { status: 200, json: shown(stored), about: key, showed: [key] };
    if (method === 'PATCH') {
      stored.fields = { ...stored.fields, ...body };
      return { status: 200, json: shown(stored), did: 'changed', about: key, showed: [key] };
    }
    if (method !== 'DELETE') return { status: 405, json: { detail: 'Method not allowed.' }, about: key };
    this.#stored.delete(`${key}#${stored.pk}`);
    return { status: 204, did: 'deleted', about: key };
  }

  #create(type: Type, body: Fields, isHalf: boolean): Answered {
    const identity = identities[type];
    const name = body[identity];
    if (typeof name !== 'string' || name === '')
      return { status: 400, json: { [identity]: ['This field is required.'] } };
    const about: Key = `${type}.${name}`;
    const isUnique = type !== 'group' || this.#conditions.release !== '2023.10.7';
    if (isUnique && this.all(about).length > 0)
      return { status: 400, json: { [identity]: ['It is taken.'] }, about };
    // A create is not atomic.
    this.put(about, isHalf ? { ...body, ...(type === 'user' && { groups: [] }) } : body);
    const stored = this.all(about).at(-1);
    if (stored === undefined) throw new Error('what was put is not there');
    return { status: 201, json: shown(stored), did: 'created', about, showed: [about] };
  }

  #list(type: Type, query: URLSearchParams): Answered {
    const { isSuperuser } = this.#conditions;
    const identity = identities[type];
    const asked = type === 'application' ? null : query.get(identity);
    const ordered = [...this.#stored.values()]
      .filter(
        ({ key, fields }) =>
          key.startsWith(`${type}.`) && (asked === null || asked === '' || fields[identity] === asked),
      )
      .toSorted((a, b) => (a.key < b.key ? -1 : 1));
    // Others than superusers get no list of applications that is right.
    const visible =
      type === 'application' && !(isSuperuser && query.get('superuser_full_list') === 'true') ? [] : ordered;
    const size = Number(query.get('page_size') ?? 20);
    const page = Number(query.get('page') ?? 1);
    const results = visible.slice((page - 1) * size, page * size);
    if (page > 1 && results.length === 0) return { status: 404, json: { detail: 'Invalid page.' } };
    const pages = Math.max(1, Math.ceil(visible.length / size));
    const pagination = {
      next: page < pages ? page + 1 : 0,
      previous: page - 1,
      count: ordered.length,
      current: page,
      total_pages: pages,
      start_index: results.length === 0 ? 0 : (page - 1) * size + 1,
      end_index: (page - 1) * size + results.length,
    };
    return {
      status: 200,
      json: { pagination, results: results.map((stored) => shown(stored)) },
      ...(asked && { about: `${type}.${asked}` as const }),
      showed: results.map(({ key }) => key),
    };
  }

  /** What a request names, as far as it says so itself. */
  #aboutOf(method: string, url: string, body: Fields | undefined): Key | undefined {
    const { pathname, searchParams } = new URL(url, 'http://service');
    const [, list = '', id] = /^\/api\/v3\/core\/(\w+)\/(?:([^/]+)\/)?$/.exec(pathname) ?? [];
    const type = paths[list];
    if (type === undefined) return undefined;
    if (type !== 'application' && id !== undefined) return this.#keys.get(id);
    const identity = identities[type];
    const name =
      method === 'POST' ? body?.[identity] : type === 'application' ? id : searchParams.get(identity);
    return typeof name === 'string' && name !== '' ? `${type}.${name}` : undefined;
  }

  #somebodyElse(): void {
    const about = this.#names[Math.floor(this.#chance() * this.#names.length)];
    if (about === undefined) return;
    const [type] = parted(about);
    const [there] = this.all(about);
    const did = there === undefined ? 'created' : this.#chance() < 0.3 ? 'deleted' : 'changed';
    if (there === undefined) this.put(about, { name: parted(about)[1] });
    else if (did === 'deleted') this.#stored.delete(`${about}#${there.pk}`);
    else
      there.fields = {
        ...there.fields,
        [type === 'application' ? 'meta_description' : 'attributes']:
          type === 'application' ? 'theirs' : { theirs: 1 },
      };
    this.history.push({ by: 'somebody else', method: '', path: '', about, did, isClear: true, showed: [] });
  }
}

function reply(response: ServerResponse, status: number, type: string, text: string): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text) }).end(text);
}

function shown({ pk, fields }: Stored): Json {
  return { ...fields, pk };
}

export function parted(key: Key): readonly [Type, string] {
  const dot = key.indexOf('.');
  return [key.slice(0, dot) as Type, key.slice(dot + 1)]; // as a key is made
}
