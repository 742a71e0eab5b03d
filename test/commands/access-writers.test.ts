import { describe, expect, test } from 'vitest';
import { textOf } from '../../src/base/json.ts';
import { apply } from '../../src/commands/apply.ts';
import type { Transport } from '../../src/service/transport.ts';
import { done, runOn, type Ran } from '../support/manifest-run.ts';
import { sandboxTransport } from '../support/sandbox-requests.ts';
import { answered, lost } from '../support/scripted-transport.ts';
import { someMoments } from '../support/effort.ts';
import { otherClient } from '../support/other-client.ts';

const bindings = '/policies/bindings/';
const config = { 'rollcall.yaml': 'version: 1\ncapabilities: [update]\n' };
const allowed = { config: 'rollcall.yaml', allow: ['update'], concurrency: '1' };

type Service = ReturnType<typeof sandboxTransport>;

/** The names of the bound groups, and whether the application has a provider. */
function stateOf(service: Service): {
  readonly groups: readonly string[];
  readonly mode: unknown;
  readonly provider: unknown;
} {
  const { policy_engine_mode: mode, provider } =
    otherClient(service.sandbox).record('application', 'grafana') ?? {};
  const names = ['staff', 'contractors'];
  const groups = service
    .list(`${bindings}?page_size=100`)
    .flatMap(({ enabled, group }) =>
      enabled === true
        ? (names.find((name) => otherClient(service.sandbox).pk('group', name) === group) ?? textOf(group))
        : [],
    );
  return { groups: groups.toSorted(), mode, provider };
}

function run(send: Transport, text: string): Promise<Ran> {
  return runOn(apply, send, text, allowed, { files: config });
}

/** Actions of another client. Each is done once, at the first request at which it is possible. */
const otherWrites: Readonly<Record<string, (service: Service) => boolean>> = {
  'removes a binding': (service) => {
    const [first] = service.list(`${bindings}?page_size=100`);
    if (first) service.ask('DELETE', `${bindings}${textOf(first['pk'])}/`);
    return first !== undefined;
  },
  'replaces a binding': (service) => {
    const [first] = service.list(`${bindings}?page_size=100`);
    if (first === undefined) return false;
    service.ask('DELETE', `${bindings}${textOf(first['pk'])}/`);
    const { target = null } = first;
    const group = otherClient(service.sandbox).pk('group', 'contractors') ?? null;
    service.ask('POST', bindings, { target, group, order: 9 });
    return true;
  },
  'disables a binding': (service) => {
    const [first] = service.list(`${bindings}?page_size=100`);
    if (first === undefined) return false;
    // Releases from 2026.2 on refuse every PATCH of a binding.
    const { pk, ...fields } = first;
    service.ask('DELETE', `${bindings}${textOf(pk)}/`, {});
    service.ask('POST', bindings, { ...fields, enabled: false });
    return true;
  },
  'adds a binding': (service) => {
    const target = otherClient(service.sandbox).pk('application', 'grafana') ?? null;
    const group = otherClient(service.sandbox).pk('group', 'contractors') ?? null;
    if (target !== null) service.ask('POST', bindings, { target, group, order: 9 });
    return target !== null;
  },
  'deletes a bound group': (service) => {
    const pk = textOf(otherClient(service.sandbox).pk('group', 'staff'));
    const isBound = service.list(`${bindings}?page_size=100`).some(({ group }) => group === pk);
    if (isBound) service.ask('DELETE', `/api/v3/core/groups/${pk}/`);
    return isBound;
  },
};

const entry = (mode: string, access: string): string =>
  `version: 1\napplications: [{ slug: grafana, name: Grafana, provider: 1, policy_engine_mode: ${mode}, access: ${access} }]\n`;

const staff = '{ groups: [{ name: staff }] }';
const existing = { applications: [{ slug: 'grafana', name: 'Other', policy_engine_mode: 'any' as const }] };

const scenarios: Readonly<
  Record<string, { readonly seed: Parameters<typeof sandboxTransport>[0]; readonly text: string }>
> = {
  'creates an application': { seed: {}, text: entry('any', staff) },
  'creates an application with access for everyone': { seed: {}, text: entry('any', 'everyone') },
  'changes the access of an application in mode any': {
    seed: { ...existing, bindings: [{ application: 'grafana', group: 'staff' }] },
    text: entry('any', staff),
  },
  'changes the access of an application in mode all': {
    seed: { ...existing, bindings: [{ application: 'grafana', group: 'staff' }] },
    text: entry('all', staff),
  },
};

describe.each(Object.entries(scenarios))('during an apply that %s,', (_, { seed, text }) => {
  test.each(Object.entries(otherWrites))(
    'the report is correct even if another client %s between two requests',
    async (name, otherWrite) => {
      const calm = sandboxTransport(seed);
      await done(run(calm.send, text));
      const declared = stateOf(calm);
      const first = calm.requests.findIndex(({ method }) => method !== 'GET');
      for (const nth of someMoments(first, calm.requests.length, name.length + text.length)) {
        const service = sandboxTransport(seed);
        let isDone = false;
        const send: Transport = async (request, signal) => {
          if (!isDone && service.requests.length >= nth) isDone = otherWrite(service);
          return service.send(request, signal);
        };
        const { ending, stdout } = await run(send, text);
        if (ending === 'done') expect(stateOf(service), `${nth}: ${stdout}`).toEqual(declared);
      }
    },
  );
});

describe('an update of the access of an application with a provider', () => {
  test.each([
    ['removes a binding', 'Who can open it now: everyone'],
    ['disables a binding', 'Who can open it now: everyone'],
    ['adds a binding', 'the group "contractors"'],
  ])('reports who can now open the application if another client %s', async (name, words) => {
    const service = sandboxTransport({});
    const send: Transport = async (request, signal) => {
      if (request.method === 'PATCH') otherWrites[name]?.(service);
      return service.send(request, signal);
    };
    const { ending, stdout } = await run(send, entry('any', staff));
    expect(ending).toBe('incomplete');
    expect(stdout).toContain('x application.grafana  unfinished');
    expect(stdout).toContain(words);
    expect(stdout).toContain('plan and apply with --capability update --allow update');
    expect(otherClient(service.sandbox).record('application', 'grafana')).toMatchObject({ provider: 1 });
  });

  test('ends as unfinished if the answer shows other values than the request', async () => {
    const service = sandboxTransport({});
    const send: Transport = async (request, signal) => {
      if (request.method !== 'PATCH') return service.send(request, signal);
      const record = otherClient(service.sandbox).record('application', 'grafana');
      return answered(200, { ...record, provider: 1 });
    };
    const { ending, stdout } = await run(send, entry('any', staff));
    expect(ending).toBe('incomplete');
    expect(stdout).toContain('x application.grafana  unfinished, not yet as declared: provider');
    expect(stdout).toContain('Nobody can open it yet.');
  });

  test('ends as unfinished if the bindings of the application become unreadable', async () => {
    const service = sandboxTransport({});
    let isOver = false;
    const send: Transport = async (request, signal) => {
      if (request.method === 'PATCH') isOver = true;
      return isOver && request.path.includes(bindings)
        ? answered(500, 'Error')
        : service.send(request, signal);
    };
    const { ending, stdout } = await run(send, entry('any', staff));
    expect(ending).toBe('incomplete');
    expect(stdout).toContain('it exists, but who can open it is unknown');
    expect(stdout).not.toContain('It lets nobody in');
  });
});

test.each([
  ['after a lost answer', lost],
  ['after a refusal', undefined],
])(
  '%s, an application created by another run is not reported as open to everyone if its bindings are unreadable',
  async (_, exchange) => {
    const service = sandboxTransport({ tokens: [{ token: 't', view_bindings: 'none' }] }, 't');
    const send: Transport = async (request, signal) => {
      if (request.method === 'POST' && request.path.endsWith('/applications/')) {
        otherClient(service.sandbox).create('application', { slug: 'grafana', name: 'Grafana' });
        otherWrites['adds a binding']?.(service);
        if (exchange) return exchange;
      }
      return service.send(request, signal);
    };
    const { ending, stdout } = await run(
      send,
      entry('any', 'everyone').replace('policy_engine_mode: any, ', ''),
    );
    expect(ending, stdout).toBe('incomplete');
    expect(stdout).toContain('x application.grafana');
    expect(stdout).toContain('who can open it is unknown');
  },
);
