import { stringify } from 'yaml';
import type { Random } from '../../src/base/clock.ts';
import { isJsonList, isJsonObject, parseJson, textOf, type JsonObject } from '../../src/base/json.ts';
import { apply } from '../../src/commands/apply.ts';
import { sandboxToken } from '../../src/sandbox/seed.ts';
import type { Exchange, HttpRequest, Transport } from '../../src/service/transport.ts';
import { runOn } from '../support/manifest-run.ts';
import { sandboxTransport } from '../support/sandbox-requests.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { dice } from './dice.ts';

/** The promises about logins, checked with the sandbox's flow executor at each write. */
export const loginRules = {
  by_name:
    'A name alone is never enough to log in, unless it was enough before, or is enough in the end and the run allows that.',
  locked_out:
    'A login flow that starts before and after the run can be started at every moment, if no stage comes before the old or new place of the identification stage.',
  refused: 'A plan after which a name alone is enough to log in sends nothing, unless the run allows that.',
  asked: 'The login flow is checked without a token before its first change and after its last.',
  looked: 'The bindings are read again after the last new binding and before the first removed one.',
} as const;

type Rule = keyof typeof loginRules;

/** A declared login flow: its bindings in order, and the fields of its records. */
interface Edition {
  readonly stages: readonly {
    readonly name: string;
    readonly order: number;
    readonly policy?: string;
  }[];
  readonly hasPasswordInside: boolean;
  readonly lets: 'True' | 'False';
}

/** A mistake that an engine could make. It is planted around the real engine. */
export interface LoginBug {
  readonly breaks: Rule;
  /** Whether only the run after a kill makes this mistake. */
  readonly isOfNextRun?: true;
  /** The first seed to try. At present, this seed reveals the mistake. */
  readonly from: number;
  readonly transport: (
    network: Transport,
    around: {
      readonly service: Service;
      readonly after: Edition;
      readonly hasInterfered: () => boolean;
    },
  ) => Transport;
}

type Service = ReturnType<typeof sandboxTransport>;

const others = ['device', 'maybe', 'no'] as const;

function draw(random: Random): Edition {
  const { chance, whole, pick } = dice(random);
  const names = [
    ...(chance(0.95) ? ['who'] : []),
    ...(chance(0.8) ? ['proof'] : []),
    ...others.filter((name) => chance(name === 'no' ? 0.05 : 0.25)),
    ...(chance(0.97) ? ['enter'] : []),
  ];
  const usual = { who: 10, no: 15, proof: 20, device: 30, maybe: 40, enter: 50 };
  const shift = chance(0.5) ? 0 : whole(1, 90);
  const stages = names.map((name) => ({
    name,
    // `stages` has only these keys.
    order:
      (usual[name as keyof typeof usual] ?? 0) +
      (name === 'who' ? 0 : shift) +
      (chance(0.1) ? whole(-30, 30) : 0),
    ...(name === 'proof' && chance(0.3) && { policy: pick(['own', 'never', 'always']) }),
  }));
  return { stages, hasPasswordInside: chance(0.3), lets: chance(0.8) ? 'True' : 'False' };
}

/** The manifest of an edition. If the other records are defaults of the service, it contains only the flow. */
function manifestOf({ stages, hasPasswordInside, lets }: Edition, isWhole = true): string {
  const bound = stages.map(({ name, order, policy }) => ({
    stage: { name },
    order,
    policies: policy === undefined ? [] : [{ policy: { name: policy }, order: 0 }],
  }));
  const password_stage = hasPasswordInside ? { name: 'proof' } : null;
  const flows = [{ slug: 'door', name: 'Door', title: 'Door', designation: 'authentication', stages: bound }];
  const brands = [{ domain: 'authentik-default', flow_authentication: { slug: 'door' } }];
  if (!isWhole) return stringify({ version: 1, flows, brands });
  return stringify({
    version: 1,
    policies: [
      { name: 'own', type: 'expression', expression: `return ${lets}` },
      { name: 'never', type: 'dummy', result: false },
      { name: 'always', type: 'dummy', result: true },
    ],
    stages: [
      { name: 'who', type: 'identification', user_fields: ['username'], password_stage },
      { name: 'proof', type: 'password', backends: ['authentik.core.auth.InbuiltBackend'] },
      { name: 'device', type: 'authenticator_validate', not_configured_action: 'deny' },
      { name: 'maybe', type: 'authenticator_validate', not_configured_action: 'skip' },
      { name: 'no', type: 'deny' },
      { name: 'enter', type: 'user_login' },
    ],
    flows,
    brands,
  });
}

const bindings = '/api/v3/flows/bindings/';
const executor = '/api/v3/flows/executor/door/?query=';

/** What a client without a token finds: whether the flow starts, and whether a name is enough to log in. */
function metAt({ sandbox }: Service): { readonly begins: boolean; readonly byName: boolean } {
  const ask = (method: string, cookie = '', body?: JsonObject) =>
    sandbox.handle({
      method,
      path: executor,
      headers: { cookie, 'content-type': 'application/json' },
      body: body ? JSON.stringify(body) : '',
    });
  const shown = (text: string): string => {
    const json = parseJson(text) ?? null;
    return isJsonObject(json) ? textOf(json['component']) : '';
  };
  const first = shown(ask('GET').body);
  // A password stage without a name leads nowhere.
  const begins = first === 'ak-stage-identification';
  if (!begins || asksInside(sandbox)) return { begins, byName: false };
  const named = ask('POST', '', { uid_field: 'somebody' });
  const cookie = textOf(named.headers['set-cookie']).split(';')[0] ?? '';
  const end = named.status === 302 ? ask('GET', cookie) : named;
  // If a second redirect comes before the next shown stage, the user is logged in.
  const isThrough = end.status === 302 || shown(end.body) === 'xak-flow-redirect';
  // The answers of a flow without a login stage end in the same way.
  return { begins, byName: isThrough && boundIn(sandbox).some(({ name }) => name === 'enter') };
}

/** The sandbox's executor cannot ask for a password within the identification stage. */
function asksInside(sandbox: Service['sandbox']): boolean {
  return listed(sandbox, '/stages/identification/?name=who').some((one) => one['password_stage'] !== null);
}

function listed(sandbox: Service['sandbox'], path: string): readonly JsonObject[] {
  const headers = { authorization: `Bearer ${sandboxToken}` };
  const { body } = sandbox.handle({ method: 'GET', path: `/api/v3${path}`, headers, body: '' });
  const json = parseJson(body) ?? null;
  const results = isJsonObject(json) ? (json['results'] ?? null) : null;
  return isJsonList(results) ? results.filter((one) => isJsonObject(one)) : [];
}

/** The bindings of the flow, with the names of their stages. */
export function boundIn(
  sandbox: Service['sandbox'],
): readonly { readonly pk: string; readonly name: string }[] {
  const [flow] = listed(sandbox, '/flows/instances/?slug=door');
  return listed(sandbox, `/flows/bindings/?target=${textOf(flow?.['pk'])}`).map(
    ({ pk = null, stage_obj: of = null }) => ({
      pk: textOf(pk),
      name: isJsonObject(of) ? textOf(of['name']) : '',
    }),
  );
}

export interface LoginSimulated {
  readonly violations: readonly { readonly rule: Rule; readonly words: string }[];
  readonly wrote: boolean;
  readonly killed: boolean;
  readonly interfered: boolean;
}

/** Events at the service, in order. */
type Step =
  | ({ readonly is: 'moment'; readonly by: 'start' | 'run' | 'somebody else' } & ReturnType<typeof metAt>)
  | { readonly is: 'request'; readonly request: HttpRequest };

/**
 * Applies one random login flow after another, while answers are lost, the run is killed, or another client writes between two
 * requests. Then a last run completes the work.
 */
export async function simulateLogin(seed: number, bug?: LoginBug): Promise<LoginSimulated> {
  const random = seededRandom(seed ^ 0x10_91_40);
  const { chance, whole } = dice(random);
  const [before, after] = [draw(random), draw(random)];
  const service = sandboxTransport(
    { is_fresh: true, tokens: [{ token: sandboxToken, superuser: true }] },
    undefined,
    '2025.12',
  );
  const everything = ['update', 'delete', 'way-in', 'lockout', 'open-login'];
  await run(service.send, manifestOf(before), everything);
  const text = manifestOf(after, chance(0.5));
  const allowsOpen = chance(0.3);
  const losing = chance(0.3) ? 0.1 : 0;
  const concurrency = chance(0.5) ? '8' : '1';
  // Drawn last, so that earlier seeds keep their worlds.
  const killedAt = chance(0.4) ? whole(1, 4) : Infinity;
  const interferesAt = chance(0.4) ? whole(0, 3) : Infinity;
  const steps: Step[] = [{ is: 'moment', by: 'start', ...metAt(service) }];
  let writes = 0;
  let interfered: Place | undefined;
  let kill = (): void => {};
  const killed = new Promise<'killed'>((resolve) => (kill = () => resolve('killed')));
  const watched =
    (isFirst: boolean): Transport =>
    async (request, signal) => {
      if (isFirst && writes >= killedAt) return new Promise(() => {});
      const isWrite = request.method !== 'GET';
      if (isFirst && isWrite && writes === interferesAt && !interfered) {
        interfered = interfere(service, random);
        steps.push({ is: 'moment', by: 'somebody else', ...metAt(service) });
      }
      steps.push({ is: 'request', request });
      const answer = await service.send(request, signal);
      if (!isWrite) return answer;
      writes += 1;
      steps.push({ is: 'moment', by: 'run', ...metAt(service) });
      if (isFirst && writes >= killedAt) {
        kill();
        return new Promise(() => {});
      }
      const isLost = isFirst && losing > 0 && chance(losing);
      return isLost ? ({ kind: 'lost', error: new Error('reset') } satisfies Exchange) : answer;
    };
  const network = (isFirst: boolean): Transport =>
    bug && (bug.isOfNextRun === true) !== isFirst
      ? bug.transport(watched(isFirst), { service, after, hasInterfered: () => interfered !== undefined })
      : watched(isFirst);
  const allow = everything.filter((name) => name !== 'open-login' || allowsOpen);
  const ended = await Promise.race([run(network(true), text, allow, concurrency), killed]);
  const isKilled = ended === 'killed';
  const first = [...steps];
  // After a kill, the same command runs again. After a refusal, the run is repeated with the permission that it needs.
  if (isKilled) await run(network(false), text, allow);
  const all = [...steps];
  await run(service.send, text, everything);
  const world = {
    seed,
    before,
    after,
    interfered,
    allowsOpen,
    end: metAt(service),
    isCalm: !isKilled && losing === 0,
  };
  return {
    violations: violationsIn(world, first, all),
    wrote: writes > 0,
    killed: isKilled,
    interfered: interfered !== undefined,
  };
}

/** Another client binds, removes or moves a stage, if the service allows it. Returns the stage and its new place. */
function interfere({ sandbox }: Service, random: Random): Place | undefined {
  const { pick, whole } = dice(random);
  const bound = boundIn(sandbox);
  const [flow] = listed(sandbox, '/flows/instances/?slug=door');
  const added = pick(others);
  const stage = listed(sandbox, '/stages/all/').find(({ name = null }) => textOf(name) === added);
  const { pk, name } = bound[whole(0, bound.length - 1)] ?? { pk: '', name: '' };
  const order = whole(1, 160);
  const headers = { authorization: `Bearer ${sandboxToken}`, 'content-type': 'application/json' };
  const send = (method: string, path: string, body?: JsonObject): boolean =>
    sandbox.handle({ method, path, headers, body: body ? JSON.stringify(body) : '' }).status < 300;
  switch (pick(['add', 'remove', 'move'] as const)) {
    case 'add': {
      const body = { target: flow?.['pk'] ?? null, stage: stage?.['pk'] ?? null, order };
      return send('POST', bindings, body) ? { name: added, order } : undefined;
    }
    case 'remove':
      return send('DELETE', `${bindings}${pk}/`) ? { name } : undefined;
    case 'move':
      return send('PATCH', `${bindings}${pk}/`, { order }) ? { name, order } : undefined;
  }
}

interface Place {
  readonly name: string;
  readonly order?: number;
}

interface LoginWorld {
  readonly seed: number;
  readonly before: Edition;
  readonly after: Edition;
  readonly interfered: Place | undefined;
  readonly allowsOpen: boolean;
  readonly end: ReturnType<typeof metAt>;
  /** Whether the run received every answer. */
  readonly isCalm: boolean;
}

function violationsIn(
  { seed, before, after, interfered, allowsOpen, end, isCalm }: LoginWorld,
  first: readonly Step[],
  all: readonly Step[],
): LoginSimulated['violations'] {
  const violations: { rule: Rule; words: string }[] = [];
  const fail = (rule: Rule, words: string): void =>
    void violations.push({ rule, words: `${seed}: ${words}` });
  const moments = all.flatMap((step) => (step.is === 'moment' ? step : []));
  const [start = { ...end, by: 'start' as const }] = moments;
  const ofOthers = moments.filter(({ by }) => by === 'somebody else');
  // A stage that comes before the old or new position of the identification stage is shown first for a while.
  const stages: Place[] = [...before.stages, ...after.stages, ...(interfered ? [interfered] : [])];
  const ordersOf = (isName: boolean): number[] =>
    stages.flatMap(({ name, order }) => ((name === 'who') === isName ? (order ?? []) : []));
  const asksFirst = Math.max(...ordersOf(true)) < Math.min(...ordersOf(false));
  const mayBeOpen = start.byName || (end.byName && allowsOpen) || ofOthers.some(({ byName }) => byName);
  // Nothing is promised about another client's writes after the run has read the bindings for the last time.
  let [isSeen, isOpen, hasBegun] = [true, start.byName, start.begins];
  for (const [index, step] of all.entries()) {
    if (step.is === 'request') {
      isSeen ||= step.request.method === 'GET' && step.request.path.startsWith(bindings);
      continue;
    }
    if (step.by === 'somebody else') isSeen = false;
    if (step.by === 'run' && step.byName && !isOpen && !mayBeOpen && isSeen)
      fail('by_name', `at step ${index} of ${all.length}, a name alone logs in`);
    if (step.by === 'run' && !step.begins && hasBegun && start.begins && end.begins && asksFirst)
      fail('locked_out', `at step ${index} of ${all.length}, the flow does not start`);
    [isOpen, hasBegun] = [step.byName, step.begins];
  }
  const sent = first.flatMap((step) => (step.is === 'request' ? step.request : []));
  const wrote = sent.some(({ method }) => method !== 'GET');
  if (end.byName && !mayBeOpen && wrote) fail('refused', 'the plan was not refused');
  // Policies that are not bound do not belong to the login flow.
  const isOnWay = ({ method, path }: HttpRequest): boolean => method !== 'GET' && path.includes(bindings);
  const [begun, last] = [sent.findIndex(isOnWay), sent.findLastIndex(isOnWay)];
  const asks = sent.flatMap(({ path, isAnonymous }, index) =>
    path === executor && isAnonymous ? index : [],
  );
  const isAskedAgain = !isCalm || !start.begins || asks.some((index) => index > last);
  const isAsked = asks.some((index) => index < begun) && isAskedAgain;
  if (begun !== -1 && !isAsked) fail('asked', 'the login flow was not checked');
  const [added, removed] = ['POST', 'DELETE'].map((method) => {
    const isSent = (one: HttpRequest): boolean => one.method === method && isOfFlow(one);
    return method === 'POST' ? sent.findLastIndex(isSent) : sent.findIndex(isSent);
  });
  if (added !== undefined && removed !== undefined && added !== -1 && added < removed) {
    const between = sent.slice(added, removed);
    if (!between.some(({ method, path }) => method === 'GET' && path.startsWith(bindings)))
      fail('looked', 'it removed a binding without reading the bindings again');
  }
  return violations;
}

/** Whether a request is about the bindings of the flow. */
function isOfFlow({ path }: HttpRequest): boolean {
  return path.startsWith(bindings);
}

async function run(
  send: Transport,
  text: string,
  allow: readonly string[],
  concurrency = '1',
): Promise<void> {
  const files = { 'rollcall.yaml': 'version: 1\ncapabilities: [update, delete]\n' };
  await runOn(apply, send, text, { config: 'rollcall.yaml', allow, concurrency }, { files });
}
