/** A small model of the service, based only on its documents and recordings. It logs requests, effects, answers and states. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { chance, listOf, pick, recordOf, textOf, type Fields, type Json } from './json.ts';
import { defaultOf, kinds, refersTo, typeAt, type Kind } from './kinds.ts';

/** The name of a kind with a hand-written model, or of a family whose names are unique across its lists, or else the path of a list. */
export type Type = string;
/** The name of an application is its slug; the name of a binding consists of its target and its subject. */
export type ModelRecord = Readonly<{ type: Type; pk: string; name: string; fields: Fields; kind?: Kind }>;
export type State = ReadonlyMap<string, ModelRecord>;
type Of<Is, Rest> = { readonly is: Is; readonly run: number; readonly n: number } & Readonly<Rest>;
export type RequestEntry = Of<'sent', { method: string; path: string; query: URLSearchParams; body: Fields }>;
/** `n` is the number of the request that caused the write, or 0 for another client. */
export type WriteEntry = Of<
  'wrote',
  { op: 'create' | 'update' | 'delete'; record: ModelRecord; state: State }
>;
/** Status 0 means a broken connection. */
export type AnswerEntry = Of<'said', { status: number; json: Json | undefined }>;
export type Mark = 'plans' | 'ended';
export type Entry = RequestEntry | WriteEntry | AnswerEntry | Of<Mark, unknown>;
/** `rights` lists permissions that the token lacks, such as `view_user`: `none` for all records, `some` for a part of them. */
export type World = Readonly<Record<'seed' | 'pageSize' | 'faults' | 'others', number>> &
  Readonly<Record<'old' | 'isSuperuser', boolean>> & {
    readonly kinds: ReadonlyMap<string, Kind>;
    readonly rights: Readonly<Record<string, 'some' | 'none'>>;
    readonly start: State;
  };

const keys: Readonly<Record<string, string>> = {
  application: 'slug',
  user: 'username',
  group: 'name',
  binding: 'target',
};
const application = { slug: '', name: '', provider: null, backchannel_providers: [] };
const user = { username: '', name: '', is_active: true, groups: [], roles: [], email: '', attributes: {} };
const group = { name: '', is_superuser: false, parent: null, attributes: {}, roles: [] };
const binding = { target: '', group: null, user: null, policy: null, order: 0, enabled: true, negate: false };
const defaults: Readonly<Record<string, Fields>> = { application, user, group, binding };
const pattern = /^\/(?:core|policies)\/(application|user|group|binding)s\/(?:([-\w]+)\/)?$/;
/** The families: path prefixes that contain the lists of several types. */
const families = [
  '/providers/all/',
  '/stages/all/',
  '/policies/all/',
  '/propertymappings/all/',
  '/sources/all/',
  '/outposts/service_connections/all/',
  '/endpoints/connectors/',
];
/** A path that only releases between the two of this model have. A run tries it if the present one seems unknown. */
const between = ['/propertymappings/rac/'];
const lists = [...new Set([...kinds.old.keys(), ...kinds.now.keys(), ...between, ...families])];

/** What a path is about: a type, its own list if it has one, and a record. */
export function placeOf(full: string): {
  readonly type?: Type;
  readonly list?: string;
  readonly key?: string | undefined;
} {
  const path = full.replace('/api/v3', '');
  const [, type, own] = pattern.exec(path) ?? [];
  if (type) return { type, key: own };
  const list = lists.find((one) => path.startsWith(one) && /^(?:[^/]+\/)?$/.test(path.slice(one.length)));
  if (list === undefined) return {};
  const key = decodeURIComponent(path.slice(list.length, -1));
  return { type: typeAt(list), list, key: key === '' ? undefined : key };
}
export const allOf = (state: State, type: Type): ModelRecord[] =>
  [...state.values()].filter((one) => one.type === type);
export const recordsNamed = (state: State, type: Type, name: string): ModelRecord[] =>
  allOf(state, type).filter((one) => one.name === name);
export function modelRecord(type: Type, pk: string, given: Fields, kind?: Kind): ModelRecord {
  const all = kind
    ? Object.fromEntries(Object.entries(kind.fields).map(([name, of]) => [name, defaultOf(of)]))
    : defaults[type];
  const known = Object.entries(given).filter(([key]) => key in (all ?? {}));
  const fields: Fields = { ...all, ...Object.fromEntries(known) };
  const who = type === 'binding' ? `/${textOf(fields['group'] ?? fields['user'])}` : '';
  const name = `${textOf(fields[keyOf(type, kind)])}${who}`;
  return { type, pk, name, fields, ...(kind && { kind }) };
}
const keyOf = (type: Type, kind?: Kind): string => kind?.identity ?? keys[type] ?? 'name';
/** The record that a field refers to. */
export function referencesOf({ type, fields, kind }: ModelRecord): {
  readonly field: string;
  readonly to: Type;
  readonly ids: readonly Json[];
  readonly isNeeded: boolean;
}[] {
  const own = Object.entries(kind?.fields ?? (type === 'group' || type === 'user' ? { roles } : {}));
  return own.flatMap(([field, of]) => {
    const to = refersTo(field, of);
    const ids = [fields[field] ?? null].flat().filter((id) => id !== null && id !== '' && id !== 0);
    return to === undefined
      ? []
      : [{ field, to, ids, isNeeded: of['required'] === true && !of['items'] && !of['nullable'] }];
  });
}
const roles = { type: 'array', items: { type: 'string', format: 'uuid' } };

type Answer = { readonly status: number; readonly json?: Json | undefined; readonly pause?: number };
type By = Pick<RequestEntry, 'n' | 'run'>;
const ok = (json: Json): Answer => ({ status: 200, json });
const refused = (field: string): Answer => ({ status: 400, json: { [field]: ['This is refused.'] } });
const denied: Answer = { status: 403, json: { detail: 'You do not have permission.' } };
const absent: Answer = { status: 404, json: { detail: 'Not found.' } };

export class Service {
  readonly history: Entry[] = [];
  readonly world: World;
  state: State;
  run = 0;
  isFaulty = true;
  onRequest: () => void = () => undefined;
  #count = 0;
  #next = 50_000;
  #others: number;
  /** Requests that take effect after their connection was broken. */
  readonly #late = new Set<() => unknown>();
  readonly #met = new Map<string, number>();
  readonly #server = createServer((request, response) => void this.#serve(request, response));

  constructor(world: World) {
    this.world = world;
    this.state = world.start;
    this.#others = world.others;
  }
  async open(): Promise<string> {
    await new Promise<void>((done) => this.#server.listen(0, '127.0.0.1', done));
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  }
  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
  mark(is: Mark): void {
    this.history.push({ is, run: this.run, n: 0 });
    if (is === 'ended') for (const arrive of this.#late) arrive();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += String(chunk);
    const { pathname: path, search, searchParams: query } = new URL(request.url ?? '/', 'http://service');
    // The body of a request is JSON.
    const body = recordOf(text === '' ? {} : (JSON.parse(text) as Json));
    const { method = 'GET' } = request;
    const sent: RequestEntry = { is: 'sent', n: ++this.#count, run: this.run, method, path, query, body };
    this.history.push(sent);
    this.onRequest();
    const identity = `${method} ${path}${search} ${text.slice(0, 200)}`;
    const times = (this.#met.get(identity) ?? 0) + 1;
    this.#met.set(identity, times);
    const at = (what: string): number => (this.isFaulty ? chance(this.world.seed, what, identity, times) : 1);
    if (this.#others > 0 && at('else') < 0.08) this.#somebodyElse(sent.n);
    if (at('fault') < this.world.faults) this.#fail(sent, response, at('which'));
    else this.#say(sent, response, this.#act(sent));
  }

  /** Sends an answer, half of it, or nothing. An answer without JSON is a web page. */
  #say({ n, run }: RequestEntry, response: ServerResponse, answer: Answer, cut?: 'nothing' | 'half'): void {
    const { status, json, pause = 0 } = answer;
    const said = cut === undefined ? { status, json } : { status: 0, json: undefined };
    this.history.push({ is: 'said', n, run, ...said });
    if (cut === 'nothing') return void response.socket?.destroy();
    if (status === 204) return void (response.writeHead(204), response.end());
    const html = status === 405 ? '' : '<html>something</html>';
    const text = json === undefined ? html : JSON.stringify(json);
    const type = json === undefined ? 'text/html' : 'application/json';
    const retry = [429, 503].includes(status) ? { 'retry-after': String(pause) } : {};
    response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text), ...retry });
    if (cut === 'half') response.write(text.slice(0, text.length >> 1), () => response.socket?.destroy());
    else response.end(text);
  }

  #fail(sent: RequestEntry, response: ServerResponse, which: number): void {
    const say = (answer: Answer) => (): void => this.#say(sent, response, answer);
    const broken = (cut: 'nothing' | 'half', answer: () => Answer) => (): void =>
      this.#say(sent, response, answer(), cut);
    const silence = broken('nothing', () => denied);
    const late = (): void => {
      const arrive = (): unknown => this.#late.delete(arrive) && this.#act(sent);
      this.#late.add(arrive);
      if (chance(which) < 0.7) setTimeout(arrive, which * 400);
      silence();
    };
    const act = (isHalf = false): Answer => this.#act(sent, isHalf);
    const lie = (): void => say(lying(act(), which))();
    const words = { name: [`${JSON.stringify(sent.body)} is refused.`] };
    const rare = pick([denied, { status: 400, json: words }], chance(which)) ?? denied;
    const open = [silence, ...[502, 503, 500, 504, 200, 405].map((status) => say({ status }))];
    const asks = [say({ status: 503, pause: 1 }), say({ status: 429, json: {} })];
    const both = [...asks, broken('half', act), say({ status: 404 })];
    const writes = [late, late, say(rare), () => say(act(true))(), ...open];
    const reads = [lie, lie, lie, lie];
    const how = pick([...open, ...both, ...(sent.method === 'GET' ? reads : writes)], which) ?? silence;
    if (sent.method !== 'GET' && open.includes(how) && chance(which, 'after') < 0.7)
      act(chance(which, 'half') < 0.3);
    how();
  }

  /** Another client creates, deletes or changes a record between two requests. */
  #somebodyElse(n: number): void {
    const at = (what: string): number => chance(this.world.seed, what, this.#others);
    const made = at('made') < 0.3 ? pick([...this.state.values()], at('kind'))?.kind : undefined;
    const type = made?.type ?? pick(['application', 'user', 'group', 'binding'], at('type')) ?? 'user';
    const all = allOf(this.state, type).filter(({ name }) => !/robot|admins/.test(name));
    const [found, name] = [pick(all, at('one')), `${made ? 'k' : type[0]}${Math.floor(at('name') * 6)}`];
    const by = { n: 0, run: 0 };
    const isNew = !made && type !== 'binding' && recordsNamed(this.state, type, name).length === 0;
    this.#others -= 1;
    if (isNew && at('how') < 0.35)
      this.#write(by, 'create', modelRecord(type, this.#pk(type), { name, [keyOf(type)]: name }));
    else if (found && at('how') < 0.6) this.#remove(by, found);
    else if (found?.type === 'user' || found?.type === 'application')
      this.#write(by, 'update', modelRecord(type, found.pk, { ...found.fields, name: `Other ${n}` }));
    else if (found?.kind) {
      const { kind, pk, fields } = found;
      const own = Object.keys(kind.fields).filter((field) => field !== kind.identity);
      const field = pick(
        own.filter((each) => typeof fields[each] === 'boolean'),
        at('field'),
      );
      if (field !== undefined)
        this.#write(
          by,
          'update',
          modelRecord(type, pk, { ...fields, [field]: fields[field] === false }, kind),
        );
    }
  }

  #pk(type: Type): string {
    const n = String(this.#next++);
    return isNumbered(type) ? n : `00000000-0000-4000-8000-${n.padStart(12, '0')}`;
  }
  #write({ n, run }: By, op: WriteEntry['op'], one: ModelRecord): void {
    const state = new Map(this.state).set(one.pk, one);
    if (op === 'delete') state.delete(one.pk);
    this.state = state;
    this.history.push({ is: 'wrote', n, run, op, record: one, state });
  }
  /** Removes references to a record from a list field of all records of a type. */
  #take(by: By, type: Type, field: string, out: readonly Json[], except = ''): void {
    for (const { pk, fields } of allOf(this.state, type)) {
      const left = listOf(fields[field]).filter((each) => !out.includes(each));
      const isLess = pk !== except && left.length < listOf(fields[field]).length;
      if (isLess) this.#write(by, 'update', modelRecord(type, pk, { ...fields, [field]: left }));
    }
  }
  /** The references to a record, and what a delete does to each: it deletes the referring record, clears the field, or removes the id from a list. */
  #usesOf(one: ModelRecord): { readonly by: ModelRecord; readonly field: string; readonly action: string }[] {
    const bound = allOf(this.state, 'binding').filter(({ name }) => name.split('/').includes(one.pk));
    const users = [...this.state.values()].flatMap((by) =>
      referencesOf(by).flatMap(({ field, to, ids, isNeeded }) => {
        const isIt = to === one.type && ids.some((id) => textOf(id) === one.pk);
        const action = isNeeded ? 'cascade' : Array.isArray(by.fields[field]) ? 'cascade_many' : 'set_null';
        return isIt ? [{ by, field, action }] : [];
      }),
    );
    return [...bound.map((by) => ({ by, field: 'target', action: 'cascade' })), ...users];
  }
  /** Deletes a record with its bindings and the records that cannot exist without it. */
  #remove(by: By, one: ModelRecord): void {
    const found = this.#usesOf(one);
    this.#write(by, 'delete', one);
    for (const { by: other, field, action } of found) {
      const now = this.state.get(other.pk);
      if (!now) continue;
      const value =
        action === 'set_null' ? null : listOf(now.fields[field]).filter((id) => textOf(id) !== one.pk);
      if (action === 'cascade') this.#remove(by, now);
      else
        this.#write(by, 'update', modelRecord(now.type, now.pk, { ...now.fields, [field]: value }, now.kind));
    }
    this.#take(by, 'user', 'groups', [one.pk]);
    if (one.type !== 'providers') return;
    this.#take(by, 'application', 'backchannel_providers', [Number(one.pk)]);
    for (const app of allOf(this.state, 'application')) {
      const isIts = textOf(app.fields['provider']) === one.pk;
      if (isIts) this.#write(by, 'update', modelRecord(app.type, app.pk, { ...app.fields, provider: null }));
    }
  }
  #may(verb: string, type: Type, one?: ModelRecord): boolean {
    const right = this.world.rights[`${verb}_${type}`];
    return right === undefined || (right === 'some' && (!one || chance('seen', one.name) < 0.5));
  }

  /** Carries out a request as the service does without faults. `isHalf` ends a create halfway. */
  #act(sent: RequestEntry, isHalf = false): Answer {
    const { method, path, query } = sent;
    const { isSuperuser, old } = this.world;
    const [me] = recordsNamed(this.state, 'user', 'robot');
    if (path.endsWith('/users/me/') && me) return ok({ user: { ...shown(me), is_superuser: isSuperuser } });
    if (path.endsWith('/admin/version/')) return ok({ version_current: old ? '2023.10.7' : '2026.2.2' });
    const isUses = path.endsWith('/used_by/');
    const { type, list, key } = placeOf(path.replace(/used_by\/$/, ''));
    const kind = list === undefined ? undefined : this.world.kinds.get(list);
    if (!type || (list !== undefined && !kind && !families.includes(list))) return { status: 404 };
    if (key === undefined && method === 'GET') return this.#list(type, query, list);
    if (key === undefined && !this.#may('add', type)) return denied;
    if (key === undefined)
      return this.#store(sent, 'create', modelRecord(type, this.#pk(type), {}, kind), isHalf);
    const isByName = type === 'application' || kind?.idInPath === kind?.identity;
    const one =
      isByName && (kind || type === 'application')
        ? recordsNamed(this.state, type, key)[0]
        : this.state.get(key);
    if (!this.#may('view', type)) return denied;
    if (one?.type !== type || !isListed(one, list) || !this.#may('view', type, one)) return absent;
    if (isUses) return ok(this.#usesOf(one).map((use) => shownUse(use, this.world.old)));
    if (method === 'GET') return ok(shown(one, kind));
    if (!this.#may(method === 'DELETE' ? 'delete' : 'change', type, one)) return denied;
    if (method === 'PATCH') return this.#store(sent, 'update', one, isHalf);
    this.#remove(sent, one);
    return { status: 204 };
  }

  #store(sent: RequestEntry, op: 'create' | 'update', held: ModelRecord, isHalf: boolean): Answer {
    const lost = isHalf ? ['groups', 'backchannel_providers'] : [];
    const kept = Object.entries(sent.body).filter(([field]) => !lost.includes(field));
    const one = modelRecord(held.type, held.pk, { ...held.fields, ...Object.fromEntries(kept) }, held.kind);
    const { fields, type, pk, kind } = one;
    const has = (what: Type, id: Json | undefined): boolean => this.state.get(textOf(id))?.type === what;
    const mayDouble = type === 'binding' || kind?.isDoubled || (type === 'group' && this.world.old);
    const isTaken = !mayDouble && recordsNamed(this.state, type, one.name).some((other) => other.pk !== pk);
    if (one.name === '' || isTaken) return refused(keyOf(type, kind));
    const lacking = Object.entries(kind?.fields ?? {}).find(
      ([name, of]) => of['required'] && op === 'create' && !(name in sent.body),
    );
    if (lacking) return refused(lacking[0]);
    const wrong = Object.entries(kind?.fields ?? {}).find(
      ([name, of]) => name in sent.body && !isTyped(of, fields[name] ?? null),
    );
    if (wrong) return refused(wrong[0]);
    const dangling = referencesOf(one).find(({ to, ids }) => ids.some((id) => !has(to, id)));
    if (dangling) return refused(dangling.field);
    if (!kind && !listOf(fields['groups']).every((id) => has('group', id))) return refused('groups');
    const isBound =
      has('group', fields['group']) !== has('user', fields['user']) && has('application', fields['target']);
    if (type === 'binding' && !isBound) return refused('target');
    const [back, main] = [listOf(fields['backchannel_providers']), fields['provider'] ?? 'none'];
    const others = allOf(this.state, 'application').filter((other) => other.pk !== pk);
    if (others.some((other) => other.fields['provider'] === main)) return refused('provider');
    this.#take(sent, 'application', 'backchannel_providers', back, pk);
    this.#write(sent, op, one);
    return { status: op === 'create' ? 201 : 200, json: shown(one) };
  }

  #list(type: Type, query: URLSearchParams, list?: string): Answer {
    if (!this.#may('view', type)) return denied;
    const targets = [...query.getAll('target'), ...query.getAll('target_in')];
    if (targets.some((pk) => !this.state.has(pk))) return refused('target');
    const isAsked = (one: ModelRecord): boolean => {
      const { name, fields } = one;
      if (type === 'binding') return targets.length === 0 || targets.includes(textOf(fields['target']));
      if (list === undefined) return [null, '', name].includes(query.get(keyOf(type)));
      return isListed(one, list) && isFound(one, query, this.world.kinds.get(list));
    };
    const all = allOf(this.state, type).filter((one) => this.#may('view', type, one) && isAsked(one));
    const ordered = all.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    const size = Math.min(Number(query.get('page_size') ?? 20), this.world.pageSize);
    const page = Number(query.get('page') ?? 1);
    const pages = Math.max(1, Math.ceil(all.length / size));
    if (page > pages) return { status: 404, json: { detail: 'Invalid page.' } };
    const start = (page - 1) * size;
    const kind = this.world.kinds.get(list ?? '');
    const results = ordered.slice(start, start + size).map((one) => shown(one, kind));
    const pagination = { count: all.length, current: page, total_pages: pages, previous: page - 1 };
    const next = page < pages ? page + 1 : 0;
    const indexes = { start_index: Math.min(all.length, start + 1), end_index: start + results.length };
    return ok({ pagination: { ...pagination, ...indexes, next }, results });
  }
}

const isNumbered = (type: Type): boolean => type === 'user' || type === 'providers';
/** A proxy is also listed as an OAuth2 provider. */
function isListed({ kind }: ModelRecord, list = ''): boolean {
  const isBase = list === '/providers/oauth2/' && kind?.path === '/providers/proxy/';
  return kind === undefined || families.includes(list) || kind.path === list || isBase;
}
/** Lists ignore unknown parameters. A search matches any part of any text. */
function isFound({ name, fields }: ModelRecord, query: URLSearchParams, kind: Kind | undefined): boolean {
  const texts = [name, ...Object.values(fields).filter((value) => typeof value === 'string')]
    .join(' ')
    .toLowerCase();
  return [...query].every(([key, wanted]) => {
    if (key === 'search') return texts.includes(wanted.toLowerCase());
    if (!kind?.filters.includes(key)) return true;
    const [field = '', how] = key.split('__');
    if (!(field in fields)) return true;
    const is = textOf(fields[field]);
    return how === 'iexact' ? is.toLowerCase() === wanted.toLowerCase() : is === wanted;
  });
}
function isTyped({ type, nullable, enum: values, items }: Fields, value: Json): boolean {
  if (value === null) return nullable === true;
  if (values) return listOf(values).includes(value);
  if (type === 'array') return Array.isArray(value) && value.every((one) => isTyped(recordOf(items), one));
  if (type === 'object') return typeof value === 'object' && !Array.isArray(value);
  return type === undefined || typeof value === (type === 'integer' ? 'number' : type);
}
/** A record as the service shows it. The list of another kind shows only the fields of that kind. */
function shown({ type, pk, fields, kind }: ModelRecord, as = kind): Fields {
  const id = isNumbered(type) ? Number(pk) : pk;
  if (!kind || !as) return { pk: id, ...fields };
  const open = Object.entries(fields).filter(([name]) => as.fields[name] && !as.fields[name]['writeOnly']);
  const typed = kind.type.includes('/')
    ? {}
    : { component: `ak-${kind.model}-form`, meta_model_name: kind.model };
  return { [kind.id]: id, ...typed, ...Object.fromEntries(open) };
}
function shownUse(
  { by, action }: { readonly by: ModelRecord; readonly action: string },
  old: boolean,
): Fields {
  const [app = 'authentik_core', model = by.type] = by.kind?.model.split('.') ?? [
    'authentik_policies',
    'policybinding',
  ];
  return { app, model_name: model, pk: by.pk, name: by.name, action: old ? action.toUpperCase() : action };
}
/** A faulty list: it leaves out a record that it counts, or repeats another record in its place. */
function lying(answer: Answer, which: number): Answer {
  const { results, ...rest } = recordOf(answer.json);
  if (results === undefined) return answer;
  const lost = Math.floor(chance(which, 'lie') * listOf(results).length);
  const left = listOf(results).filter((_, index) => index !== lost);
  return ok({ ...rest, results: chance(which) < 0.5 ? left : [...left, ...left.slice(0, 1)] });
}
