import type { Random } from '../../../src/base/clock.ts';
import {
  isJsonList,
  isJsonObject,
  parseJson,
  textOf,
  type JsonObject,
  type JsonValue,
} from '../../../src/base/json.ts';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { uuid } from '../../../src/sandbox/ids.ts';
import { seedSandbox } from '../../../src/sandbox/seed.ts';
import type { SandboxResponse } from '../../../src/sandbox/http.ts';
import type { Exchange, HttpRequest, Transport } from '../../../src/service/transport.ts';
import type { VirtualTime } from '../virtual-time.ts';
import {
  declaredSecret,
  fieldsOfMade,
  formerSlug,
  renamedUser,
  gone,
  otherType,
  groups,
  members,
  single,
  type Bound,
  type Deed,
  type Door,
  type Fault,
  type Made,
  type Mode,
  type Scenario,
} from './scenario.ts';

export const tokens = { first: 'first', healed: 'healed', monitor: 'monitor' };

const bindingsPath = '/api/v3/policies/bindings/';

/** Something that was seen, to be told of a seed that broke a promise. */
export interface Seen {
  readonly at: number;
  readonly words: string;
}

/** What is watched after each request. */
type WatchedRule = 'opened' | 'renamed' | 'deleted' | 'own_type';

/** A request to bind, and what the run had been shown before of what is bound. */
export interface BindSent {
  readonly run: string;
  readonly target: string;
  readonly subject: string;
  /** Whether the last answer that listed what is bound to it showed this one; nothing where no answer did. */
  readonly wasShown: boolean | undefined;
  /** Whether it may have been carried out. */
  isOpen: boolean;
}

/** The service and the network, with what goes wrong there, and somebody who looks who is let in after each request. */
export class DoorWorld {
  readonly seen: Seen[] = [];
  readonly violations: { readonly rule: WatchedRule; readonly words: string }[] = [];
  readonly binds: BindSent[] = [];
  /** The runs that were given a list that lacked something, or saw a part. */
  readonly misled = new Set<string>();
  readonly #scenario: Scenario;
  readonly #time: VirtualTime;
  readonly #random: Random;
  readonly #sandbox: Sandbox;
  /** Who may come in at any moment, by the old access and the declared one. */
  readonly #allowed = new Map<string, ReadonlySet<string>>();
  /** By run and target: the subjects that the last list showed. */
  readonly #shown = new Map<string, ReadonlySet<string>>();
  /** The ids of what is there from the start under its former name, by its new one. */
  readonly #kept = new Map<string, JsonValue>();
  readonly #user: JsonValue | undefined;
  /** What may be deleted, by the path of the request. */
  readonly #going: ReadonlySet<string>;
  /** When somebody else wrote last to an application, and each run, counted as requests are. */
  readonly #deeds = new Map<string, number>();
  readonly #wrote = new Map<string, number>();
  readonly #other: string | undefined;
  #trouble: number;
  #ordered = 0;
  /** How many requests to create, change or delete something there were. */
  writes = 0;

  constructor(scenario: Scenario, time: VirtualTime, random: Random) {
    this.#scenario = scenario;
    this.#time = time;
    this.#random = random;
    this.#trouble = scenario.trouble;
    const { sandbox } = seedSandbox(seedOf(scenario), scenario.isLate ? '2026.2' : '2023.10');
    this.#sandbox = sandbox;
    for (const { slug, made } of scenario.doors) if (made?.before) this.#make(slug, made);
    for (const { slug, isRenamed } of scenario.doors)
      if (isRenamed) this.#kept.set(slug, sandbox.pk('application', formerSlug(slug)) ?? null);
    this.#user = sandbox.pk('user', renamedUser.before);
    if (scenario.going) this.#make(otherType, { type: 'proxy', hasSecret: false });
    this.#other = JSON.stringify(sandbox.record('proxy', otherType));
    const group = textOf(sandbox.pk('group', gone.group) ?? null);
    this.#going = new Set([`/api/v3/core/groups/${group}/`, `/api/v3/core/applications/${gone.slug}/`]);
    for (const door of scenario.doors) {
      // Without a provider nobody comes in; but what a token cannot see, it cannot take out before it gives one.
      const isOpen = door.existing?.provider !== undefined || scenario.blindFor === door.slug;
      const before = isOpen && door.existing ? this.insiders(door.slug) : [];
      // What it cannot see stays, and counts in the mode that is declared.
      const unseen = scenario.blindFor === door.slug ? unseenBy(door) : [];
      this.#allowed.set(
        door.slug,
        new Set([...before, ...declaredInsiders(door), ...declaredInsiders(door, unseen)]),
      );
    }
  }

  /** A provider that is there before: as declared, or with another validity. */
  #make(name: string, made: Made): void {
    const uuidOf = (slug: string): string => uuid(`flow ${slug}`);
    const taken = this.#sandbox.create(made.type, {
      name,
      authorization_flow: uuidOf('default-provider-authorization-implicit-consent'),
      invalidation_flow: uuidOf('default-provider-invalidation-flow'),
      ...fieldsOfMade(made),
      ...(made.type === 'oauth2' && {
        redirect_uris: this.#scenario.isLate
          ? [{ matching_mode: 'strict', url: `https://${name}.example.com/` }]
          : `https://${name}.example.com/`,
      }),
      ...(made.hasSecret && { client_secret: declaredSecret }),
      ...(made.before === 'other' && { access_token_validity: 'minutes=9' }),
    });
    if (!('record' in taken)) throw new Error(JSON.stringify(taken));
  }

  /** The provider that the roll declares for an application, as the service holds it. */
  made({ slug, made }: Door): JsonObject | undefined {
    return made && this.#sandbox.record(made.type, slug);
  }

  /** All that no output may show. */
  secrets(): readonly string[] {
    const held = this.#scenario.doors.flatMap((door) => this.made(door)?.['client_secret'] ?? []);
    return [declaredSecret, ...held.map((secret) => textOf(secret))].filter((secret) => secret !== '');
  }

  log(words: string): void {
    this.seen.push({ at: this.#time.now(), words });
  }

  heal(): void {
    this.#trouble = 0;
    this.log('    all is well from here');
  }

  /** Somebody else writes: who comes in by that is let in by them. */
  act({ kind, slug, group }: Deed): void {
    const target = this.application(slug)?.['pk'];
    const pk = this.#sandbox.pk('group', group);
    if (target === undefined || pk === undefined) return;
    this.#deeds.set(slug, (this.#ordered += 1));
    if (kind !== 'binds') return this.#takeAway(kind, slug, textOf(target));
    this.#monitor('POST', bindingsPath, { target, group: pk, order: 9 });
    this.log(`    somebody else binds ${group} to ${slug}`);
    // Whoever is in that group is let in by them, now or as soon as the mode allows it.
    const guests = members.flatMap((member) => (member.groups.includes(group) ? member.name : []));
    const all = [...(this.#allowed.get(slug) ?? []), ...guests, ...this.insiders(slug)];
    this.#allowed.set(slug, new Set(all));
  }

  /** Whom it opens to then, and whom a change of the mode opens it to after that, is by them. */
  #takeAway(kind: 'removes' | 'disables', slug: string, target: string): void {
    const list =
      parseJson(this.#monitor('GET', `${bindingsPath}?target=${target}&page_size=100`).body) ?? null;
    const results = isJsonObject(list) ? (list['results'] as JsonObject[]) : []; // as the sandbox lists
    const bound = results.find(({ enabled, policy }) => enabled === true && policy === null);
    if (bound === undefined) return;
    const path = `${bindingsPath}${textOf(bound['pk'])}/`;
    if (kind === 'removes') this.#monitor('DELETE', path);
    else this.#monitor('PATCH', path, { ...bound, enabled: false });
    this.log(`    somebody else ${kind} what is bound to ${slug}: ${this.#nameOf(bound) ?? 'another'}`);
    this.#allowed.set(slug, new Set(members.map(({ name }) => name)));
  }

  /** Whether somebody else wrote to an application after the last request of a run that changes who may open it. */
  wasTouchedAfter(run: string, slug: string): boolean {
    const deed = this.#deeds.get(slug);
    return deed !== undefined && deed > (this.#wrote.get(`${run} ${slug}`) ?? 0);
  }

  #noteWrite(run: string, id: number, { method, path, body = '{}' }: HttpRequest): void {
    const { target } = JSON.parse(body) as JsonObject; // as rollcall made it
    for (const { slug } of this.#scenario.doors) {
      const isBind = method === 'POST' && target !== undefined && target === this.application(slug)?.['pk'];
      const isChange = method === 'PATCH' && path.endsWith(`/applications/${slug}/`);
      if (isBind || isChange) this.#wrote.set(`${run} ${slug}`, id);
    }
  }

  /** The name that an application has by now. */
  #nameNow(slug: string): string {
    return this.#kept.has(slug) && this.#sandbox.pk('application', slug) === undefined
      ? formerSlug(slug)
      : slug;
  }

  /** Whether the user has the new name, where there is one who had another. */
  get isUserRenamed(): boolean {
    return this.#user === undefined || this.#sandbox.pk('user', renamedUser.now) !== undefined;
  }

  /** Whether what is to be absent is gone. */
  isGone(address: string): boolean {
    return address === `group.${gone.group}`
      ? this.#sandbox.pk('group', gone.group) === undefined
      : this.#sandbox.pk('application', gone.slug) === undefined;
  }

  #broken(rule: WatchedRule, words: string): void {
    if (!this.violations.some((other) => other.words === words)) this.violations.push({ rule, words });
  }

  /** Looks at what a delete has taken away. */
  #noteDelete(run: string, { method, path }: HttpRequest, status: number): void {
    if (method !== 'DELETE' || path.startsWith(bindingsPath) || status !== 204) return;
    const isFirst = this.#scenario.runs.some(({ name }) => name === run);
    const mayDelete = !isFirst || this.#scenario.going?.mayDelete === true;
    if (!this.#going.has(path) || !mayDelete || this.#scenario.going === undefined)
      this.#broken('deleted', `${run} deletes ${path}`);
  }

  /** What was renamed is the one that it was, and there is no other. */
  #watchNames(): void {
    for (const [slug, pk] of this.#kept) {
      const [now, before] = [slug, formerSlug(slug)].map((name) => this.#sandbox.pk('application', name));
      if (now !== undefined && before !== undefined)
        this.#broken('renamed', `${slug} is there under both names`);
      else if ((now ?? before) !== pk) this.#broken('renamed', `${slug} is another by now`);
    }
    if (this.#user === undefined) return;
    const both = [renamedUser.now, renamedUser.before].flatMap(
      (name) => this.#sandbox.pk('user', name) ?? [],
    );
    if (both.length !== 1 || both[0] !== this.#user)
      this.#broken('renamed', 'the user has two accounts, or another');
  }

  #monitor(method: string, path: string, body?: JsonObject): SandboxResponse {
    const headers = { authorization: `Bearer ${tokens.monitor}`, 'content-type': 'application/json' };
    return this.#sandbox.handle({ method, path, headers, body: body ? JSON.stringify(body) : '' });
  }

  /** The users whom the service would let in. */
  insiders(slug: string): readonly string[] {
    return members.flatMap(({ name }) => {
      const pk = textOf(this.#sandbox.pk('user', name));
      const path = `/api/v3/core/applications/${this.#nameNow(slug)}/check_access/?for_user=${pk}`;
      const answer = parseJson(this.#monitor('GET', path).body);
      return isJsonObject(answer) && answer['passing'] === true ? [name] : [];
    });
  }

  application(slug: string): JsonObject | undefined {
    return this.#sandbox.record('application', this.#nameNow(slug));
  }

  /** What is bound that counts, each as `ga`, as often as it is. */
  boundTo(slug: string): readonly string[] {
    const pk = textOf(this.application(slug)?.['pk']);
    const list = parseJson(this.#monitor('GET', `${bindingsPath}?target=${pk}&page_size=100`).body);
    return this.#subjectsIn(list ?? null, pk);
  }

  #subjectsIn(list: JsonValue, target: string): string[] {
    const results = isJsonObject(list) ? list['results'] : undefined;
    return (isJsonList(results ?? null) ? (results as JsonObject[]) : []).flatMap((binding) => {
      if (binding['target'] !== target || binding['enabled'] !== true || binding['negate'] === true)
        return [];
      return this.#nameOf(binding) ?? [];
    });
  }

  #nameOf({ group, user }: JsonObject): string | undefined {
    const named = [...groups, single].find((name) => {
      const pk = this.#sandbox.pk(name === single ? 'user' : 'group', name);
      return pk !== undefined && pk === (name === single ? user : group);
    });
    return named;
  }

  #watch(run: string): void {
    this.#watchNames();
    if (JSON.stringify(this.#sandbox.record('proxy', otherType)) !== this.#other)
      this.#broken('own_type', `${otherType} is not as it was`);
    for (const { slug, guests } of this.#scenario.doors) {
      const application = this.application(slug);
      if (application === undefined || (application['provider'] ?? null) === null) continue;
      // A list that lacks all is what `everyone` asks for: who is bound all the same stays, and comes in with the provider.
      const wasShownNobody = this.#shown.get(`${run} ${textOf(application['pk'])}`)?.size === 0;
      if (guests === 'everyone' && wasShownNobody && this.boundTo(slug).length > 0)
        this.#allowed.set(slug, new Set([...(this.#allowed.get(slug) ?? []), ...this.insiders(slug)]));
      const allowed = this.#allowed.get(slug) ?? new Set();
      const strangers = this.insiders(slug).filter((name) => !allowed.has(name));
      if (strangers.length === 0) continue;
      this.#broken('opened', `${slug} lets ${strangers.join(', ')} in`);
    }
  }

  transport(run: string, token: string, isDead: () => boolean, step: () => void): Transport {
    return (request, signal) =>
      new Promise((resolve) => {
        if (isDead()) return;
        const id = (this.#ordered += 1);
        if (request.method !== 'GET') this.writes += 1;
        this.#noteWrite(run, id, request);
        this.log(
          `${run}: sends #${id} ${request.method} ${request.path}${request.body ? ` ${request.body}` : ''}`,
        );
        const bind = this.#bindIn(run, request);
        if (bind) this.binds.push(bind);
        let isOver = false;
        const deliver = (exchange: Exchange, words: string): void => {
          if (isOver || isDead()) return;
          step();
          if (isOver || isDead()) return;
          isOver = true;
          signal?.removeEventListener('abort', giveUp);
          this.log(`${run}: is told of #${id}: ${words}`);
          if (bind) bind.isOpen = mayHaveWorked(exchange);
          this.#noteShown(run, request, exchange);
          resolve(exchange);
        };
        const giveUp = (): void => deliver(lost(), 'given up');
        signal?.addEventListener('abort', giveUp, { once: true });
        const fault = this.#random() < this.#trouble ? this.#pick(this.#scenario.faults) : undefined;
        this.#time.after(this.#between(1, 60), () => this.#meet(run, token, id, request, fault, deliver));
        step();
      });
  }

  #bindIn(run: string, { method, path, body = '' }: HttpRequest): BindSent | undefined {
    if (method !== 'POST' || path !== bindingsPath) return undefined;
    const sent = JSON.parse(body) as JsonObject; // as rollcall made it
    const target = textOf(sent['target']);
    const subject = this.#nameOf(sent) ?? 'nobody';
    const wasShown = this.#shown.get(`${run} ${target}`)?.has(subject);
    return { run, target, subject, wasShown, isOpen: true };
  }

  #noteShown(run: string, { method, path }: HttpRequest, exchange: Exchange): void {
    if (method !== 'GET' || !path.startsWith(bindingsPath) || exchange.kind !== 'answered') return;
    const list = exchange.status === 200 ? parseJson(exchange.body) : undefined;
    if (!isJsonObject(list ?? null)) return;
    for (const target of new URL(path, 'http://x').searchParams.getAll('target_in'))
      this.#shown.set(`${run} ${target}`, new Set(this.#subjectsIn(list ?? null, target)));
  }

  #meet(
    run: string,
    token: string,
    id: number,
    request: HttpRequest,
    fault: Fault | undefined,
    deliver: (exchange: Exchange, words: string) => void,
  ): void {
    const { method, path, body = '', timeoutMs = 60_000 } = request;
    const back = this.#between(1, 60);
    const isRead = method === 'GET';
    const handle = (): SandboxResponse => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const response = this.#sandbox.handle({ method, path, headers, body });
      this.log(`    service: answers #${id} with ${response.status}`);
      this.#noteDelete(run, request, response.status);
      if (!isRead) this.#watch(run);
      return response;
    };
    const later = (exchange: Exchange, words: string, delay: number = back): void =>
      this.#time.after(delay, () => deliver(exchange, words));
    const own = (): void => {
      const { status, body: text, headers } = handle();
      later({ kind: 'answered', status, headers, body: text }, String(status));
    };
    const odd = (status: number, text = '<html>', headers = {}): void =>
      later({ kind: 'answered', status, headers, body: text }, `${status} (${fault})`);
    switch (fault) {
      case undefined:
        return own();
      case 'refused':
        return later({ kind: 'never_sent', error: new Error('refused'), transient: true }, fault);
      case 'reset_before':
        return later(lost(), fault);
      case 'reset_after':
        handle();
        return later(lost(), fault);
      case 'timeout_lost':
        return later(lost('TimeoutError'), fault, timeoutMs);
      case 'timeout_late':
        this.#time.after(this.#between(1000, 200_000), () => void handle());
        return later(lost('TimeoutError'), fault, timeoutMs);
      case 'gateway_502':
        return odd(502);
      case 'gateway_504_after':
        handle();
        return odd(504);
      case 'crash_after':
        handle();
        return isRead ? odd(500) : odd(405, '');
      case 'unavailable':
        return odd(503, '{"detail":"starting"}', { 'retry-after': '5' });
      case 'slow_down':
        return odd(429, '', { 'retry-after': '2' });
      case 'html_200':
        return odd(200);
      case 'html_404':
        return odd(404);
      case 'html_400_after':
        handle();
        return odd(400);
      case 'other_target': {
        const { status } = handle();
        return odd(status === 204 ? 200 : status, '{"pk":"x","target":"y","slug":"z"}');
      }
      case 'echo_400':
        return isRead ? own() : odd(400, JSON.stringify({ client_secret: [`${body} is bad.`] }));
      case 'denied':
        return odd(403, '{"detail":"no"}');
      case 'read_only':
        return isRead ? own() : odd(400, '{"detail":"expired","code":"denied_license"}');
      case 'no_bindings':
      case 'other_count': {
        if (!isRead || !path.startsWith(bindingsPath)) return own();
        if (fault === 'no_bindings') this.misled.add(run);
        const none = {
          next: 0,
          previous: 0,
          count: 0,
          current: 1,
          total_pages: 1,
          start_index: 0,
          end_index: 0,
        };
        const counted = fault === 'no_bindings' ? none : { ...none, count: 2, end_index: 2, start_index: 1 };
        return odd(200, JSON.stringify({ pagination: counted, results: [] }));
      }
    }
  }

  #between(from: number, to: number): number {
    return from + Math.floor(this.#random() * (to - from + 1));
  }

  #pick<Item>(items: readonly Item[]): Item | undefined {
    return items[Math.floor(this.#random() * items.length)];
  }
}

function lost(name = 'Error'): Exchange {
  const error = name === 'Error' ? new Error('lost') : new DOMException('too late', name);
  return { kind: 'lost', error };
}

/** Whether a request to bind may have been carried out, as far as its answer says. */
function mayHaveWorked(exchange: Exchange): boolean {
  if (exchange.kind === 'never_sent' || exchange.kind === 'withheld') return false;
  if (exchange.kind === 'lost') return true;
  const { status, body } = exchange;
  const isOfService = isJsonObject(parseJson(body) ?? null);
  if (status === 429 || status === 403) return false;
  return !(status === 400 && isOfService) && !(status === 404);
}

/** The users whom the declared access lets in, beside what it leaves alone. */
function declaredInsiders(
  { guests, mode, existing }: Door,
  unseen: readonly Bound[] = [],
): readonly string[] {
  const beside = (existing?.bindings ?? []).filter(
    ({ policy, enabled, negate }) => enabled !== false && (policy !== undefined || negate === true),
  );
  const named =
    guests === 'everyone'
      ? []
      : [...guests.groups.map((group) => ({ group })), ...guests.users.map((user) => ({ user }))];
  return letIn([...beside, ...unseen, ...named], mode ?? existing?.mode ?? 'any');
}

/** What lets the first group in, where the token sees none of that. */
function unseenBy({ existing }: Door): readonly Bound[] {
  return (existing?.bindings ?? []).filter(
    ({ group, enabled, negate }) => group === groups[0] && enabled !== false && negate !== true,
  );
}

function letIn(bindings: readonly Bound[], mode: Mode): readonly string[] {
  return members.flatMap((member) => {
    const passes = ({ group, user, negate = false }: Bound): boolean =>
      (user === member.name || (group !== undefined && member.groups.includes(group))) !== negate;
    if (bindings.length === 0) return [member.name];
    const isIn = mode === 'all' ? bindings.every(passes) : bindings.some(passes);
    return isIn ? [member.name] : [];
  });
}

function seedOf({
  doors,
  lacks,
  blindFor,
  going,
  isSuperuser,
  hasRenamedUser,
}: Scenario): ConstructorParameters<typeof Sandbox>[0] {
  const existing = doors.flatMap((door) => (door.existing ? [{ ...door, existing: door.existing }] : []));
  const labels = doors.flatMap(({ slug }) =>
    [...groups, single, 'policy', gone.group].flatMap((name) =>
      slug === blindFor && name === groups[0] ? [] : [`${slug}/${name}`, `${formerSlug(slug)}/${name}`],
    ),
  );
  return {
    providers: [1, 2, 3].map((pk) => ({ pk, name: `P${pk}` })),
    groups: [...groups, ...(going ? [gone.group] : [])].map((name, index) => ({
      name,
      num_pk: index,
      pk: `${index}0000000-0000-4000-8000-000000000000`,
    })),
    users: [
      ...(hasRenamedUser ? [{ username: renamedUser.before, name: 'Zed' }] : []),
      ...members.map(({ name, groups: of }) => ({
        username: name,
        name,
        groups: of.map(
          (group) => `${groups.indexOf(group as (typeof groups)[number])}0000000-0000-4000-8000-000000000000`,
        ),
      })),
    ],
    applications: [
      ...existing.map(({ slug, isRenamed, existing: { provider, mode } }) => ({
        slug: isRenamed ? formerSlug(slug) : slug,
        name: slug.toUpperCase(),
        policy_engine_mode: mode,
        ...(provider !== undefined && { provider }),
      })),
      ...(going ? [{ slug: gone.slug, name: 'Gone' }] : []),
    ],
    bindings: existing.flatMap(({ slug, isRenamed, existing: { bindings } }) =>
      [...bindings, ...(going?.boundTo.includes(slug) ? [{ group: gone.group }] : [])].map((bound) => ({
        application: isRenamed ? formerSlug(slug) : slug,
        ...bound,
      })),
    ),
    tokens: [
      {
        token: tokens.first,
        superuser: isSuperuser,
        ...(lacks.includes('add_bindings') && { add_bindings: false }),
        ...(lacks.includes('delete_bindings') && { delete_bindings: false }),
        ...(lacks.includes('add_providers') && { add_providers: false }),
        ...(lacks.includes('change_applications') && { change_applications: 'none' as const }),
        ...(blindFor !== undefined && { view_bindings: labels }),
        ...(lacks.includes('view_bindings') && { view_bindings: 'none' as const }),
      },
      { token: tokens.healed, superuser: true },
      { token: tokens.monitor, superuser: true },
    ],
  };
}
