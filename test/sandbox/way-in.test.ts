import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { isJsonObject, parseJson, textOf, type JsonObject, type JsonValue } from '../../src/base/json.ts';
import { seedSandbox } from '../../src/sandbox/seed.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { otherClient } from '../support/other-client.ts';

/** A flow of a real service, and what its executor answered to a client without a token. */
interface WayIn {
  readonly name: string;
  readonly exchanges: readonly {
    readonly method: string;
    readonly path: string;
    readonly sent?: JsonObject;
    readonly status: number;
    readonly answer?: JsonObject;
  }[];
}

const releases = ['2023.10', '2025.12'] as const;

function recorded(release: string): WayIn[] {
  const url = new URL(`../recordings/${release}/way-in.json`, import.meta.url);
  return JSON.parse(readFileSync(url, 'utf8')) as WayIn[]; // the file has this form
}

/** The flow of a recording: its stages in order, and further settings. */
interface Made {
  readonly stages: readonly Stage[];
  readonly flow?: JsonObject;
  /** The order of each stage, by default its index. */
  readonly orders?: readonly number[];
  /** The expressions of policies that are bound to the flow or to a stage. */
  readonly policies?: Partial<Record<Stage | 'flow', string>>;
}

type Stage = 'identification' | 'password' | 'user_login' | 'deny' | 'authenticator/validate';
const whole: readonly Stage[] = ['identification', 'password', 'user_login'];
const onFlow = (expression: string): Made => ({ stages: whole, policies: { flow: expression } });

const flows: Readonly<Record<string, Made>> = {
  'a flow without stages': { stages: [] },
  'identification alone: no login': { stages: ['identification'] },
  'identification and login, no password: in by the name alone': { stages: ['identification', 'user_login'] },
  'whole: the right password': { stages: whole },
  'whole: a wrong password': { stages: whole },
  'whole: a user that nobody has': { stages: whole },
  'a deny stage first': { stages: ['deny', ...whole] },
  'a policy on the flow that is false for all': onFlow('return False'),
  'a policy on the flow that raises': onFlow('return 1 / 0'),
  'a false policy on the password stage: it is skipped': {
    stages: whole,
    policies: { password: 'return False' },
  },
  'no identification stage': { stages: ['password', 'user_login'] },
  'the password after the login': { stages: ['identification', 'user_login', 'password'] },
  'authentication: require_authenticated': {
    stages: whole,
    flow: { authentication: 'require_authenticated' },
  },
  'denied_action continue, whole again': { stages: whole, flow: { denied_action: 'continue' } },
  'a flow that nobody has': { stages: [] },
  'the default flow of a fresh service': { stages: [] },
};

/** The steps that the sandbox cannot take. It knows no passwords, and ignores a form that is sent at the wrong step. */
const notGone: Readonly<Record<string, number>> = {
  'whole: the right password': 3,
  'whole: a user that nobody has': 2,
  'the password after the login': 3,
};

const stageFields: Readonly<Record<Stage, JsonObject>> = {
  identification: { user_fields: ['username'] },
  password: { backends: ['authentik.core.auth.InbuiltBackend'] },
  user_login: {},
  deny: {},
  'authenticator/validate': { not_configured_action: 'skip' },
};

function made(sandbox: Sandbox, path: `/${string}/`, fields: JsonObject): JsonObject {
  const created = otherClient(sandbox).create(path, fields);
  if (!('record' in created)) throw new Error(JSON.stringify(created));
  return created.record;
}

function sandboxWith(
  release: (typeof releases)[number],
  { stages, flow, orders, policies = {} }: Made,
): Sandbox {
  const { sandbox } = seedSandbox({ is_fresh: true }, release);
  otherClient(sandbox).create('user', { username: 'rec-way-user', name: '' });
  const bind = (target: JsonValue | undefined, expression: string | undefined): void => {
    if (expression === undefined) return;
    const { pk: policy = null } = made(sandbox, '/policies/expression/', { name: expression, expression });
    made(sandbox, '/policies/bindings/', { target: target ?? null, policy, order: 0 });
  };
  const fields = { name: 'Way', slug: 'rec-way', title: 'Way', designation: 'authentication', ...flow };
  const { pk: target = null, policybindingmodel_ptr_id } = made(sandbox, '/flows/instances/', fields);
  bind(policybindingmodel_ptr_id, policies.flow);
  for (const [index, stage] of stages.entries()) {
    const order = orders?.[index] ?? index;
    const { pk = null } = made(sandbox, `/stages/${stage}/`, {
      name: `rec-way-${stage}`,
      ...stageFields[stage],
    });
    const bound = made(sandbox, '/flows/bindings/', { target, stage: pk, order });
    bind(bound['policybindingmodel_ptr_id'], policies[stage]);
  }
  return sandbox;
}

describe.each(releases)('the flow executor of the sandbox of release %s', (release) => {
  test.each(recorded(release).map(({ name, exchanges }) => [name, exchanges] as const))(
    'answers as recorded: %s',
    (name, exchanges) => {
      const sandbox = sandboxWith(release, flows[name] ?? { stages: [] });
      let cookie: string | undefined;
      for (const { method, path, sent, status, answer } of exchanges.slice(0, notGone[name])) {
        const response = sandbox.handle({
          method,
          path,
          headers: { cookie },
          body: JSON.stringify(sent ?? {}),
        });
        cookie = response.headers['set-cookie'] ?? cookie;
        const body = parseJson(response.body) ?? null;
        expect([response.status, isJsonObject(body) ? body : undefined], textOf(sent)).toEqual([
          status,
          answer,
        ]);
      }
    },
  );

  test('skips a stage for authenticators that lets people without an authenticator pass', () => {
    const sandbox = sandboxWith(release, { stages: ['authenticator/validate', ...whole] });
    const path = '/api/v3/flows/executor/rec-way/?query=';
    const { body } = sandbox.handle({ method: 'GET', path, headers: {}, body: '' });
    expect(parseJson(body)).toMatchObject({ component: 'ak-stage-identification' });
  });

  test('shows the stages by their order, whichever was bound first', () => {
    const stages = ['password', 'identification', 'user_login'] as const;
    const sandbox = sandboxWith(release, { stages, orders: [20, 10, 30] });
    const path = '/api/v3/flows/executor/rec-way/?query=';
    const { body } = sandbox.handle({ method: 'GET', path, headers: {}, body: '' });
    expect(parseJson(body)).toMatchObject({ component: 'ak-stage-identification' });
  });

  test('is recorded for each login flow that the tests build', () => {
    expect(recorded(release).map(({ name }) => name)).toEqual(Object.keys(flows));
  });
});
