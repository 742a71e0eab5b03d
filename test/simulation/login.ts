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

/** The promises about how people log in, held against the flow executor of the sandbox at each write. */
export const loginRules = {
  by_name:
    'At no moment a name alone is enough to log in, unless it was before, or is at the end and that is allowed.',
  locked_out:
    'At no moment the way in does not begin that begins before and at the end, if no stage comes before the old or new place of the name.',
  refused: 'A plan whose end lets in whoever gives a name sends nothing, unless that is allowed.',
  asked: 'The executor is asked without a token before the first change on the way in and after the last.',
} as const;

type Rule = keyof typeof loginRules;

/** How a manifest declares the way in: its bindings by their order, and what its records say. */
interface Edition {
  readonly stages: readonly { readonly name: string; readonly order: number; readonly policy?: string }[];
  readonly hasPasswordInside: boolean;
  readonly lets: 'True' | 'False';
}

/** A mistake that an engine could make, planted around the real one. */
export interface LoginBug {
  readonly breaks: Rule;
  /** The first seed to try: it shows the mistake, as long as worlds are drawn as they are. */
  readonly from: number;
  readonly transport: (
    network: Transport,
    around: { readonly service: Service; readonly after: Edition },
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
    // The keys are these names.
    order:
      (usual[name as keyof typeof usual] ?? 0) +
      (name === 'who' ? 0 : shift) +
      (chance(0.1) ? whole(-30, 30) : 0),
    ...(name === 'proof' && chance(0.3) && { policy: pick(['own', 'never', 'always']) }),
  }));
  return { stages, hasPasswordInside: chance(0.3), lets: chance(0.8) ? 'True' : 'False' };
}

/** The manifest of an edition; of the flow alone, where it leaves the rest to the service. */
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

const executor = '/api/v3/flows/executor/door/?query=';

/** What an HTTP client without a token meets: whether the flow begins, and whether a name alone logs in. */
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
  // A password without a name leads nowhere.
  const begins = first === 'ak-stage-identification';
  if (!begins || asksInside(sandbox)) return { begins, byName: false };
  const named = ask('POST', '', { uid_field: 'somebody' });
  const cookie = textOf(named.headers['set-cookie']).split(';')[0] ?? '';
  const end = named.status === 302 ? ask('GET', cookie) : named;
  // A second redirect comes from a login before the stage that is shown next.
  const isThrough = end.status === 302 || shown(end.body) === 'xak-flow-redirect';
  // Without a stage that logs in, a flow ends in the same way.
  return { begins, byName: isThrough && boundIn(sandbox).some(({ name }) => name === 'enter') };
}

/** The executor of the sandbox does not ask for a password inside of the identification. */
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
}

/** One apply from a random way in to another, in which answers get lost, and one that brings all to its end. */
export async function simulateLogin(seed: number, bug?: LoginBug): Promise<LoginSimulated> {
  const random = seededRandom(seed ^ 0x10_91_40);
  const { chance } = dice(random);
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
  const moments = [metAt(service)];
  const sent: HttpRequest[] = [];
  const watched: Transport = async (request, signal) => {
    sent.push(request);
    const answer = await service.send(request, signal);
    if (request.method === 'GET') return answer;
    moments.push(metAt(service));
    const isLost = losing > 0 && chance(losing);
    return isLost ? ({ kind: 'lost', error: new Error('reset') } satisfies Exchange) : answer;
  };
  const network = bug?.transport(watched, { service, after }) ?? watched;
  const allow = everything.filter((name) => name !== 'open-login' || allowsOpen);
  await run(network, text, allow, chance(0.5) ? '8' : '1');
  const seen = [...moments];
  const writes = sent.filter(({ method }) => method !== 'GET');
  await run(service.send, text, everything);
  const end = metAt(service);
  const [start = end] = seen;
  const violations: { rule: Rule; words: string }[] = [];
  const fail = (rule: Rule, words: string): void =>
    void violations.push({ rule, words: `${seed}: ${words}` });
  // A stage that comes before the old or new place of the name is shown first for a while.
  const all = [...before.stages, ...after.stages];
  const ordersOf = (isName: boolean): number[] =>
    all.flatMap(({ name, order }) => ((name === 'who') === isName ? order : []));
  const asksFirst = Math.max(...ordersOf(true)) < Math.min(...ordersOf(false));
  const mayBeOpen = start.byName || (end.byName && allowsOpen);
  for (const [index, { byName, begins }] of seen.entries()) {
    if (byName && !mayBeOpen)
      fail('by_name', `after write ${index} of ${writes.length}, a name alone logs in`);
    if (!begins && start.begins && end.begins && asksFirst)
      fail('locked_out', `after write ${index}, the flow does not begin`);
  }
  if (end.byName && !start.byName && !allowsOpen && writes.length > 0) fail('refused', 'it was not refused');
  // Policies that nothing is bound to are not on the way in.
  const isOnWay = ({ method, path }: HttpRequest): boolean =>
    method !== 'GET' && path.includes('/flows/bindings/');
  const [first, last] = [sent.findIndex(isOnWay), sent.findLastIndex(isOnWay)];
  const asks = sent.flatMap(({ path, isAnonymous }, index) =>
    path === executor && isAnonymous ? index : [],
  );
  const isAskedAgain = losing > 0 || !start.begins || asks.some((index) => index > last);
  const isAsked = asks.some((index) => index < first) && isAskedAgain;
  if (first !== -1 && !isAsked) fail('asked', 'it was not asked');
  return { violations, wrote: writes.length > 0 };
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
