import type { Random } from '../../src/base/clock.ts';
import {
  isJsonList,
  isJsonObject,
  parseJson,
  textOf,
  type JsonObject,
  type JsonValue,
} from '../../src/base/json.ts';
import { Sandbox } from '../../src/sandbox/sandbox.ts';
import { familyNamed } from '../../src/kinds/families.ts';
import type { SandboxResponse } from '../../src/sandbox/http.ts';
import { seedSandbox } from '../../src/sandbox/seed.ts';
import type { Exchange, HttpRequest, Transport } from '../../src/service/transport.ts';
import { accessSeedOf, accessWantsOf, declaredSecret, providersBefore, type AccessChange } from './access.ts';
import { initialRecords } from './kind-fields.ts';
import { boundFieldOf, kindBodyOf, kindEditOf, kindVersionOf, secretsOf, type DrawnRecord } from './kinds.ts';
import { AccessWatch } from './access-watch.ts';
import {
  addressOf,
  isSame,
  mayBeDoubled,
  type DeclaredIdentity,
  type Delivery,
  type HistoryEvent,
  type Identity,
  type Method,
  type Values,
  type Version,
} from './history.ts';
import {
  listIn,
  listOf,
  listOfJson,
  nameIn,
  namesIn,
  faultyList,
  faultyPage,
  intactNames,
} from './list-faults.ts';
import {
  asAccepted,
  bodyOf,
  refusalWithSentValue,
  editOf,
  partialFields,
  versionOf,
  existingGroups,
  existingProvidersFor,
  type Condition,
  type Edit,
} from './declaration.ts';
import { interpretRequest, type InterpretedRequest } from './requests.ts';
import { partOf, refusals, type Refusal } from './offers.ts';
import type { Restart, Scenario } from './scenario.ts';
import type { VirtualTime } from './virtual-time.ts';
import { otherClient } from '../support/other-client.ts';
import type { SaveResult } from '../../src/sandbox/kind.ts';

/** An event without its time. */
type Logged = HistoryEvent extends infer Event ? (Event extends unknown ? Omit<Event, 'at'> : never) : never;

/** A request that the run has sent and that is not answered yet. */
interface UnderWay extends InterpretedRequest {
  readonly id: number;
  readonly run: string;
  readonly method: Method;
  readonly timeoutMs: number;
  readonly request: Parameters<Sandbox['handle']>[0];
}

/** The answer of a request for the run, and after how many milliseconds it arrives. */
interface Answering extends Omit<Delivery, 'exchange' | 'status'> {
  readonly exchange: Exchange;
  readonly delay: number;
}

export const tokens = {
  first: 'the-first-token',
  healed: 'the-healed-token',
  revoked: 'no-such-token',
  monitor: 'the-token-of-who-looks-on',
};

/** The service, and the network between the service and the runs, with all faults. The seed decides everything. */
export class ServiceWorld {
  readonly events: HistoryEvent[] = [];
  readonly #time: VirtualTime;
  readonly #random: Random;
  readonly #scenario: Scenario;
  readonly #sandbox: Sandbox;
  readonly #watch: AccessWatch | undefined;
  readonly #wants: Readonly<Record<string, Values>>;
  #handled = 0;
  /** The subjects with access to each application, as last observed. */
  readonly #admitted = new Map<string, string>();
  /** The names of all records that ever existed, by type and id. Applications are not included. */
  readonly #names = new Map<string, string>();
  /** Compared records, by the text of the record. */
  readonly #versions = new Map<string, Version>();
  /** Compared records in answers, by the text of the answer. */
  readonly #shown = new Map<string, Readonly<Record<string, Version>>>();
  /** The texts of all answers to a run. Only in a world of kinds. */
  readonly #told = new Map<string, string>();
  #trouble: number;
  #revoked = false;
  #requests = 0;
  #restart: { readonly from: number; readonly listensAt: number; readonly until: number } | undefined;

  constructor(scenario: Scenario, time: VirtualTime, random: Random) {
    this.#scenario = scenario;
    this.#time = time;
    this.#random = random;
    this.#trouble = scenario.trouble;
    this.#sandbox = sandboxOf(scenario);
    const { access } = scenario;
    this.#wants = access ? accessWantsOf(access) : {};
    this.#watch = access && new AccessWatch(access, this.#sandbox, tokens.monitor);
    for (const { type, body } of access ? providersBefore(access) : [])
      mustBeTaken(otherClient(this.#sandbox).create(type, body));
    for (const identity of scenario.declared) this.#remember(identity.type, this.#recordOf(identity));
    this.#look();
    for (const named of scenario.kinds ? initialRecords : []) {
      const pk = otherClient(this.#sandbox).pk(named.path, named.name);
      if (pk !== undefined) this.#names.set(`${named.type} ${textOf(pk)}`, named.name);
    }
    if (scenario.restart) this.#restartLater(scenario.restart);
    for (const { condition, ...identity } of scenario.existing) this.#put(identity, condition);
  }

  /** The random record of a declared resource. Only in a world of kinds. */
  #drawn({ type, name }: Identity): DrawnRecord | undefined {
    return this.#scenario.kinds?.records.find(({ identity }) => isSame(identity, { type, name }));
  }

  /** The id of the record to which a random record refers; undefined if that record is absent. */
  #idOf(named: Identity): JsonValue | undefined {
    const path = this.#declared(named)?.model ?? initialRecords.find((other) => isSame(other, named))?.path;
    return path && otherClient(this.#sandbox).pk(path, named.name);
  }

  #nameOf(list: string, id: JsonValue): string {
    const type = familyNamed(list)?.type ?? list;
    return `${type}.${this.#names.get(`${type} ${textOf(id)}`) ?? textOf(id)}`;
  }

  /** The ids in a request that no answer had shown to the run. */
  #unknownIds(run: string, { request, ...identity }: UnderWay): string[] {
    const drawn = this.#drawn(identity);
    if (drawn === undefined) return [];
    const body = bodyIn(request);
    const bound = boundFieldOf(drawn);
    const ids =
      bound && request.path.startsWith(bound.children.path)
        ? ['target', bound.idIn].flatMap((field) => body[field] ?? [])
        : Object.entries(drawn.fields).flatMap(([field, of]) =>
            'names' in of ? [body[field] ?? []].flat() : [],
          );
    const told = this.#told.get(run) ?? '';
    return ids.flatMap((id) => (id === null || told.includes(JSON.stringify(id)) ? [] : textOf(id)));
  }

  log(event: Logged): void {
    this.events.push({ at: this.#time.now(), ...event });
  }

  /** Ends all faults, and makes the tokens valid again. */
  endFaults(): void {
    this.#trouble = 0;
    this.#restart = undefined;
    this.#revoked = false;
    this.#handled = Infinity;
    this.log({ kind: 'healed' });
  }

  #restartLater({ at, refusesFor, startsFor }: Restart): void {
    const from = this.#time.now() + at;
    const restart = { from, listensAt: from + refusesFor, until: from + refusesFor + startsFor };
    this.#restart = restart;
    this.#time.after(at, () => this.log({ kind: 'restarts', until: restart.until }));
  }

  revoke(): void {
    this.#revoked = true;
    this.log({ kind: 'revoked' });
  }

  /** Another client creates, deletes or changes a record, if possible. */
  act({ type, name, action }: Scenario['actor'][number]): void {
    const model = this.#kindOf({ type, name });
    const record = otherClient(this.#sandbox).record(model, name);
    if ((record === undefined) !== (action === 'create')) return;
    const identity = { type, name };
    if (action === 'create') this.#put(identity, 'bare');
    else if (action === 'delete') otherClient(this.#sandbox).delete(model, name);
    else otherClient(this.#sandbox).change(model, name, this.#editOf(action, identity, record ?? {}));
    const after = this.#versionOf(identity);
    const kind = action === 'create' || action === 'delete' ? action : 'change';
    this.log({ kind: 'actor', action: kind, type, name, ...(after && { after }) });
  }

  /** Another client changes the access of an application, if possible. */
  open(accessChange: AccessChange): void {
    const admitted = this.#watch?.act(accessChange);
    if (admitted === undefined) return;
    const identity = { type: 'application', name: accessChange.slug };
    const after = this.#versionOf(identity);
    this.log({ kind: 'actor', action: 'change', ...identity, admitted, ...(after && { after }) });
    this.#look();
  }

  /** Observes access to each application, and whether a record exists under two names. */
  #look(run?: string): void {
    const { access, declared } = this.#scenario;
    for (const { slug: name } of access?.applications ?? []) {
      const admission = this.#watch?.admission(name);
      const text = JSON.stringify(admission);
      if (admission === undefined || this.#admitted.get(name) === text) continue;
      this.#admitted.set(name, text);
      this.log({
        kind: 'admits',
        type: 'application',
        name,
        ...(run !== undefined && { run }),
        ...admission,
      });
    }
    for (const { type, name, formerly } of declared)
      if (
        formerly !== undefined &&
        [name, formerly].every((one) => otherClient(this.#sandbox).record(type, one))
      )
        this.log({ kind: 'doubled', type, name });
  }

  get access(): Scenario['access'] {
    return this.#scenario.access;
  }

  /** All values that no output may show. */
  secrets(): readonly string[] {
    const held = this.#scenario.declared.flatMap(
      (identity) => (identity.type === 'provider' ? this.#recordOf(identity)?.['client_secret'] : []) ?? [],
    );
    const ofKinds = (this.#scenario.kinds?.records ?? []).flatMap((record) => secretsOf(record));
    return [declaredSecret, ...ofKinds, ...held.map((secret) => textOf(secret))].filter(
      (secret) => secret !== '',
    );
  }

  /** Whether the output of a run contains a secret. */
  isLeaking(printed: string): boolean {
    return this.secrets().some((secret) => printed.includes(secret));
  }

  #kindOf(identity: Identity): string {
    return this.#declared(identity)?.model ?? identity.type; // types without a model have the same name in the sandbox
  }

  #editOf(edit: Edit, identity: Identity, record: JsonObject): JsonObject {
    const drawn = this.#drawn(identity);
    return drawn ? kindEditOf(drawn) : editOf(edit, identity, record);
  }

  /** The record of the service, even if it still has its former name. */
  #recordOf(identity: Identity): JsonObject | undefined {
    const { type, name, formerly }: Identity & { readonly formerly?: string } =
      this.#declared(identity) ?? identity;
    const kind = this.#kindOf(identity);
    if (this.#scenario.kinds && !this.#declared(identity)) return undefined;
    const record =
      otherClient(this.#sandbox).record(kind, name) ??
      (formerly === undefined ? undefined : otherClient(this.#sandbox).record(kind, formerly));
    if (record === undefined) return undefined;
    if (this.#watch === undefined || type !== 'application') return this.#withBound(identity, record);
    const provider = this.#providerNamed(record['provider'] ?? null);
    return { ...record, access: this.#watch.boundTo(name).toSorted(), provider };
  }

  /** A random record together with what is bound to it. */
  #withBound(identity: Identity, record: JsonObject): JsonObject {
    const drawn = this.#declared(identity)?.boundAt === undefined ? undefined : this.#drawn(identity);
    const bound = drawn && boundFieldOf(drawn);
    if (bound === undefined) return record;
    const { field, idIn, children } = bound;
    const query = new URLSearchParams({
      [children.parentFilter.parameter]: textOf(record['pk']),
      ordering: 'order',
      page_size: '100',
    });
    const { body } = this.#sandbox.handle({
      method: 'GET',
      path: `${children.path}?${query.toString()}`,
      headers: { authorization: `Bearer ${tokens.healed}` },
      body: '',
    });
    return { ...record, [field]: listIn(body).results.map((binding) => binding[idIn] ?? null) };
  }

  /** The existing records of all declared resources. */
  existing(): (Identity & { readonly after: Version })[] {
    return this.#scenario.declared.flatMap(({ type, name }) => {
      const after = this.#versionOf({ type, name });
      return after ? [{ type, name, after }] : [];
    });
  }

  #versionOf(identity: Identity): Version | undefined {
    const record = this.#recordOf(identity);
    return record && this.#versionIn(identity, record);
  }

  /** Compares a record with its declaration. `text` is the record as JSON. */
  #versionIn(identity: Identity, record: JsonObject, text = JSON.stringify(record)): Version | undefined {
    const declared = this.#declared(identity);
    if (declared === undefined) return undefined;
    let version = this.#versions.get(text);
    if (version === undefined) {
      // Both editions declare the same resources with different values.
      const drawn = this.#drawn(identity);
      version = drawn
        ? kindVersionOf(drawn, record, (list, id) => this.#nameOf(list, id))
        : this.#watch
          ? this.#accessVersionOf(identity, record)
          : versionOf(declared, { ...this.#scenario.style, edition: 'first' }, record);
      this.#versions.set(text, version);
    }
    return version;
  }

  #accessVersionOf(identity: Identity, record: JsonObject): Version {
    const wanted = Object.keys(this.#wants[addressOf(identity)] ?? {});
    const fields = wanted.map((field) => [field, JSON.stringify(record[field] ?? null)] as const);
    return { pk: textOf(record['pk']), fields: Object.fromEntries(fields), undeclared: {} };
  }

  #providerNamed(pk: JsonValue): JsonValue {
    return pk === null ? null : (this.#names.get(`provider ${textOf(pk)}`) ?? `P${textOf(pk)}`);
  }

  #declared(identity: Identity): DeclaredIdentity | undefined {
    return this.#scenario.declared.find((other) => isSame(other, identity));
  }

  /** The network of one run. `step` is called after a request is sent, and before an answer arrives. */
  transport(run: string, token: string, isDead: () => boolean, step: () => void): Transport {
    return (request, signal) =>
      new Promise((resolve) => {
        if (isDead()) return;
        const underWay = this.#underWay(run, token, request);
        const { id, method, purpose, type, name } = underWay;
        const sent = { run, request: id, method, purpose, type, name };
        const fields = purpose === 'change' ? { fields: Object.keys(bodyIn(underWay.request)) } : {};
        const groupNames =
          method === 'GET' || this.#watch || this.#scenario.kinds
            ? {}
            : { groupNames: this.#referred(underWay.request) };
        const isBind = purpose === 'access' && method === 'POST' && this.#watch !== undefined;
        const boundSubject = isBind && {
          boundSubject: this.#watch?.subjectIn(bodyIn(underWay.request)) ?? 'nobody',
        };
        const ids = method === 'GET' ? [] : this.#unknownIds(run, underWay);
        const unknownIds = ids.length > 0 && { unknownIds: ids };
        this.log({
          kind: 'sent',
          ...sent,
          path: request.path,
          ...fields,
          ...groupNames,
          ...boundSubject,
          ...unknownIds,
        });
        let answered = false;
        const deliver = ({ exchange, words, clear, ...answering }: Answering): void => {
          if (answered || isDead()) return;
          step();
          if (answered || isDead()) return; // the run may have ended or been interrupted at this step
          answered = true;
          signal?.removeEventListener('abort', giveUp);
          if (this.#scenario.kinds && exchange.kind === 'answered')
            this.#told.set(run, (this.#told.get(run) ?? '') + exchange.body);
          const status = exchange.kind === 'answered' ? { status: exchange.status } : {};
          const { tells, shows, pausedUntil, closed, restarting, isNotOffered } = answering;
          const pause = pausedUntil === undefined ? {} : { pausedUntil };
          const refused = exchange.kind === 'never_sent' && exchange.transient;
          const isList =
            purpose === 'access' &&
            method === 'GET' &&
            exchange.kind === 'answered' &&
            exchange.status === 200;
          const boundByApplication =
            isList && this.#watch
              ? { boundByApplication: this.#watch.listsIn(request.path, exchange.body) }
              : {};
          this.log({
            kind: 'delivered',
            ...sent,
            exchange: exchange.kind,
            ...status,
            words,
            clear,
            ...(tells && { tells }),
            ...(shows && { shows }),
            ...boundByApplication,
            ...(refused && { refused }),
            ...(restarting && { restarting }),
            ...pause,
            ...(closed && { closed }),
            ...(isNotOffered && { isNotOffered }),
          });
          resolve(exchange);
        };
        const giveUp = (): void => deliver({ ...lostIn(0), words: 'given up' });
        signal?.addEventListener('abort', giveUp, { once: true });
        this.#meet(underWay, (answering) => this.#time.after(answering.delay, () => deliver(answering)));
        step();
      });
  }

  #underWay(run: string, token: string, request: HttpRequest): UnderWay {
    const { method, path, body = '', timeoutMs = 60_000 } = request;
    const authorization = request.isAnonymous ? {} : { authorization: `Bearer ${token}` };
    const headers = { ...authorization, 'content-type': 'application/json' };
    return {
      id: (this.#requests += 1),
      run,
      method,
      ...interpretRequest(request, {
        declared: this.#scenario.declared,
        nameOf: (type, pk) => this.#names.get(`${type} ${pk}`),
        targetOf: (target, sent) => this.#watch?.targetOf(target, sent),
      }),
      timeoutMs,
      request: { method, path: this.#clamped(path), headers, body },
    };
  }

  /** The service silently limits the page size. */
  #clamped(path: string): string {
    return path.replace(/page_size=(\d+)/, (_, size: string) => {
      return `page_size=${Math.min(Number(size), this.#scenario.pageSize)}`;
    });
  }

  /** Decides what happens to a request. */
  #meet(underWay: UnderWay, deliver: (answering: Answering) => void): void {
    const there = this.#between(1, 60);
    const back = this.#between(1, 60);
    const fault = this.#random() < this.#trouble ? this.#pick(this.#scenario.faults) : undefined;
    const sentAt = this.#time.now();
    this.#time.after(there, () => {
      const own = (part: 'whole' | 'half' = 'whole'): Answering => {
        const response = this.#handle(underWay, part);
        return {
          ...answeredIn(back, response.status, response.body, response.headers),
          words: `${response.status}`,
          // A web page with 405 comes from a crash during a POST, or from a path that the release does not have. So it says
          // nothing about the record.
          clear: response.status !== 500 && response.status !== 405,
          ...this.#toldBy(underWay, response),
        };
      };
      const part = partOf(underWay.purpose, { type: underWay.type, isWrite: underWay.method !== 'GET' });
      const lack = part && this.#scenario.lacks[part];
      const meeting = lack
        ? () => lackIn(lack, back)
        : fault === undefined
          ? own
          : () => this.#faulty(fault, underWay, own, back);
      deliver(this.#restarting(sentAt, back, meeting) ?? meeting());
    });
  }

  /** The effect of a restart on a request; undefined if the service is not restarting at that time. */
  #restarting(sentAt: number, back: number, meeting: () => Answering): Answering | undefined {
    if (this.#restart === undefined) return undefined;
    const { from, listensAt, until } = this.#restart;
    const now = this.#time.now();
    if (now >= until) return undefined;
    const restarting = true;
    if (now < from) {
      if (now + back < from) return undefined;
      meeting();
      return { ...lostIn(from - now), words: 'reset by the restart, after it took effect', restarting };
    }
    if (sentAt < from) return { ...lostIn(0), words: 'reset by the restart, before it arrived', restarting };
    if (now < listensAt)
      return { ...neverSentIn(back, true), words: 'refused during the restart', restarting };
    const words = `${this.#scenario.restart?.front} of the front during the restart`;
    return this.#scenario.restart?.front === '503'
      ? {
          ...answeredIn(back, 503, '{"detail":"starting"}', { 'retry-after': '5' }),
          words,
          clear: false,
          restarting,
          pausedUntil: now + back + 5000,
        }
      : { ...answeredIn(back, 502, 'Bad Gateway', {}), words, clear: false, restarting };
  }

  /** The effect of a fault on a request. `own` makes the service process the request, and returns its regular answer. */
  #faulty(
    fault: Scenario['faults'][number],
    underWay: UnderWay,
    own: (part?: 'half') => Answering,
    back: number,
  ): Answering {
    const isPost = underWay.method === 'POST';
    const isWrite = underWay.method !== 'GET';
    const odd = (
      status: number,
      body = '<!DOCTYPE html>',
      headers: Record<string, string> = {},
    ): Answering => ({
      ...answeredIn(back, status, body, headers),
      words: `${status} (${fault})`,
      clear: false,
    });
    const paused = (answering: Answering, seconds: number): Answering => ({
      ...answering,
      pausedUntil: this.#time.now() + back + seconds * 1000,
    });
    switch (fault) {
      case 'refused':
        return { ...neverSentIn(back, true), words: 'connection refused' };
      case 'unknown_host':
        return { ...neverSentIn(back, false), words: 'unknown host' };
      case 'reset_before':
        return { ...lostIn(back), words: 'reset before it arrived' };
      case 'reset_after':
        own();
        return { ...lostIn(back), words: 'reset after it took effect' };
      case 'timeout_lost':
        return { ...lostIn(underWay.timeoutMs, 'TimeoutError'), words: 'timed out, never arrived' };
      case 'timeout_late':
        this.#time.after(this.#between(1000, 200_000), () => void this.#handle(underWay));
        return {
          ...lostIn(underWay.timeoutMs, 'TimeoutError'),
          words: 'timed out, and arrives later',
        };
      case 'resent': {
        const first = own();
        if (this.#random() < 0.5) {
          this.#time.after(this.#between(1, 5000), () => void this.#handle(underWay));
          return { ...first, words: `${first.words} (and resent later)` };
        }
        const second = own();
        return { ...second, words: `${second.words} (to the second of two)` };
      }
      case 'crash_before':
        return isPost ? odd(405, '') : odd(500);
      case 'crash_after':
        own();
        return isPost ? odd(405, '') : odd(500);
      case 'gateway_500':
        return odd(500);
      case 'gateway_502':
        return odd(502, 'Bad Gateway');
      case 'gateway_504_after':
        own();
        return odd(504);
      case 'failure_told':
        return paused(odd(500, '', { 'retry-after': '3' }), 3);
      case 'unavailable':
        return paused(odd(503, '{"detail":"starting"}', { 'retry-after': '5' }), 5);
      case 'unavailable_after':
        own();
        return odd(503);
      case 'slow_down': {
        const seconds = this.#random() < 0.05 ? 4000 : this.#between(0, 30);
        return {
          ...paused(
            odd(429, '{"detail":"slow down"}', { 'retry-after': secondsIn(underWay.id, seconds) }),
            seconds,
          ),
          clear: true,
        };
      }
      case 'slow_down_date': {
        const until = Math.ceil((this.#time.now() + back) / 1000) * 1000 + this.#between(0, 20) * 1000;
        return {
          ...odd(429, '', { 'retry-after': dateIn(underWay.id, until) }),
          pausedUntil: until,
          clear: true,
        };
      }
      case 'too_early':
        return { ...odd(425), clear: true };
      case 'misdirected':
        return { ...odd(421), clear: true };
      case 'html_404':
        return { ...odd(404), clear: isWrite };
      case 'html_200':
        return odd(200);
      case 'html_201':
        own();
        return odd(201);
      case 'other_identity':
        own();
        return odd(isPost ? 201 : 200, '{"pk":"x","slug":"other","username":"other","target":"other"}');
      case 'json_200': {
        const { exchange } = own();
        return exchange.kind === 'answered' && exchange.status === 201 ? odd(200, exchange.body) : odd(502);
      }
      case 'redirect':
        return odd(302, '', { location: 'https://elsewhere.example/login' });
      case 'redirect_after':
        own();
        return odd(302, '', { location: 'https://elsewhere.example/login' });
      case 'html_400':
        return odd(400);
      case 'html_400_after':
        own();
        return odd(400);
      case 'denied':
        return { ...odd(403, '{"detail":"no"}'), clear: isWrite };
      case 'clash':
        return odd(409, '{"detail":"clash"}');
      case 'too_large':
        return { ...odd(413), clear: isWrite };
      case 'request_timeout':
        return odd(408);
      case 'teapot':
        return odd(418);
      case 'half_405':
        own('half');
        return isPost ? odd(405, '') : odd(500);
      case 'half_502':
        own('half');
        return odd(502, 'Bad Gateway');
      case 'ignored_field': {
        const answering = own('half');
        return { ...answering, words: `${answering.words} (${fault})` };
      }
      case 'read_only':
        // This fault does not affect users.
        if (!isWrite || (underWay.type === 'user' && !this.#watch)) return own();
        return {
          ...odd(400, '{"detail":"Request denied due to expired/invalid license.","code":"denied_license"}'),
          clear: true,
          closed: true,
        };
      case 'half_reset':
        own('half');
        return { ...lostIn(back), words: `reset (${fault})` };
      case 'echo_400': {
        // The answer repeats the request, with any secret in it.
        const complaint = JSON.stringify({ client_secret: [`${underWay.request.body} is bad.`] });
        return isWrite ? { ...odd(400, complaint), clear: true } : own();
      }
      case 'no_bindings':
      case 'other_count': {
        if (isWrite || underWay.purpose !== 'access') return own();
        const { pagination, results } = listOf([]);
        const counted = fault === 'no_bindings' ? {} : { count: 2, start_index: 1, end_index: 2 };
        return odd(200, JSON.stringify({ pagination: { ...pagination, ...counted }, results }));
      }
      case 'not_offered':
        // A proxy blocks all requests except the documented operations.
        if (underWay.type === 'application' || isWrite) return own();
        return { ...odd(405, '{"detail":"Method \\"GET\\" not allowed."}'), clear: false };
      default: {
        const answering = own();
        const { exchange } = answering;
        if (exchange.kind !== 'answered' || exchange.status !== 200) return answering;
        const { id, name, purpose, type, request } = underWay;
        const found = exchange.body;
        // rollcall compares names, so it does not find a record without a name.
        if (purpose === 'name' && fault === 'other_record') return answering;
        if (purpose === 'page' || purpose === 'name') {
          const [status, body] = faultyPage(fault, found, id);
          const names = intactNames(body, found);
          const shows = Object.entries(answering.shows ?? {}).filter(([address]) =>
            names.some((one) => address === addressOf({ type, name: one })),
          );
          return { ...odd(status, body), shows: Object.fromEntries(shows) };
        }
        if (purpose !== 'look_up' || type !== 'user') return answering;
        const all = this.#sandbox.handle({ ...request, path: request.path.replace(/\?.*/, '') }).body;
        // If the token sees no users, or only the requested user, the filter makes no difference.
        if (fault === 'filter_ignored' && listIn(all).results.length === listIn(found).results.length)
          return answering;
        return odd(...faultyList(fault, name, { found, all, form: id }));
      }
    }
  }

  /** Makes the service process a request. A create in part is still refused if the request is invalid. */
  #handle(
    { id, run, method, type, name, request }: UnderWay,
    part: 'whole' | 'half' = 'whole',
  ): SandboxResponse {
    const headers = this.#revoked
      ? { ...request.headers, authorization: `Bearer ${tokens.revoked}` }
      : request.headers;
    const isWrite = method !== 'GET';
    const own = this.#declared({ type, name });
    const isHalf = part === 'half' && isWrite && own?.invalid !== true;
    const body = isHalf
      ? halfOf(request.body, own?.partial ?? partialFields[type])
      : request.body && asAccepted(request.body);
    const before = isWrite ? this.#recordOf({ type, name }) : undefined;
    const isTaken =
      this.#scenario.uniqueGroups && type === 'group' && method === 'POST' && before !== undefined;
    const answer = isTaken ? nameTaken : this.#sandbox.handle({ ...request, headers, body });
    const isRefused = answer.status === 400;
    const response = isRefused
      ? { ...answer, body: refusalWithSentValue(request.body, answer.body) }
      : answer;
    if (this.#breaks(request.path, response)) return { status: 500, headers: {}, body: '' };
    if (isWrite) this.#watch?.forget();
    const record = isWrite
      ? (secondOf(own !== undefined && mayBeDoubled(own), method, response) ?? this.#recordOf({ type, name }))
      : undefined;
    this.#remember(type, record);
    const textBefore = JSON.stringify(before);
    const text = JSON.stringify(record);
    const was = before && this.#versionIn({ type, name }, before, textBefore);
    const is = record && this.#versionIn({ type, name }, record, text);
    this.log({
      kind: 'handled',
      request: id,
      type,
      name,
      status: response.status,
      committed: textBefore !== text,
      ...(was && { before: was }),
      ...(is && { after: is }),
    });
    if (isWrite) this.#look(run);
    this.#handled += 1;
    for (const accessChange of this.#scenario.access?.accessChanges ?? [])
      if ('after' in accessChange.when && accessChange.when.after === this.#handled) this.open(accessChange);
    return response;
  }

  /** The names of the declared groups in a request, found by their ids. */
  #referred(request: UnderWay['request']): string[] {
    const { groups, parent } = bodyIn(request);
    const ids = [...(isJsonList(groups ?? null) ? (groups as JsonValue[]) : []), ...(parent ? [parent] : [])];
    const known = new Set(existingGroups.map(({ pk }) => pk));
    return ids.flatMap((id) => {
      const text = textOf(id);
      return known.has(text.toLowerCase()) ? [] : (this.#names.get(`group ${text}`) ?? text);
    });
  }

  /** The name of a record. Its kind decides which field that is. */
  #nameIn(type: Identity['type'], record: JsonObject): string {
    const field = this.#scenario.kinds?.records.find(({ kind }) => kind.type === type)?.kind.identity;
    return field === undefined ? nameIn(record) : textOf(record[field]);
  }

  #remember(type: Identity['type'], record: JsonObject | undefined): void {
    if (type === 'application' || record === undefined) return;
    const name = this.#nameIn(type, record);
    for (const field of this.#drawn({ type, name })?.ids ?? ['pk'])
      if (record[field] !== undefined) this.#names.set(`${type} ${textOf(record[field])}`, name);
  }

  /** Whether an answer contains a record that the service cannot show. */
  #breaks(path: string, { status, body }: SandboxResponse): boolean {
    const { broken } = this.#scenario;
    if (broken === undefined || status !== 200) return false;
    return path.includes(`/${broken.type}s/`) && namesIn(body).includes(broken.name);
  }

  /** What the service's own answer says about the looked-up record. */
  #toldBy(
    { purpose, type, name, request }: UnderWay,
    { status, body }: SandboxResponse,
  ): Pick<Delivery, 'tells' | 'shows'> {
    switch (purpose) {
      case 'look_up': {
        const shows = status === 200 ? this.#shownBy(type, body) : {};
        if (addressOf({ type, name }) in shows) return { tells: 'present', shows };
        if (!this.#scenario.kinds)
          return status === (type === 'application' ? 404 : 200) ? { tells: 'absent' } : {};
        // A search may find more records, and may have further pages.
        const isWhole = status === 200 && Number(listIn(body).pagination['next'] ?? 0) === 0;
        // A 404 with a web page means that the release does not have the path.
        const isOfRecord = status === 404 && isJsonObject(parseJson(body));
        return isOfRecord || isWhole ? { tells: 'absent' } : {};
      }
      case 'self':
        return status === 200 && body.includes('"is_superuser":true') ? { tells: 'superuser' } : {};
      case 'change':
        return status === 200 ? { shows: this.#shownBy(type, body) } : {};
      case 'page': {
        // If the token does not belong to a superuser, the service shows its cached list.
        const isKept = type === 'application' && !(this.#scenario.superuser && isForSuperusers(request.path));
        return status === 200 && !isKept ? { shows: this.#shownBy(type, body) } : {};
      }
      case 'create':
      case 'name':
      case 'release':
      case 'delete':
      case 'access':
      case 'question':
        return {};
    }
  }

  /** The declared resources that a text shows. The text is a record or a list. */
  #shownBy(type: Identity['type'], text: string): Readonly<Record<string, Version>> {
    if (this.#watch) return {};
    const key = type + text;
    // No answer about a record shows what is bound to it. The bindings change independently of the record.
    const isInParts = this.#scenario.declared.some(({ boundAt }) => boundAt !== undefined);
    const known = isInParts ? undefined : this.#shown.get(key);
    if (known !== undefined) return known;
    const json = parseJson(text);
    const records = isJsonObject(json) && !('results' in json) ? [json] : listOfJson(json).results;
    const versions = records.flatMap((record) => {
      const identity = { type, name: this.#nameIn(type, record) };
      const version = this.#versionIn(identity, this.#withBound(identity, record));
      return version ? [[addressOf(identity), version] as const] : [];
    });
    const shows = Object.fromEntries(versions);
    this.#shown.set(key, shows);
    return shows;
  }

  #put(identity: Identity, condition: Condition): void {
    const { declared, style } = this.#scenario;
    const drawn = this.#drawn(identity);
    if (drawn) {
      const edition = condition === 'same' ? 'first' : condition === 'mixed' ? 'second' : 'bare';
      const body = kindBodyOf(drawn, edition, (named) => this.#idOf(named) ?? null);
      // The record to which it refers may be missing.
      const created = otherClient(this.#sandbox).create(this.#kindOf(identity), body);
      if ('record' in created) this.#remember(identity.type, created.record);
      return;
    }
    const isInvalid = declared.some((other) => isSame(other, identity) && other.invalid);
    const body = bodyOf(identity, condition, style.handsOverProviders && !isInvalid);
    const { provider: _, ...without } = body;
    const { type } = identity;
    let created = otherClient(this.#sandbox).create(type, body);
    // Its main provider may belong to another application.
    if ('errors' in created) created = otherClient(this.#sandbox).create(type, without);
    this.#remember(identity.type, mustBeTaken(created));
  }

  #between(least: number, most: number): number {
    return least + Math.floor(this.#random() * (most - least + 1));
  }

  #pick<Item>(items: readonly Item[]): Item | undefined {
    return items[this.#between(0, items.length - 1)];
  }
}

function mustBeTaken(taken: SaveResult): JsonObject {
  if ('record' in taken) return taken.record;
  throw new Error(`the world does not accept this: ${JSON.stringify(taken)}`);
}

/** The answer of a service that refuses a second group with the same name. */
const nameTaken: SandboxResponse = {
  status: 400,
  headers: {},
  body: '{"name":["Group with this name already exists."]}',
};

/** Creates a second record of a kind whose names need not be unique. */
function secondOf(
  isDoubled: boolean,
  method: Method,
  { status, body }: SandboxResponse,
): JsonObject | undefined {
  const json = isDoubled && method === 'POST' && status === 201 ? parseJson(body) : undefined;
  return isJsonObject(json) ? json : undefined;
}

function bodyIn({ body }: Pick<UnderWay['request'], 'body'>): JsonObject {
  return body === '' ? {} : (JSON.parse(body) as JsonObject); // rollcall sends a JSON object
}

/** The body of a create in part: without one of its fields. */
function halfOf(body: string, field = ''): string {
  const { [field]: _, ...taken } = bodyIn({ body });
  return JSON.stringify(taken);
}

function isForSuperusers(path: string): boolean {
  return path.includes('superuser_full_list=true');
}

function sandboxOf({ access, kinds, declared, mayViewUsers, mayChange, superuser }: Scenario): Sandbox {
  if (access) return seedSandbox(accessSeedOf(access, tokens), access.isLate ? '2026.2' : '2023.10').sandbox;
  if (kinds) {
    const all = [tokens.first, tokens.healed].map((token) => ({ token, superuser }));
    return seedSandbox({ tokens: all, is_licensed: true }, kinds.release).sandbox;
  }
  const visible = declared.filter(({ hidden }) => !hidden).map(({ name }) => name);
  const isPartial = visible.length < declared.length;
  const first = {
    token: tokens.first,
    superuser,
    view_applications: isPartial ? visible : ('all' as const),
    ...(!mayChange && {
      change_applications: 'none' as const,
      change_users: 'none' as const,
      change_groups: 'none' as const,
    }),
    view_users: !mayViewUsers ? ('none' as const) : isPartial ? visible : ('all' as const),
  };
  return new Sandbox({
    groups: existingGroups,
    providers: existingProvidersFor(declared),
    tokens: [first, { token: tokens.healed, superuser }],
  });
}

/** The header in seconds: in one line, or in two lines that are joined. */
function secondsIn(form: number, seconds: number): string {
  return form % 3 === 0 ? `${seconds}, 0` : `${seconds}`;
}

/** A date in one of the three formats of HTTP. */
function dateIn(form: number, time: number): string {
  const date = new Date(time).toUTCString();
  const [, day = '', month = '', year = '', clock = ''] = date.split(' ');
  if (form % 3 === 0) return date;
  return form % 3 === 1
    ? `Monday, ${day}-${month}-${year.slice(-2)} ${clock} GMT`
    : `Mon ${month} ${day.replace(/^0/, ' ')} ${clock} ${year}`;
}

function answeredIn(
  delay: number,
  status: number,
  body: string,
  headers: Readonly<Record<string, string>>,
): Pick<Answering, 'delay' | 'exchange'> {
  return { delay, exchange: { kind: 'answered', status, headers, body } };
}

function lostIn(delay: number, name = 'Error'): Omit<Answering, 'words'> {
  // The abort of a real request also throws a DOMException, whose fields cannot be assigned.
  const error = name === 'Error' ? new Error('lost') : new DOMException('too late', name);
  return { delay, exchange: { kind: 'lost', error }, clear: false };
}

/** The answer of the service to a request that it does not offer. */
function lackIn(refusal: Refusal, delay: number): Answering {
  const [status, body] = refusals[refusal] ?? [];
  const words = `not offered (${refusal})`;
  const exchange = status === undefined ? lostIn(delay) : answeredIn(delay, status, body ?? '', {});
  return { ...exchange, words, clear: false, isNotOffered: true };
}

function neverSentIn(delay: number, transient: boolean): Omit<Answering, 'words'> {
  return { delay, exchange: { kind: 'never_sent', error: new Error('never sent'), transient }, clear: true };
}
