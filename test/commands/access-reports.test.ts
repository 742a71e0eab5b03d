import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { apply } from '../../src/commands/apply.ts';
import { plan } from '../../src/commands/plan.ts';
import type { SandboxSeed } from '../../src/generated/sandbox-seed.ts';
import type { SandboxRelease } from '../../src/sandbox/release.ts';
import type { Exchange, Transport } from '../../src/service/transport.ts';
import { runOn, type Ran } from '../support/manifest-run.ts';
import type { Setup } from '../support/run.ts';
import { sandboxTransport } from '../support/sandbox-requests.ts';
import { answered } from '../support/scripted-transport.ts';
import { otherClient } from '../support/other-client.ts';

const config = { 'rollcall.yaml': 'version: 1\ncapabilities: [update]\n' };
const allowed = { config: 'rollcall.yaml', allow: ['update'] };

function grafana(access: string, more: string = ''): string {
  return `version: 1\napplications:\n  - slug: grafana\n    name: Grafana\n    access: ${access}\n${more}`;
}

function run(
  command: typeof plan | typeof apply,
  send: Transport,
  text: string,
  options: object = {},
  setup: Setup = {},
): Promise<Ran> {
  return runOn(command, send, text, options, { ...setup, files: { ...config, ...setup.files } });
}

type Service = ReturnType<typeof sandboxTransport>;
type Bound = Omit<NonNullable<SandboxSeed['bindings']>[number], 'application'>;

/** A service with an application Grafana that has these bindings, and with a token that has all rights except `may`. */
function serviceWith(
  bound: readonly Bound[],
  may: object = {},
  grafanaHas: JsonObject = {},
  release?: SandboxRelease,
): Service {
  const seed: SandboxSeed = {
    applications: [{ slug: 'grafana', name: 'Grafana', ...grafanaHas }],
    bindings: bound.map((one) => ({ application: 'grafana', ...one })),
    users: [{ username: 'carol', name: 'Carol' }],
    tokens: [{ token: 't', ...may }],
  };
  return sandboxTransport(seed, 't', release);
}

const denied = answered(403, { detail: 'no' });
const away = answered(502, 'Bad Gateway');

describe('an unfinished application', () => {
  const staff = [{ group: 'staff' }];

  test('is not reported as closed to its former users if their bindings could not be deleted', async () => {
    const { send } = serviceWith(staff, { delete_bindings: false });
    const { ending, stdout } = await run(
      apply,
      send,
      grafana('{ groups: [{ name: contractors }] }'),
      allowed,
    );
    expect(ending).toBe('denied');
    expect(stdout).toContain('it was changed only in part: `access.groups` is not yet as declared');
    expect(stdout).not.toContain('nobody in who is not declared');
    expect(stdout).toContain('Only the former and the declared users and groups can open it.');
  });

  test('is not reported as closed to anybody while everyone can open it', async () => {
    const { send } = serviceWith([], { add_bindings: false });
    const text = grafana('{ groups: [{ name: staff }] }', '    policy_engine_mode: all\n');
    const { ending, stdout } = await run(apply, send, text, allowed);
    expect(ending).toBe('denied');
    expect(stdout).not.toContain('nobody in who is not declared');
  });

  test('is not reported as closed to anybody if somebody else changed its bindings meanwhile', async () => {
    const service = sandboxTransport({});
    const send: Transport = async (request, signal) => {
      const answer = await service.send(request, signal);
      // Another client adds a binding just after rollcall does.
      if (request.method === 'POST' && request.path.endsWith('/bindings/')) {
        const target = otherClient(service.sandbox).pk('application', 'grafana') ?? null;
        const group = otherClient(service.sandbox).pk('group', 'contractors') ?? null;
        service.ask('POST', '/policies/bindings/', { target, group, order: 9 });
      }
      return answer;
    };
    const { ending, stdout } = await run(apply, send, grafana('{ groups: [{ name: staff }] }'));
    expect(ending).toBe('incomplete');
    expect(stdout).toContain(
      'Somebody else changed it in the meantime, or some bindings are hidden from the token.\n',
    );
    expect(stdout).not.toContain('lets nobody in');
    // The last answer was a successful one, to a bind.
    expect(stdout).not.toContain('What came next did not succeed');
    expect(stdout).not.toContain('Check the service URL');
  });

  const publisher = '    meta_publisher: Ops\n';
  const isUnknown = 'it exists, but who can open it is unknown';

  test.each<[string, string, Exchange, string, 'POST' | 'PATCH', string]>([
    ['it may not be read', isUnknown, denied, 'applications/grafana/', 'POST', ''],
    ['it cannot be read', isUnknown, away, 'applications/grafana/', 'POST', ''],
    [
      'it cannot be read before its next change',
      'in part: `meta_publisher` is',
      away,
      'applications/grafana/',
      'POST',
      publisher,
    ],
    ['its bindings may not be read', isUnknown, denied, 'policies/bindings/', 'POST', publisher],
    [
      'its bindings may not be read after they were compared',
      'in part: `meta_publisher` is',
      denied,
      'policies/bindings/',
      'PATCH',
      publisher,
    ],
  ])('is reported after its first new binding if %s: %s', async (_, words, instead, path, since, more) => {
    const service = serviceWith(staff);
    let hasBegun = false;
    const send: Transport = async (request, signal) => {
      if (since === 'PATCH' && request.method === since) hasBegun = true;
      if (hasBegun && (request.path.includes(path) || request.method === 'PATCH')) return instead;
      if (request.method === since) hasBegun = true;
      return service.send(request, signal);
    };
    const { stdout } = await run(apply, send, grafana('{ groups: [{ name: contractors }] }', more), allowed);
    expect(stdout).toContain(words);
    expect(stdout.includes('could not be read back')).toBe(words === isUnknown);
  });

  test('is reported with the bindings that it has if somebody else deleted a new one', async () => {
    const service = serviceWith(staff);
    const send: Transport = async (request, signal) => {
      const answer = await service.send(request, signal);
      const { pk } = JSON.parse(answer.kind === 'answered' ? answer.body || '{}' : '{}') as { pk?: string };
      if (request.method === 'POST' && pk) service.ask('DELETE', `/policies/bindings/${pk}/`, {});
      return answer;
    };
    const text = grafana('{ groups: [{ name: contractors }] }', publisher);
    expect((await run(apply, send, text, allowed)).stdout).toContain(
      'in part: `access.groups`, `meta_publisher` are not yet as declared',
    );
  });

  test('is reported with a note if the token cannot see the bindings that it created', async () => {
    const { send, sandbox } = serviceWith([{ group: 'staff' }], { view_bindings: ['grafana/staff'] });
    const text = grafana('{ groups: [{ name: staff }], users: [{ name: carol }] }');
    const { ending, stdout } = await run(apply, send, text, allowed);
    expect(ending).toBe('incomplete');
    expect(stdout).toContain('m.yaml:5:49: error: application.grafana: it was changed only in part');
    expect(stdout).toContain('or some bindings are hidden from the token.\n');
    // The token sees only the group, so only the group can be compared.
    sandbox.issue({ token: 't' });
    expect((await run(plan, send, text)).stdout).toContain('No changes.');
  });

  test('is reported as visible to everyone, and without logins, if it is new and got no bindings and no provider yet', async () => {
    const { send, sandbox } = serviceWith([], { add_bindings: false });
    otherClient(sandbox).delete('application', 'grafana');
    const text = grafana('{ groups: [{ name: staff }] }', '    provider: 1\n');
    const { ending, stdout } = await run(apply, send, text);
    expect(ending).toBe('denied');
    expect(stdout).toContain(
      'If it has no bindings, everyone may see its name. Nobody can open it, because `provider` is set last.',
    );
    expect(stdout).toContain('The token needs the permission `add_policybinding`.\n');
    expect(stdout).not.toContain('Check the token and its permissions');
    const left = await run(plan, send, text);
    expect(left.stdout).toMatch(
      /! application\.grafana[^]*access\.groups\n\s+missing[^]*provider\n\s+observed\s+null\n/,
    );
    const pending = await run(plan, send, text, allowed);
    expect(pending.stdout).toMatch(/~ application\.grafana[^]*access\.groups\n\s+will add[^]*provider\n/);
  });

  test.each([
    ['a launch URL is declared', [], '    meta_launch_url: https://grafana.example.com/\n'],
    [
      'another group and an entitlement are declared',
      ['contractors'],
      'entitlements: [{ name: reader, app: { slug: grafana } }]\n',
    ],
  ])('is not unfinished if %s later', async (_, groups, more) => {
    const { send } = serviceWith([{ group: 'staff' }], {}, {}, '2025.12');
    const named = ['staff', ...groups].map((name) => `{ name: ${name} }`);
    const { ending, stdout } = await run(plan, send, grafana(`{ groups: [${named.join(', ')}] }`, more));
    expect([ending, stdout]).toEqual(['done', expect.stringContaining('! application.grafana differs')]);
  });

  test('names the permission to view bindings, if the bindings of the new application could not be read', async () => {
    const { send, sandbox } = serviceWith([], { view_bindings: 'none' });
    otherClient(sandbox).delete('application', 'grafana');
    const { ending, stdout } = await run(apply, send, grafana('{ groups: [{ name: staff }] }'));
    expect([ending, stdout]).toEqual([
      'denied',
      expect.stringContaining('The token needs the permission `view_policybinding`.\n'),
    ]);
    expect(stdout).not.toContain('add_policybinding');
  });

  test('gets its launch URL only after its bindings', async () => {
    const { send, sandbox } = serviceWith([], { add_bindings: false });
    otherClient(sandbox).delete('application', 'grafana');
    const url = 'https://grafana.example.com/';
    const text = grafana('{ groups: [{ name: staff }] }', `    meta_launch_url: ${url}\n`);
    const { stdout } = await run(apply, send, text);
    expect(stdout).toContain('Nobody can open it, because `meta_launch_url` is set last.');
    expect(otherClient(sandbox).record('application', 'grafana')?.['meta_launch_url']).toBe('');
    const left = await run(plan, send, text);
    expect([left.ending, left.stdout]).toEqual(['incomplete', expect.stringContaining('is unfinished')]);
    sandbox.issue({ token: 't' });
    const done = await run(apply, send, text, allowed);
    expect([done.ending, otherClient(sandbox).record('application', 'grafana')?.['meta_launch_url']]).toEqual(
      ['done', url],
    );
    expect((await run(plan, send, text)).stdout).toContain('No changes.');
  });

  test('is finished by the next run that may update, and left unchanged by a run that may not', async () => {
    const { send, sandbox } = serviceWith([], { add_bindings: false });
    otherClient(sandbox).delete('application', 'grafana');
    const text = grafana('{ groups: [{ name: staff }] }', '    provider: 1\n');
    await run(apply, send, text);
    sandbox.issue({ token: 't' });
    const left = await run(apply, send, text);
    expect([left.ending, otherClient(sandbox).record('application', 'grafana')?.['provider']]).toEqual([
      'incomplete',
      null,
    ]);
    const done = await run(apply, send, text, allowed);
    expect([done.ending, otherClient(sandbox).record('application', 'grafana')?.['provider']]).toEqual([
      'done',
      1,
    ]);
    expect((await run(plan, send, text)).stdout).toContain('No changes.');
  });
});

describe('a failed binding is reported at the line of `access`', () => {
  const absent = '99999999-9999-4999-8999-999999999999';

  test('even if the error of the service names a field that the application also declares', async () => {
    const { send } = serviceWith([{ group: 'staff' }], {}, { group: 'Tools' });
    const text = grafana(`{ groups: [${absent}] }`, '    group: Tools\n');
    const { ending, stdout } = await run(apply, send, text, allowed);
    expect(ending).toBe('incomplete');
    expect(stdout).toContain(
      'm.yaml:5:23: error: application.grafana: `access.groups` was not changed: the service refused the request (400)',
    );
    expect(stdout).toContain(`group: Invalid pk "${absent}" - object does not exist.`);
    expect(stdout).not.toContain('m.yaml:6:');
  });

  test.each<[string, Bound[], object, string, string, string]>([
    ['of adding a group', [], { add_bindings: false }, '{ groups: [{ name: staff }] }', '5:23', 'add'],
    ['of adding a user', [], { add_bindings: false }, '{ users: [{ name: carol }] }', '5:22', 'add'],
    [
      'of removing a binding',
      [{ group: 'staff' }, { user: 'carol' }],
      { delete_bindings: false },
      '{ users: [{ name: carol }] }',
      '5:13',
      'delete',
    ],
  ])('after a denial: %s', async (_, bound, may, access, place, right) => {
    const { send } = serviceWith(bound, may);
    const { ending, stdout } = await run(apply, send, grafana(access), allowed);
    expect(ending).toBe('denied');
    expect(stdout).toMatch(
      new RegExp(
        `m\\.yaml:${place}: error: application\\.grafana: \`access\\.\\w+\` was not changed: the service denied access`,
      ),
    );
    expect(stdout).toContain(`The token needs the permission \`${right}_policybinding\`.\n`);
  });
});

test('a difference from access for everyone shows the declared word, not an empty list', async () => {
  const { stdout } = await run(plan, serviceWith([{ group: 'staff' }]).send, grafana('everyone'));
  expect(stdout).toMatch(/access\.groups\n +observed {2}\["staff" .*\]\n +declared {2}"everyone"\n/);
});

test('a plan reports access for everyone even if a secret is the word "everyone"', async () => {
  const { send } = serviceWith([{ group: 'staff' }]);
  const setup = { env: { WHO: 'everyone' } };
  const { stdout } = await run(plan, send, grafana('"${env:WHO}"'), allowed, setup);
  expect(stdout).toContain('\nOpens application.grafana to everyone.\n');
});

test('`hide: access` is rejected with advice to hide access.groups and access.users', async () => {
  const { send } = serviceWith([]);
  const files = { 'rollcall.yaml': 'version: 1\nhide: [application.access]\n' };
  const { ending, stderr } = await run(
    plan,
    send,
    grafana('everyone'),
    { config: 'rollcall.yaml' },
    { files },
  );
  expect(ending).toBe('invalid');
  expect(stderr).toContain('rollcall.yaml:2:8: error: there is no field `application.access` to hide');
  expect(stderr).toContain(
    'Hide its parts instead: `application.access.groups`, `application.access.users`.',
  );
});
