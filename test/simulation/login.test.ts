import { describe, expect, test } from 'vitest';
import { isJsonObject, parseJson } from '../../src/base/json.ts';
import type { HttpRequest } from '../../src/service/transport.ts';
import { someOf, times } from '../support/effort.ts';
import { boundIn, loginRules, simulateLogin, type LoginBug } from './login.ts';

const bindings = '/api/v3/flows/bindings/';

function isOfBindings({ method, path }: HttpRequest): boolean {
  return method !== 'GET' && path.startsWith(bindings);
}

/** An engine that sends something before its first write of a binding. */
function first(
  before: (around: Parameters<LoginBug['transport']>[1]) => readonly HttpRequest[],
): LoginBug['transport'] {
  return (network, around) => {
    let isBegun = false;
    return async (request, signal) => {
      if (isOfBindings(request) && !isBegun) {
        isBegun = true;
        for (const one of before(around)) await network(one, signal);
      }
      return network(request, signal);
    };
  };
}

const bugs: Readonly<Record<string, LoginBug>> = {
  'takes out what is not declared before it adds': {
    breaks: 'by_name',
    from: 41,
    transport: first(({ service: { sandbox }, after: { stages } }) =>
      boundIn(sandbox)
        .filter(({ name }) => !stages.some((stage) => stage.name === name))
        .map(({ pk }) => ({ method: 'DELETE', path: `${bindings}${pk}/` })),
    ),
  },
  'moves the login before the rest': {
    breaks: 'by_name',
    from: 0,
    transport: first(({ service: { sandbox }, after: { stages } }) =>
      boundIn(sandbox).flatMap(({ pk, name }): HttpRequest[] => {
        const order = stages.find((stage) => stage.name === name)?.order;
        if (name !== 'enter' || order === undefined) return [];
        return [{ method: 'PATCH', path: `${bindings}${pk}/`, body: JSON.stringify({ order }) }];
      }),
    ),
  },
  'deletes a binding and creates it again in place of a change': {
    breaks: 'by_name',
    from: 9,
    transport:
      (network, { service: { sandbox } }) =>
      async (request, signal) => {
        if (request.method !== 'PATCH' || !isOfBindings(request)) return network(request, signal);
        const headers = { authorization: 'Bearer sandbox-token' };
        const held = parseJson(sandbox.handle({ method: 'GET', path: request.path, headers, body: '' }).body);
        const sent = parseJson(request.body ?? '{}');
        if (!isJsonObject(held) || !isJsonObject(sent)) return network(request, signal);
        const { target = null, stage = null, order = null } = held;
        await network({ method: 'DELETE', path: request.path }, signal);
        return network(
          { method: 'POST', path: bindings, body: JSON.stringify({ target, stage, order, ...sent }) },
          signal,
        );
      },
  },
  'takes out the stage that asks for a name, and adds it again': {
    breaks: 'locked_out',
    from: 0,
    transport: first(({ service: { sandbox } }) =>
      boundIn(sandbox)
        .filter(({ name }) => name === 'who')
        .map(({ pk }) => ({ method: 'DELETE', path: `${bindings}${pk}/` })),
    ),
  },
  'takes a policy that is false for everybody for a true one': {
    breaks: 'refused',
    from: 83,
    transport: (network) => async (request, signal) => {
      const answer = await network(request, signal);
      return answer.kind === 'answered' && request.path.startsWith('/api/v3/policies/dummy/')
        ? { ...answer, body: answer.body.replace('"result":false', '"result":true') }
        : answer;
    },
  },
  'does not ask whether people can log in': {
    breaks: 'asked',
    from: 0,
    transport: (network) => async (request, signal) =>
      request.path.includes('/flows/executor/')
        ? { kind: 'answered', status: 200, headers: {}, body: '{"component":"ak-stage-identification"}' }
        : network(request, signal),
  },
};

describe('a simulated change of the way in', () => {
  const seeds = Number(process.env['LOGIN_SEEDS'] ?? times({ short: 4, full: 1000 }));

  test(`keeps every promise for ${seeds} random seeds`, async () => {
    let wrote = 0;
    for (let seed = 0; seed < seeds; seed += 1) {
      const simulated = await simulateLogin(seed);
      expect(simulated.violations).toEqual([]);
      if (simulated.wrote) wrote += 1;
    }
    expect(wrote).toBeGreaterThan(seeds / 4);
  });

  test('has a planted mistake for each promise', () => {
    expect(new Set(Object.values(bugs).map(({ breaks }) => breaks))).toEqual(
      new Set(Object.keys(loginRules)),
    );
  });

  test.each(someOf(Object.entries(bugs), 1))('reveals an engine that %s', async (_, bug) => {
    const broken = new Set<string>();
    let seed = bug.from;
    for (; seed < bug.from + 400 && !broken.has(bug.breaks); seed += 1)
      for (const { rule } of (await simulateLogin(seed, bug)).violations) broken.add(rule);
    expect([...broken]).toContain(bug.breaks);
  });
});
